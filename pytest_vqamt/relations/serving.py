"""The relations ``serving.*``: checks of a deployment, which run only where a pattern names them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from pytest_vqamt.core.case import Case, NotApplicable, Outcome, RelationInfo, Verdict
from pytest_vqamt.core.edits import FileForm
from pytest_vqamt.core.meaning import Choice, Group, truth
from pytest_vqamt.core.query import Answer, Query, Task
from pytest_vqamt.language.questions import simple, templates
from pytest_vqamt.language.questions.simple import Question
from pytest_vqamt.language.questions.templates import Asking, QuestionType
from pytest_vqamt.relations import groups
from pytest_vqamt.relations.askable_scene import AskableScene
from pytest_vqamt.relations.contrasts import about_another_picture
from pytest_vqamt.relations.control import generated_question, plain_question
from pytest_vqamt.relations.draw import Draw
from pytest_vqamt.relations.expectations import opposite_answer, same_answer, unchanged
from pytest_vqamt.relations.lexical_knowledge import ONTOLOGY, WORDNET, LexicalRelation
from pytest_vqamt.relations.presence import the_color
from pytest_vqamt.relations.rules import UNIQUE
from pytest_vqamt.relations.soundness import countable_names, salient_names

_NOTHING_ABSENT = "no kind of thing is surely absent and can be counted"
_NOTHING_LARGE = "nothing in the picture is large enough and can be counted for sure"

EXCHANGED = ("red", "blue")
"""The names that pure colours exchange where the first and the last channel are exchanged."""

_ENLARGED_PX = 2048
_LARGE_PX = 1448
"""A longer side from which on enlarging would less than double the pixels."""
_RATIO = 3
_MARGIN = (127, 127, 127)

FILLER = "This line is filler and says nothing about the picture."
LINES: Mapping[str, int] = MappingProxyType({"300-words": 30, "1500-words": 150, "6000-words": 600})
"""Lines of filler, of 10 words each, by variant."""


@dataclass(frozen=True, slots=True)
class AnotherPicture(LexicalRelation):
    """The same question gets the opposite answer about another picture, where the other answer is right.

    A server that keys a cache by the text, keeps the first picture or drops pictures gives the same answer to both. So
    does a model that is wrong about one of the two.
    """

    info = RelationInfo(
        name="serving.another_picture",
        task=Task.VQA,
        source="a check of deployments by this project: vLLM #20261, ollama #7563",
        version=2,
        settings=(WORDNET, ONTOLOGY),
        directional=("",),
    )
    expect = opposite_answer

    def derive(self, draw: Draw) -> Case | NotApplicable:
        single = groups.sample_single(draw.view, draw.choose, "object")
        if isinstance(single, NotApplicable):
            return single
        asked = simple.exists(single.group, draw.wording(simple.EXISTS_WORDINGS))
        return _of_another_picture(draw, asked, "one yes, one no")


def _of_another_picture(draw: Draw, asked: Question, expected: str) -> Case | NotApplicable:
    """Returns the case of a question about the scene's picture, and about one with another right answer."""
    query = Query(picture=draw.picture, text=asked.text, meaning=asked.meaning)
    other = about_another_picture(query, draw.corpus, draw.known)
    if other is None:
        return NotApplicable(reason="no other picture has the other answer")
    again = Question(other.query.text, other.query.meaning)
    inputs = (draw.picture, asked), (other.query.picture, again)
    return draw.case(inputs, expected=expected, presumed=other.presumed)


