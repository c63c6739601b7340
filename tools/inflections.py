"""Writes ``english/inflections.json``: what inflect says of the words that the tables of this package have.

    python -m tools.inflections

Nearly every session asks about these, and to import inflect and ask it takes a third of a second. Other words are put
to inflect itself, so the file changes no result.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from pytest_vqamt.data.coco import COCO_CLASSES
from pytest_vqamt.language.english import nouns
from pytest_vqamt.language.english.lexical_relations import COLOURS
from pytest_vqamt.language.english.phrases import descriptions
from pytest_vqamt.language.ontology import ontology
from pytest_vqamt.language.tables import DRAWN_NAMES, toml_table

FILE = Path(nouns.__file__).with_name("inflections.json")

_TABLES = (
    DRAWN_NAMES,
    *(f"english/{name}.toml" for name in ("askable_names", "families", "families_of_kinds", "synonyms", "nouns")),
    *(f"captions/{name}.toml" for name in ("classes", "people", "phrases")),
    *(f"ontology/{name}.toml" for name in ("classes", "ontology")),
)
_NAME = re.compile("[a-zA-Z0-9'-]+(?: [a-zA-Z0-9'-]+){0,3}")
"""A text of a table that may be a name, and no sentence or path."""


def vocabulary() -> Iterator[str]:
    """The names and attributes of the tables."""
    for table in _TABLES:
        yield from filter(_NAME.fullmatch, _texts(toml_table(table)))
    yield from (*COCO_CLASSES, *descriptions(), *COLOURS, *ontology().spellings)


def _texts(value: object) -> Iterator[str]:
    """All texts of a table, and its keys."""
    match value:
        case str():
            yield value
        case dict():
            yield from value
            for each in value.values():
                yield from _texts(each)
        case list():
            for each in value:
                yield from _texts(each)


def inflections(words: Iterable[str]) -> dict[str, dict[str, str]]:
    """What inflect says of the heads and the first words of the names: plurals, singulars ("" for none), articles."""
    engine = nouns._engine()
    heads = {head for word in words if (head := nouns._parts(word)[1]).strip()}
    asked = heads | {str(engine.plural_noun(word)) for word in heads}
    singulars = {word: str(engine.singular_noun(word) or "") for word in sorted(asked)}
    # A singular counts only where its plural is the word again, so the plurals of singulars are asked for, too.
    ones = sorted(heads | set(filter(None, singulars.values())))
    firsts = {nouns.first_word(word) for word in words}
    return {
        "plural": {word: str(engine.plural_noun(word)) for word in ones},
        "singular": singulars,
        "article": {word: str(engine.a(word)).split(" ", 1)[0] for word in sorted(firsts) if word},
    }


def text() -> str:
    """The content of the file: most words by what is added or taken away, the others with their forms."""
    made = inflections(sorted(set(vocabulary())))
    rows: dict[str, dict[str, object]] = {}
    for kind, endings in nouns.ENDINGS.items():
        left = dict(made[kind])
        rows[kind] = {}
        for name, formed in endings.items():
            words = [word for word, form in left.items() if form == formed(word)]
            rows[kind][name] = " ".join(words)
            left = {word: form for word, form in left.items() if word not in words}
        rows[kind]["others"] = left
    return json.dumps(rows, ensure_ascii=False, indent=1) + "\n"


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
