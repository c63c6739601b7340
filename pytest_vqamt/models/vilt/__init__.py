"""ViLT: a picture as patches and a text as words, in one transformer."""
