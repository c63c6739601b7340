"""Reads questions in six languages back into what they ask, by a grammar and a dictionary of its own for each.

The files ``*.words`` have sentences with slots in angle brackets, and dictionaries as a learner has them. What fills a
slot is worked out by the rules of the language: articles, plurals, elision, agreement, measure words. A "named"
sentence chooses between the names of colours, which are masculine.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TypeAlias

Slots: TypeAlias = Mapping[str, str]
"""What a noun puts into each slot."""


@dataclass(frozen=True, slots=True)
class Reading:
    """The kind of a question, the English names that its noun may stand for, and the English colours it offers."""

    kind: str
    names: frozenset[str]
    colours: tuple[str, ...] = ()


def read(text: str, code: str) -> Reading:
    """The one thing that the text asks.

    Raises:
        ValueError: no sentence of the grammar is the text, or several are.
    """
    body = text.removesuffix(" Answer in English.")
    found = set(_readings(body, code)) if body != text else set()
    if len(found) != 1:
        raise ValueError(f"expected a question with one reading but got {text=!r} with {found}")
    return found.pop()


def _readings(body: str, code: str) -> Iterator[Reading]:
    for kind, sentence in _sentences(code):
        match = sentence.fullmatch(body)
        if match is None:
            continue
        said = match.groupdict()
        offered = [said.pop(f"colour{place}") for place in "12" if f"colour{place}" in said]
        entries = [(name, slots) for name, slots in _entries(code) if said.items() <= slots.items()]
        genders = {"m" if kind == "named" else slots["colours"] for _, slots in entries}
        for gender in genders:
            colours = tuple(_colour(word, gender, code) for word in offered)
            if "" not in colours:
                names = frozenset(name for name, slots in entries if kind == "named" or slots["colours"] == gender)
                yield Reading("choice" if kind == "named" else kind, names, colours)


@cache
def _section(code: str, name: str) -> tuple[str, ...]:
    text = Path(__file__).with_name(f"{code}.words").read_text(encoding="utf-8")
    lines = text.partition(f"[{name}]\n")[2].partition("\n[")[0].splitlines()
    return tuple(line for line in lines if line and not line.startswith("#"))


@cache
def _sentences(code: str) -> tuple[tuple[str, re.Pattern[str]], ...]:
    found = []
    for line in _section(code, "sentences"):
        kind, _, sentence = line.partition(": ")
        literal = re.escape(sentence).replace(r"\ ", " ")
        found.append((kind, re.compile(re.sub(r"<(\w+)>", _slot, literal))))
    return tuple(found)


def _slot(found: re.Match[str]) -> str:
    width = {"colour1": r"\S+?", "colour2": r"\S+?", "how_many": "(?:何\\w|いくつ)"}.get(found[1], ".+?")
    return f"(?P<{found[1]}>{width})"


@cache
def _entries(code: str) -> tuple[tuple[str, Slots], ...]:
    """English names with the slots that their nouns fill."""
    found = []
    for line in _section(code, "nouns"):
        grammar, _, entries = line.partition(": ")
        for entry in entries.split("; "):
            name, _, word = entry.partition(" ")
            found.append((name.replace("|", " "), RULES[code](grammar, word)))
    return tuple(found)


def _colour(word: str, gender: str, code: str) -> str:
    """The English colour; "" for another form than the gender's."""
    row = next((row.split() for row in _section(code, "colours") if row.startswith(f"{gender} ")), [])
    return dict(pair.split("=")[::-1] for pair in row[1:]).get(word, "")


def names(code: str) -> frozenset[str]:
    """The English names that the dictionary has."""
    return frozenset(name for name, _ in _entries(code))


# The rules of each language.


def _german(grammar: str, word: str) -> Slots:
    article, _, ending = grammar.partition(" -")
    stem, _, other = word.rstrip("^!").partition("+")
    weak = stem + ("n" if stem.endswith("e") else "en")
    changed = re.sub(r"(au|[aouA])(?=[^aou]*$)", lambda m: _UMLAUTS[m[0]], stem) if word.endswith("^") else stem
    many = weak if word.endswith("!") else stem + other if other else changed + ending
    if ending == "kteen":
        many = stem.removesuffix("ktus") + ending
    indefinite = "eine" if article == "die" else "ein"
    return {
        "ein": f"{indefinite} {stem}",
        "einen": f"{'einen' if article == 'der' else indefinite} {weak if word.endswith('!') else stem}",
        "der": f"{article} {stem}",
        "der_abgebildete": f"{article} abgebildete {stem}",
        "many": many,
        "colours": "all",
    }


