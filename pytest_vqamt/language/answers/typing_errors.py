"""Typing errors in answers."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache, lru_cache

from pytest_vqamt.language.captions.lexicon import entries_by_form
from pytest_vqamt.language.english.phrases import descriptions


def without_typing_errors(text: str, expected: Iterable[str]) -> str:
    """Replaces unknown words by the only expected one that a slip of a finger makes of them.

    A slip drops a letter, doubles or adds one, or exchanges two neighbours; in words of three letters only the last, as
    "do" and "cart" are words. Words that English has are left alone.

    >>> without_typing_errors("thre hosres and a tree", ["three", "horses", "four"])
    'three horses and a tree'
    """
    words = tuple(word for word in expected if word.isalpha())
    return _LETTERS.sub(lambda found: _meant(found[0], words), text)


_LETTERS = re.compile(r"[a-z]{3,}")


@lru_cache(maxsize=4096)
def _meant(word: str, expected: tuple[str, ...]) -> str:
    if word in expected or word in _known():
        return word
    meant = {each for each in expected if _is_slip(word, each)}
    return meant.pop() if len(meant) == 1 else word


def _is_slip(word: str, meant: str) -> bool:
    longer, shorter = sorted((word, meant), key=len, reverse=True)
    if len(longer) == len(shorter):
        differ = [place for place, (one, other) in enumerate(zip(word, meant, strict=True)) if one != other]
        return (
            len(differ) == 2
            and differ[1] == differ[0] + 1
            and (word[differ[0]], word[differ[1]]) == (meant[differ[1]], meant[differ[0]])
        )
    if word.rstrip(word[-1]) == meant.rstrip(meant[-1]) and word[-1] == meant[-1] and len(word) > len(meant):
        return True  # "noooo"
    return (
        len(meant) > _TOO_SHORT
        and len(longer) == len(shorter) + 1
        and any(longer[:place] + longer[place + 1 :] == shorter for place in range(1, len(longer)))
        and longer != f"{shorter}s"
    )


_TOO_SHORT = 3


@cache
def _known() -> frozenset[str]:
    return frozenset(" ".join((*entries_by_form(), *descriptions())).split()) | _NEAR


_NEAR = frozenset(
    [
        "act", "acts", "tow", "for", "our", "flour", "tree", "thee", "there", "then", "even", "sever", "height",
        "weight", "nice", "fie", "fiver", "fried", "hose", "hoses", "cares", "care", "dots", "doge", "does",
        "ended", "mend", "men", "man", "bend", "lien", "line", "lines", "love", "stoned", "laugh", "thought",
        "through", "though", "thorough", "form", "from", "house", "bead", "beads", "beard", "late", "pate",
        "plat", "cot", "cots", "ding", "dong", "weed", "seed", "hot", "sot", "chin", "trail", "trial", "quite",
        "quiet", "angle", "angel", "filed", "sacred", "diary", "dairy", "desert", "dessert", "brown", "blow",
        "below", "blew", "grown",
    ]
)  # fmt: skip
"""Words of English that are a slip away from a number, a colour or a thing, and name neither."""
