"""The English that the reader knows, as rewriting rules, which the files of ``english`` list.

Notation: ``NAME : way | way`` with continuation lines indented. Capitals are rewritten, small words stand for
themselves; ``?`` makes a part optional; ``!`` marks a word that negates. ``#`` stands for a number throughout its rule
(``.sg`` singular, ``.pl`` plural, ``.ms`` mass), which is how subject and verb agree. ``@`` stands for what is said of
two groups throughout its rule: one of each, not both, one at least, none of either. ``%`` stands for a side throughout
its rule: left, right, above, below; ``$`` for a kind of part, in the same way. ``a`` is "a" or "an", whichever the
next word's sound asks for. The symbols of ``LEXICAL`` are read from the lexicon.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import TypeAlias

Way: TypeAlias = tuple[str, ...]
Rules: TypeAlias = Mapping[str, tuple[Way, ...]]

NUMBERS = (".sg", ".pl", ".ms")
OF_TWO = (".both", ".missing", ".either", ".neither")
SIDES = (".left", ".right", ".above", ".below")
PARTS = (".leg", ".wheel", ".ear", ".antenna", ".drumstick", ".hand")

ONCE = {"PIC": "the picture", "A_PIC": "the picture", "HERE": "the picture", "ANYWHERE": "the picture", "TOTAL": "all"}
"""What a question mentions at most once, by the symbols that mention it."""

LEXICAL = MappingProxyType(
    {
        "NOUN": "attributes and the name of things",
        "PERSON": "the same, of people",
        "WHOEVER": "'who', of which it is asked who it is",
        "AFTER": "an attribute that follows its noun",
        "MOD": "an attribute that follows a verb and its noun",
        "LINK": "a relationship as it follows a noun, and what to",
        "LINKED": "a relationship as it follows 'is', and what to",
        "VERB": "a relationship as a verb of its own",
        "QUALITY": "an attribute that is asked about",
        "LOOKS": "the same, where one can look it",
        "VALUE": "an attribute as the value of a category",
        "NAME": "a name that is offered as an answer",
        "KIND": "the noun for a category of attributes",
        "ANY_KIND": "the same, or for a category of actions",
    }
)


def _rules() -> Rules:
    rules: dict[str, tuple[Way, ...]] = {}
    for path in sorted(Path(__file__).with_name("english").glob("*.rules")):
        name = ""
        for line in path.read_text(encoding="utf-8").splitlines():
            if not line.strip() or line.startswith("#"):
                continue
            head, _, ways = ("", "", line) if line.startswith(" ") else line.partition(":")
            name = head.strip() or name
            for sign in OF_TWO if "@" in name else SIDES if "%" in name else PARTS if "$" in name else ("",):
                for number in NUMBERS if "#" in name else ("",):
                    _add(rules, name, ways, number, sign)
    return MappingProxyType(rules)


def _add(rules: dict[str, tuple[Way, ...]], name: str, ways: str, number: str, sign: str) -> None:
    whole, spelt = (
        text.replace("@", sign).replace("%", sign).replace("$", sign).replace("#", number) for text in (name, ways)
    )
    added = tuple(tuple(way.split()) for way in spelt.split("|") if way.strip())
    rules[whole] = (*rules.get(whole, ()), *added)


RULES = _rules()
"""Every way to rewrite each symbol."""


@cache
def is_word(symbol: str) -> bool:
    """Whether the symbol stands for itself."""
    return symbol == symbol.lower() and symbol != "a"


@cache
def is_lexical(symbol: str) -> bool:
    """Whether the symbol is read from the lexicon."""
    return symbol not in RULES and symbol.partition(".")[0] in LEXICAL


@cache
def beginnings(symbol: str) -> frozenset[str] | None:
    """The words that the symbol can begin with; nothing where those of the lexicon are among them.

    Raises:
        ValueError: no rule rewrites it.
    """
    if is_lexical(symbol):
        return None
    if symbol in RULES:
        each = [_beginnings_of(way) for way in RULES[symbol]]
        known = [words for words in each if words is not None]
        return frozenset().union(*known) if len(known) == len(each) else None
    if symbol != symbol.lower():
        raise ValueError(f"expected a symbol that a rule rewrites but got symbol={symbol!r}")
    return frozenset({"a", "an"} if symbol == "a" else {symbol})


def _beginnings_of(way: Way) -> frozenset[str] | None:
    found: set[str] = set()
    for part in way:
        words = beginnings(part.strip("!?"))
        if words is None:
            return None
        found |= words
        if not part.endswith("?"):
            break
    return frozenset(found)


@cache
def ways(symbol: str, word: str) -> tuple[Way, ...]:
    """The ways to rewrite the symbol that ``word`` can begin, as far as the rules tell."""
    return tuple(way for way in RULES[symbol] if (words := _beginnings_of(way)) is None or word in words)
