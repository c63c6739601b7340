"""Questions in other languages: wordings and nouns that are curated by hand, one file a language."""
