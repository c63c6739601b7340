"""What a reader knows of single English words: number and articles."""

from __future__ import annotations

from functools import cache

IRREGULAR = {
    "aircraft": "aircraft",
    "calves": "calf",
    "children": "child",
    "deer": "deer",
    "feet": "foot",
    "fish": "fish",
    "geese": "goose",
    "halves": "half",
    "hooves": "hoof",
    "knives": "knife",
    "leaves": "leaf",
    "loaves": "loaf",
    "men": "man",
    "mice": "mouse",
    "oxen": "ox",
    "people": "person",
    "potatoes": "potato",
    "scarves": "scarf",
    "sheep": "sheep",
    "shelves": "shelf",
    "skis": "ski",
    "teeth": "tooth",
    "tomatoes": "tomato",
    "wolves": "wolf",
    "women": "woman",
}
"""Plurals that the spelling rules do not make. Their singulars have no other plural here: "mans" is no word."""

SECOND_PLURALS = {"cacti": "cactus", "hippopotami": "hippopotamus"}
"""Plurals that stand beside the regular one."""

_NO_REGULAR_PLURAL = frozenset(IRREGULAR.values())
_HISSING = ("s", "x", "z", "ch", "sh")
_VOWELS = frozenset("aeiou")

_CONSONANT_SOUND = ("eu", "one", "unic", "unif", "union", "unit", "univ", "use", "usual", "ut")
"""Beginnings that are written with a vowel and spoken with a consonant: "a unicycle"."""

_VOWEL_SOUND = ("heir", "honest", "hour", "mp3", "rv", "suv", "x-ray")
"""Beginnings that are written with a consonant and spoken with a vowel: "an hourglass"."""


@cache
def singulars_of(word: str) -> tuple[str, ...]:
    """The singulars whose plural may be spelt so; a lexicon must say which of them is a name."""
    if word in IRREGULAR:
        return (IRREGULAR[word],)
    if word in SECOND_PLURALS:
        return (SECOND_PLURALS[word],)
    if word.endswith("men"):
        return (word[:-2] + "an",)
    return tuple(stem for stem in _regular_stems(word) if stem not in _NO_REGULAR_PLURAL and not _is_a_man(stem))


def _regular_stems(word: str) -> tuple[str, ...]:
    stems: list[str] = []
    if word.endswith("ies") and word[-4:-3] not in _VOWELS:
        stems.append(word[:-3] + "y")
    if word.endswith("es") and word[:-2].endswith(_HISSING):
        stems.append(word[:-2])
    stem = word[:-1]
    ends_in_consonant_y = stem.endswith("y") and stem[-2:-1] not in _VOWELS
    if word.endswith("s") and not stem.endswith(_HISSING) and not ends_in_consonant_y:
        stems.append(stem)
    return tuple(stems)


def _is_a_man(word: str) -> bool:
    return word.endswith("man") and not word.endswith(("human", "german", "talisman"))


def takes_an(word: str) -> bool:
    """Whether the word begins with the sound of a vowel."""
    if word.startswith(_VOWEL_SOUND):
        return True
    return word[0] in _VOWELS and not word.startswith(_CONSONANT_SOUND)
