"""Questions in a user's own wordings: ``--vqamt-option wordings=FILE``.

The file is TOML with an array of tables for each kind of question::

    [[exists]]
    text = "is there {a} ?"             # "a red cup"; {noun} is "red cup"
    many = "are there any {nouns} ?"    # for nouns without a singular (scissors)
    negated = "is there no {noun} ?"
    many_negated = "are there no {nouns} ?"

    [[count]]
    text = "how many {nouns} ?"

``both`` and ``either`` (with ``{all}``, "a dog and a cat", and ``negated``), ``has`` (``{the}``, ``{attribute}``),
``choice`` (``{the}``, ``{options}``) and ``located`` (``{the}``, ``{side}``, ``{other}``) are made alike.
"""

from __future__ import annotations

import string
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from pytest_vqamt.core.case import Case, NotApplicable, RelationInfo, Verdict
from pytest_vqamt.core.codec import replace
from pytest_vqamt.core.errors import OptionError, did_you_mean
from pytest_vqamt.core.input_files import parse_toml, read_text
from pytest_vqamt.core.meaning import (
    Absent,
    Both,
    Choice,
    Count,
    Either,
    Exists,
    Group,
    Has,
    Located,
    Meaning,
    Neither,
    NotBoth,
    Side,
)
from pytest_vqamt.core.query import Answer, Query, Task
from pytest_vqamt.core.text import visible
from pytest_vqamt.language.english.nouns import is_mass, is_plural
from pytest_vqamt.language.english.phrases import definite, join_phrases, phrase, predicative, with_indefinite
from pytest_vqamt.language.translations.translated import ANSWER_IN_ENGLISH
from pytest_vqamt.relations.base import Relation
from pytest_vqamt.relations.draw import Draw

Template: TypeAlias = Mapping[str, str]

_FILLINGS: Mapping[str, frozenset[str]] = {
    "exists": frozenset({"a", "noun", "nouns"}),
    "count": frozenset({"nouns"}),
    "both": frozenset({"all"}),
    "either": frozenset({"all"}),
    "has": frozenset({"the", "attribute"}),
    "choice": frozenset({"the", "options"}),
    "located": frozenset({"the", "side", "other"}),
}
_ALL_NEEDED = frozenset({"has", "choice", "located"})
"""Kinds of which a text without one of the fillings would ask something else."""
_FORMS: Mapping[str, tuple[str, ...]] = {
    "exists": ("text", "many", "negated", "many_negated"),
    "both": ("text", "negated"),
    "either": ("text", "negated"),
}
"""The texts that a template of a kind has; others have just ``text``."""
_SIDES = {Side.LEFT: "left of", Side.RIGHT: "right of", Side.ABOVE: "above", Side.BELOW: "below"}


@dataclass(frozen=True, slots=True)
class Wordings:
    """The templates of a file."""

    by_kind: Mapping[str, tuple[Template, ...]]
    """The templates of each kind of question ("exists", "count")."""

    def text(self, meaning: Meaning, wording: int) -> str | None:
        """The text of a question in the given wording, counted round; None if the file has none for the meaning."""
        found = _kind(meaning)
        if found is None or not (templates := self.by_kind.get(found[0])):
            return None
        return templates[wording % len(templates)][found[1]].format_map(_fillings(meaning))


def read_wordings(file: Path) -> Wordings:
    """Reads a file and checks the forms and the fillings of each template.

    Raises:
        OptionError: the file cannot be read or has no template; or a template lacks a form or a filling, has a filling
            that it cannot have, or asks the same in two forms.
    """
    try:
        table = parse_toml(read_text(file))
    except (OSError, ValueError) as error:
        raise OptionError(f"Expected a TOML file of wordings, but got wordings={str(file)!r} ({error})") from error
    for kind in table:
        if kind not in _FILLINGS:
            raise OptionError(
                f"Expected a kind of question, but got unknown kind [[{visible(kind)}]] in wordings={str(file)!r}; "
                f"{did_you_mean(kind, _FILLINGS)}"
            )
    by_kind = {kind: tuple(_checked(file, kind, rows)) for kind, rows in table.items()}
    if not any(by_kind.values()):
        raise OptionError(f"wordings {str(file)!r}: expected a table such as [[count]], but got none")
    return Wordings(by_kind)


def _checked(file: Path, kind: str, rows: object) -> list[Template]:
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise OptionError(f"wordings {str(file)!r}: expected tables [[{kind}]], but got [{kind}]")
    forms = _FORMS.get(kind, ("text",))
    for place, row in enumerate(rows, start=1):
        where = f"wordings {str(file)!r}, [[{kind}]] number {place}"
        if set(row) != set(forms):
            raise OptionError(f"{where}: expected the texts {', '.join(forms)}, but got {', '.join(row) or 'none'}")
        for form, text in row.items():
            _check_text(kind, text, f"{where}: expected {form}")
        for form in ("text", "many"):
            # The same text for a question and its negation would violate negation for every model.
            for negated in ("negated", "many_negated"):
                if row.get(form) == row.get(negated, ""):
                    raise OptionError(
                        f"{where}: expected {negated} to ask the opposite of {form}, but got {row[form]!r} as both"
                    )
    return list(rows)


