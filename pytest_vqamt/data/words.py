"""The words that annotators typed, made names and attributes of."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache

from pytest_vqamt.language.english.families import family
from pytest_vqamt.language.english.lexical_relations import COLOURS

_NO_PART_OF_A_WORD = re.compile(r"[^\w\s'-]|_")
_MANY_COLOURS = frozenset(
    {
        "multicolored", "multi colored", "multi-colored", "multicoloured", "multi coloured", "multi-coloured",
        "colorful", "colourful", "rainbow", "rainbow colored", "rainbow coloured", "two-toned", "two toned",
    }
)  # fmt: skip
_COLOURS = frozenset(COLOURS) | {
    "tan", "beige", "gold", "golden", "silver", "maroon", "burgundy", "teal", "turquoise", "navy", "cream", "violet",
}  # fmt: skip
_PATTERNS = frozenset(
    {
        "striped", "stripes", "stripe", "stripped", "spotted", "dotted", "polka dot", "polka dots", "plaid", "checked",
        "checkered", "floral", "flowered", "flowery", "patterned", "printed", "camouflage", "camo", "speckled",
    }
)  # fmt: skip
_OF_SEVERAL_COLOURS = frozenset(
    {
        "soccer ball", "newspaper", "newspapers", "magazine", "magazines", "keyboard", "piano", "flag", "flags", "sign",
        "signs", "street sign", "stop sign", "traffic light", "traffic lights", "crosswalk", "police car", "poster",
        "posters", "picture", "pictures", "painting", "paintings", "photo", "photos", "rainbow", "checkerboard", "logo",
        "train", "bus", "airplane", "plane", "jet", "pizza", "sandwich", "salad", "food", "sticker", "stickers",
        "screen",
    }
)  # fmt: skip


@lru_cache(maxsize=1 << 17)
def cleaned(text: str) -> str:
    """Lower case, single spaces, no punctuation but hyphens and apostrophes within a word; it may come out empty.

    >>> cleaned(" Fire-hydrant. "), cleaned("WEARING"), cleaned("man's  shoe,"), cleaned("?")
    ('fire-hydrant', 'wearing', "man's shoe", '')
    """
    words = (word.strip("'-") for word in _NO_PART_OF_A_WORD.sub(" ", text.lower()).split())
    return " ".join(word for word in words if word)


def is_multi_coloured(attributes: Collection[str], name: str = "") -> bool:
    """Whether the name and the attributes of a thing say, or let one see, that it has no one colour.

    Annotators note one colour of a zebra, a cow or a flag, and the colour of people is that of anything about them.

    >>> is_multi_coloured(["colorful"]), is_multi_coloured(["black", "white"]), is_multi_coloured(["red", "striped"])
    (True, True, True)
    >>> is_multi_coloured(["black", "small"]), is_multi_coloured(["gray", "grey"])
    (False, False)
    >>> is_multi_coloured(["black"], "zebra")
    True
    """
    if name in _OF_SEVERAL_COLOURS or family(name) in ("person", "animal"):
        return True
    if not _MANY_COLOURS.isdisjoint(attributes) or not _PATTERNS.isdisjoint(attributes):
        return True
    words = ("gray" if word == "grey" else word for text in attributes for word in text.split())
    return len(_COLOURS.intersection(words)) > 1