_UMLAUTS = {"au": "äu", "a": "ä", "o": "ö", "u": "ü", "A": "Ä"}


def _whole(word: str, plural_of: Callable[[str], str]) -> tuple[str, str]:
    """Singular and plural of an entry: its first word is put into the plural, and adjectives that agree."""
    bare = word.lstrip("*")
    if bare.startswith("="):
        return bare[1:].replace("_", " "), bare[1:].replace("_", " ")
    if bare.startswith("+"):
        return bare[1:], bare[1:] + "s"
    head, mark, rest = re.fullmatch(r"([^_&]+)([_&]?)(.*)", bare).groups()  # type: ignore[union-attr]  # it matches all
    after = plural_of(rest) if mark == "&" else rest
    spaced = [" ".join((one, more.replace("_", " "))).strip() for one, more in ((head, rest), (plural_of(head), after))]
    return spaced[0], spaced[1]


def _french_plural(word: str) -> str:
    if word[-1] in "sxz":
        return word
    if word.endswith("al"):
        return word[:-2] + "aux"
    return word + ("x" if word.endswith(("eau", "eu")) else "s")


def _french(gender: str, word: str) -> Slots:
    one, many = _whole(word, _french_plural)
    elided = one[0] in "aeiouéèêîô" or (one[0] == "h" and not word.startswith("*"))
    the = "l'" if elided else {"m": "le ", "f": "la "}[gender]
    return {
        "un": f"{'un' if gender == 'm' else 'une'} {one}",
        "le": the + one,
        "Le": the.capitalize() + one,
        "de": f"d'{many}" if elided else f"de {many}",
        "il": {"m": "il", "f": "elle"}[gender],
        "colours": gender,
    }


_UNACCENTED = str.maketrans("áéíóú", "aeiou")


def _spanish_plural(word: str) -> str:
    if word[-1] in "aeiouáéó":
        return word + "s"
    if word[-1] in "ns" and word[-2] in "áéíóú":  # the stress stays where it is, and needs no accent
        return word[:-2] + word[-2].translate(_UNACCENTED) + word[-1] + "es"
    return word.removesuffix("z") + ("ces" if word.endswith("z") else "es")


def _spanish(gender: str, word: str) -> Slots:
    one, many = _whole(word, _spanish_plural)
    masculine = gender == "m" or word.startswith("*")
    return {
        "un": f"{'un' if masculine else 'una'} {one}",
        "algun": f"{'algún' if masculine else 'alguna'} {one}",
        "el": f"{'el' if masculine else 'la'} {one}",
        "El": f"{'El' if masculine else 'La'} {one}",
        "cuantos": f"{'cuántos' if gender == 'm' else 'cuántas'} {many}",
        "Cuantos": f"{'Cuántos' if gender == 'm' else 'Cuántas'} {many}",
        "colours": gender,
    }


def _portuguese_plural(word: str) -> str:
    if "-" in word:
        return "-".join(map(_portuguese_plural, word.split("-")))
    for ending, plural in (("ão", "ões"), ("m", "ns"), ("r", "res"), ("z", "zes")):
        if word.endswith(ending):
            return word.removesuffix(ending) + plural
    return word + "s"


def _portuguese(gender: str, word: str) -> Slots:
    one, many = _whole(word, _portuguese_plural)
    o = {"m": "o", "f": "a"}[gender]
    return {
        "um": f"{'um' if gender == 'm' else 'uma'} {one}",
        "algum": f"{'algum' if gender == 'm' else 'alguma'} {one}",
        "o": f"{o} {one}",
        "O": f"{o.upper()} {one}",
        "do": f"d{o} {one}",
        "quantos": f"quant{o}s {many}",
        "Quantos": f"Quant{o}s {many}",
        "many": many,
        "vistos": f"vist{o}s",
        "colours": gender,
    }


def _chinese(measure: str, word: str) -> Slots:
    return {"one": word, "counted": measure + word, "colours": "all"}


def _japanese(grammar: str, word: str) -> Slots:
    how_many, there = grammar.split(" ")
    return {"one": word, "how_many": how_many, "is": there, "colours": "all"}


RULES: Mapping[str, Callable[[str, str], Slots]] = {
    "de": _german, "fr": _french, "es": _spanish, "pt": _portuguese, "zh": _chinese, "ja": _japanese
}  # fmt: skip