@dataclass(frozen=True, slots=True)
class AnotherText(LexicalRelation):
    """About one picture, a thing that is there and a thing that is not get opposite answers.

    A server that keys a cache by the picture gives the same answer to both.
    """

    info = RelationInfo(
        name="serving.another_text",
        task=Task.VQA,
        source="a check of deployments by this project",
        version=2,
        settings=(WORDNET, ONTOLOGY),
        contrast=False,
    )
    expect = opposite_answer

    def derive(self, draw: Draw) -> Case | NotApplicable:
        view = draw.view
        seen = salient_names(draw.scene)
        here, absent = [name for name in countable_names(draw.scene) if name in seen], view.countable_absent
        if not here or not absent:
            return NotApplicable(reason=_NOTHING_ABSENT if here else _NOTHING_LARGE)
        names = draw.choose.one(here), draw.choose.one(absent)
        wording = draw.wording(simple.EXISTS_WORDINGS)
        asked = [simple.exists(Group(name=name), wording) for name in draw.choose.several(names, 2)]
        return draw.case(
            draw.here(asked),
            expected="one yes, one no",
            presumed=view.is_presumed(names[1]),
        )


@dataclass(frozen=True, slots=True)
class Colours(LexicalRelation):
    """A red thing is not called blue where a blue one is called red.

    The same question ("Is the car red or blue?") is asked of a picture where red is right and of one where blue is. A
    case is violated where both answers are exchanged, as by a server that takes BGR for RGB. A model that is wrong
    about one of the pictures does not violate it: unless both answers are right, the case holds vacuously.
    """

    info = RelationInfo(
        name="serving.colours",
        task=Task.VQA,
        source="a check of deployments by this project",
        version=2,
        settings=(WORDNET, ONTOLOGY),
        contrast=False,
    )

    def derive(self, draw: Draw) -> Case | NotApplicable:
        if not draw.corpus.has_attributes:
            return NotApplicable(reason="the data has no attributes")
        asked = red_or_blue(draw)
        if asked is None:
            return NotApplicable(reason="no red or blue thing is the only one of its kind")
        expected = "not both wrong: red for blue and blue for red"
        return _of_another_picture(draw, asked, expected)

    def judge(self, case: Case, answers: Sequence[Answer]) -> Verdict:
        verdict = same_answer(case, answers)
        if verdict.outcome is Outcome.UNPARSED:
            return verdict
        first, second = (str(truth(query.meaning, query.picture.scene)) for query in case.queries)
        # Both exchanged, as BGR for RGB does; one wrong answer may be the model's own.
        if verdict.readings == (second, first):
            reason = f"red and blue are exchanged: {first} is called {second}, and {second} is called {first}"
            return Verdict(outcome=Outcome.VIOLATED, reason=reason, readings=verdict.readings)
        is_right = verdict.readings == (first, second)
        return Verdict(outcome=Outcome.HOLDS, vacuous=not is_right, readings=verdict.readings)


def red_or_blue(draw: Draw, among: Collection[str] | None = None) -> Question | None:
    """Draws a question whether a thing is red or blue, of one of the names; None if no thing is."""
    view = draw.view
    names = view.cached("red or blue", lambda: tuple(_names(view)))
    if among is not None:
        names = tuple(name for name in names if name in among)
    if not names:
        return None
    choice = Choice(what=Group(name=draw.choose.one(names)), options=draw.choose.several(EXCHANGED, 2))
    asking = Asking(type=QuestionType.ATTRIBUTE_CHOICE, meaning=choice, category="color")
    return templates.question(asking, draw.wording(templates.count(asking.type, related=False)))


def _names(view: AskableScene) -> Iterator[str]:
    """The names of which one thing is there, red or blue and of no other colour."""
    for thing in view.scene.objects:
        if thing.name in view.names and UNIQUE.check(view, thing):
            yield from (thing.name for color in the_color(thing, view) if color in EXCHANGED)