def _check_text(kind: str, text: object, expected: str) -> None:
    if not isinstance(text, str):
        raise OptionError(f"{expected} to be a text, but got {text!r}")
    try:
        parts = [part for part in string.Formatter().parse(text) if part[1] is not None]
    except ValueError as error:
        raise OptionError(f"{expected} = {text!r} to be a template: {error}") from error
    used, known = {name for _, name, _, _ in parts}, _FILLINGS[kind]
    needs_all = kind in _ALL_NEEDED
    has_names_alone = not any(spec or conversion for _, _, spec, conversion in parts)
    if not used or not used <= known or not has_names_alone or (needs_all and used != known):
        which = (" and " if needs_all else ", ").join(f"{{{name}}}" for name in sorted(known))
        raise OptionError(f"{expected} with {'the fillings' if needs_all else 'fillings of'} {which}, but got {text!r}")


def _kind(meaning: Meaning) -> tuple[str, str] | None:
    """The kind and the form of a meaning."""
    match meaning:
        case Exists(group=group) | Absent(group=group):
            many = "many_" if is_plural(group.name) else ""
            negated = isinstance(meaning, Absent)
            return "exists", f"{many}negated" if negated else many.rstrip("_") or "text"
        case Both() | NotBoth():
            return "both", "negated" if isinstance(meaning, NotBoth) else "text"
        case Either() | Neither():
            return "either", "negated" if isinstance(meaning, Neither) else "text"
        case Count() | Has() | Choice() | Located():
            return type(meaning).__name__.lower(), "text"
        case _:
            return None


def _fillings(meaning: Meaning) -> Mapping[str, str]:
    match meaning:
        case Exists(group=group) | Absent(group=group):
            return {"a": with_indefinite(group), "noun": phrase(group, "singular"), "nouns": _plural(group)}
        case Count(groups=groups):
            return {"nouns": join_phrases(map(_plural, groups))}
        case Both(groups=groups) | NotBoth(groups=groups):
            return {"all": join_phrases(map(with_indefinite, groups))}
        case Either(groups=groups) | Neither(groups=groups):
            return {"all": join_phrases(map(with_indefinite, groups), "or")}
        case Has(group=group, attribute=attribute):
            return {"the": definite(group), "attribute": predicative(attribute, "singular")}
        case Choice(what=group, options=options):
            return {"the": definite(group), "options": join_phrases(options, "or")}
        case Located(group=group, side=side, other=other):
            return {"the": definite(group), "side": _SIDES[side], "other": definite(other)}
        case _:
            return {}


def _plural(group: Group) -> str:
    return phrase(group, "singular" if is_mass(group.name) else "plural")


class RewordedRelation:
    """A relation whose questions are in a user's wordings.

    Other tasks than questions, and relations that are about their texts, are left as they are.
    """

    def __init__(self, relation: Relation, wordings: Wordings) -> None:
        self._relation = relation
        self._wordings = wordings

    def __getattr__(self, name: str) -> object:
        return getattr(self._relation, name)

    @property
    def info(self) -> RelationInfo:
        return self._relation.info

    def derive(self, draw: Draw) -> Case | NotApplicable:
        found = self._relation.derive(draw.of(self._relation))
        if isinstance(found, NotApplicable) or self.info.fixed_texts:
            return found
        return self._reworded(found)

    def judge(self, case: Case, answers: Sequence[Answer]) -> Verdict:
        return self._relation.judge(case, answers)

    def _reworded(self, case: Case) -> Case | NotApplicable:
        texts: dict[Meaning, list[str]] = {}
        queries: list[Query] = []
        for query in case.queries:
            # Captions have no question of ours, and hypotheses are sentences.
            if query.task is not Task.VQA:
                return case
            if query.text.endswith(ANSWER_IN_ENGLISH):  # a question in another language
                queries.append(query)
                continue
            # A second wording of one meaning (carets.rephrase) gets the user's second template.
            known = texts.setdefault(query.meaning, [])
            if query.text not in known:
                known.append(query.text)
            text = self._wordings.text(query.meaning, known.index(query.text))
            if text is None:
                return NotApplicable(
                    reason=f"your wordings have none for this kind of question ({type(query.meaning).__name__})"
                )
            queries.append(replace(query, text=text))
        # With one template, rephrase would ask the same text twice and pass for any model.
        if len({query.id for query in queries}) < len({query.id for query in case.queries}):
            return NotApplicable(reason="your wordings do not tell its questions apart")
        return replace(case, queries=tuple(queries))
