"""Every template once, as a page of the documentation: ``python -m tests.language.questions.wordings_page``."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle
from pathlib import Path

from pytest_vqamt.core.meaning import Both, Choice, Either, Exists, Group, Has
from pytest_vqamt.language.questions.templates import TEMPLATES, Askable, Asking, QuestionType, question
from tests.language.questions.filled import near
from tests.making import group_of

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "relations" / "wordings.md"

_HEAD = """\
# The questions of CARETS, in every wording

Each row is one template, filled once. Two rows of a table ask the same in other words: that is what `carets.rephrase`
puts to a model. A template of the first three types has a negated partner, beside it, which is true exactly where the
question itself is false: `carets.negation`. The paper has 54, 18, 18, 25, 25, 39 and 28 templates of the seven types.
"""

_TAIL = """\
This page is written by `python -m tests.language.questions.wordings_page`;
`tests/language/questions/test_wordings_page.py` keeps it true.
"""

_Fillings = tuple[tuple[Askable, str], ...]


def _existing(*groups: Group) -> _Fillings:
    return tuple((Exists(group=group), "") for group in groups)


_RELATED = (
    near(group_of("cup"), "on", group_of("table")),
    near(group_of("man"), "holding", group_of("red umbrella")),
    near(group_of("people"), "to the left of", group_of("bus")),
    near(group_of("elephant"), "in", group_of("water")),
)
_PAIRS = (
    (group_of("dog"), group_of("cat")),
    (group_of("red apple"), group_of("scissors")),
    (group_of("people"), group_of("umbrella")),
    (group_of("grass"), group_of("white horse")),
)

_FILLINGS: dict[QuestionType, tuple[_Fillings, _Fillings]] = {
    QuestionType.OBJECT: (
        _existing(
            group_of("dog"), group_of("old clock"), group_of("scissors"), group_of("green grass"), group_of("people")
        ),
        _existing(*_RELATED),
    ),
    QuestionType.CONJUNCTION: (tuple((Both(groups=pair), "") for pair in _PAIRS), ()),
    QuestionType.DISJUNCTION: (tuple((Either(groups=pair), "") for pair in _PAIRS), ()),
    QuestionType.ATTRIBUTE: (
        (
            (Has(group=group_of("cup"), attribute="clean"), ""),
            (Has(group=group_of("jeans"), attribute="blue"), ""),
            (Has(group=group_of("table"), attribute="wood"), ""),
            (Has(group=group_of("lamp"), attribute="on"), ""),
        ),
        (
            (Has(group=near(group_of("cup"), "on", group_of("table")), attribute="clean"), ""),
            (Has(group=near(group_of("shoes"), "under", group_of("bed")), attribute="black"), ""),
            (Has(group=near(group_of("woman"), "with", group_of("dog")), attribute="tall"), ""),
        ),
    ),
    QuestionType.OBJECT_CHOICE: (
        (
            (Choice(what=group_of("black animal"), options=("dog", "cat")), ""),
            (Choice(what=group_of("brown furniture"), options=("table", "chair", "couch")), ""),
            (Choice(what=group_of("orange fruit"), options=("apple", "orange")), ""),
        ),
        (
            (Choice(what=near(group_of("animal"), "on", group_of("couch")), options=("dog", "cat")), ""),
            (Choice(what=near(group_of("vehicle"), "near", group_of("house")), options=("car", "bus", "truck")), ""),
            (Choice(what=near(group_of("clothes"), "on", group_of("bed")), options=("shorts", "dress")), ""),
        ),
    ),
    QuestionType.ATTRIBUTE_CHOICE: (
        (
            (Choice(what=group_of("cup"), options=("red", "blue")), "color"),
            (Choice(what=group_of("table"), options=("wood", "metal", "plastic")), "material"),
            (Choice(what=group_of("glasses"), options=("round", "square")), "shape"),
            (Choice(what=group_of("door"), options=("open", "closed")), ""),
        ),
        (
            (Choice(what=near(group_of("cup"), "on", group_of("table")), options=("red", "blue", "green")), "color"),
            (Choice(what=near(group_of("shelves"), "behind", group_of("desk")), options=("wood", "metal")), "material"),
            (Choice(what=near(group_of("dog"), "under", group_of("tree")), options=("small", "large")), "size"),
        ),
    ),
    QuestionType.ACTION_CHOICE: (
        (
            (Choice(what=group_of("man"), options=("standing", "sitting")), "pose"),
            (Choice(what=group_of("girls"), options=("surfing", "swimming", "skiing")), "sport"),
            (Choice(what=group_of("giraffe"), options=("eating", "drinking")), "activity"),
        ),
        (
            (Choice(what=near(group_of("man"), "wearing", group_of("hat")), options=("standing", "sitting")), "pose"),
            (Choice(what=near(group_of("people"), "in", group_of("water")), options=("surfing", "swimming")), "sport"),
            (
                Choice(what=near(group_of("dog"), "near", group_of("car")), options=("eating", "sleeping", "playing")),
                "activity",
            ),
        ),
    ),
}

_NEGATABLE = (QuestionType.OBJECT, QuestionType.CONJUNCTION, QuestionType.DISJUNCTION)


def page() -> str:
    """The page, as it stands in docs/reference/relations/wordings.md."""
    lines = [line for numbered in enumerate(QuestionType, start=1) for line in _section(*numbered)]
    return "\n".join((_HEAD, *lines, _TAIL))


def _section(number: int, type_: QuestionType) -> Iterator[str]:
    templates = TEMPLATES[type_]
    plain, related = _FILLINGS[type_]
    yield f"## Q{number}: {type_}\n"
    yield from _table(type_, len(templates.plain), plain)
    if templates.related:
        yield "With a related thing:\n"
        yield from _table(type_, len(templates.related), related)


def _table(type_: QuestionType, n: int, fillings: _Fillings) -> Iterator[str]:
    negatable = type_ in _NEGATABLE
    yield "| | question | negated |" if negatable else "| | question |"
    yield "| ---: | --- | --- |" if negatable else "| ---: | --- |"
    for template, (meaning, category) in zip(range(n), cycle(fillings), strict=False):
        asking = Asking(type=type_, meaning=meaning, category=category)
        cells = [str(template), question(asking, template).text]
        if negatable:
            cells.append(question(asking, template, negated=True).text)
        yield f"| {' | '.join(cells)} |"
    yield ""


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