@dataclass(frozen=True, slots=True)
class Size(LexicalRelation):
    """Neither a larger picture nor a grey margin around it changes the answer.

    ``enlarged`` scales the longer side to 2,048 px. The others add a margin and scale nothing: ``padded-square`` makes
    a square, ``padded-wide`` a picture three times as wide as high, ``padded-tall`` one three times as high as
    wide. Some servers drop large pictures, or exchange width and height.
    """

    info = RelationInfo(
        name="serving.size",
        task=Task.VQA,
        source="a check of deployments by this project: ollama #13549, llama.cpp #17290",
        version=2,
        variants=("enlarged", "padded-square", "padded-wide", "padded-tall"),
        settings=(WORDNET, ONTOLOGY),
        contrast=False,
    )
    expect = unchanged

    def derive(self, draw: Draw) -> Case | NotApplicable:
        scene = draw.scene
        if not (scene.width and scene.height):
            return NotApplicable(reason="the size of the photo is not known")
        size = _size(draw.variant, scene.width, scene.height)
        if size is None:
            return NotApplicable(reason="the picture has nearly that size or shape already")
        asked = generated_question(draw.view, draw.choose)
        if isinstance(asked, NotApplicable):
            return asked
        width, height = size
        if draw.variant == "enlarged":
            resized = draw.picture.rescale(width, height)
        else:
            across, down = width - scene.width, height - scene.height
            left, top = across // 2, down // 2
            resized = draw.picture.pad(left=left, top=top, right=across - left, bottom=down - top, colour=_MARGIN)
        return draw.case(draw.before_and_after(asked, resized), expected="first = second")


def _size(variant: str, width: int, height: int) -> tuple[int, int] | None:
    """The width and height of the variant in pixels; None where the picture is nearly like that."""
    longer = max(width, height)
    match variant:
        case "enlarged":
            scale = _ENLARGED_PX / longer
            return (round(scale * width), round(scale * height)) if longer < _LARGE_PX else None
        case "padded-square":
            # A picture that is a square but for a tenth would hardly change.
            return (longer, longer) if 10 * min(width, height) < 9 * longer else None
        case "padded-wide":
            return (_RATIO * height, height) if width < 2 * height else None
        case _:
            return (width, _RATIO * width) if height < 2 * width else None


@dataclass(frozen=True, slots=True)
class StoredForm(LexicalRelation):
    """The same pixels get the same answer in another form of PNG file: with alpha, with a palette, as grayscale.

    The first picture is a plain RGB file of the same pixels: of 256 colours for ``palette``, grey for ``grayscale``.
    Only models behind HTTP get a file; all others get the same pixels twice.
    """

    info = RelationInfo(
        name="serving.file_form",
        task=Task.VQA,
        source="a check of deployments by this project",
        version=2,
        variants=tuple(form.value for form in (FileForm.ALPHA, FileForm.PALETTE, FileForm.GRAYSCALE)),
        settings=(WORDNET, ONTOLOGY),
        exact_pixels=True,
        contrast=False,
    )
    expect = unchanged

    def derive(self, draw: Draw) -> Case | NotApplicable:
        asked = generated_question(draw.view, draw.choose)
        if isinstance(asked, NotApplicable):
            return asked
        form = FileForm(draw.variant)
        # The plain file has the reduced colours, too, so that only the form of the file differs.
        plain, stored = (draw.picture.store(form, plain=plain) for plain in (True, False))
        return draw.case(((plain, asked), (stored, asked)), expected="first = second")


def with_filler(text: str, lines: int) -> str:
    """The text below so many lines of filler.

    >>> with_filler("How many dogs?", 1).splitlines()
    ['This line is filler and says nothing about the picture.', 'How many dogs?']
    """
    return "\n".join([*[FILLER] * lines, text])


@dataclass(frozen=True, slots=True)
class LongText(LexicalRelation):
    """Text about nothing before the question changes no answer.

    A server that cuts what is longer than its context loses the picture, which stands before the text. One that decodes
    short prompts with the padding of longer ones gives the short question a wrong answer where both are in a batch.
    """

    info = RelationInfo(
        name="serving.long_text",
        task=Task.VQA,
        source="a check of deployments by this project: ollama #7484, mlx-vlm PR 1542",
        version=2,
        variants=tuple(LINES),
        settings=(WORDNET, ONTOLOGY),
        contrast=False,
    )
    expect = unchanged

    def derive(self, draw: Draw) -> Case | NotApplicable:
        asked = plain_question(draw.view, draw.choose)
        if isinstance(asked, NotApplicable):
            return asked
        again = replace(asked, text=with_filler(asked.text, LINES[draw.variant]))
        return draw.case(draw.here((asked, again)), expected="first = second")
