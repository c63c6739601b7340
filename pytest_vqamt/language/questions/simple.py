"""Questions about the number, the presence and the places of things."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal, TypeAlias, get_args

from pytest_vqamt.core.errors import VqamtError, did_you_mean
from pytest_vqamt.core.meaning import (
    YES_OR_NO,
    Absent,
    Annotated,
    Both,
    Count,
    Exists,
    Group,
    Located,
    Meaning,
    PartCount,
    Property,
    Side,
    WhichThere,
    Written,
)
from pytest_vqamt.core.scene import PublishedTurn
from pytest_vqamt.language.english.nouns import is_mass, is_plural, plural
from pytest_vqamt.language.english.phrases import definite, join_phrases, phrase, with_indefinite
from pytest_vqamt.language.tables import toml_table

AnswerKind: TypeAlias = Literal["yes_no", "count", "choice", "text"]
"""What a question is answered by: yes or no, a number, one of its options, or what it adds to the question's words."""

_KIND_OF: Mapping[str, AnswerKind] = {"YES_NO": "yes_no", "COUNT": "count", "CHOICE": "choice"}
"""The kind for each ``QuestionForm``; none for other questions."""

_WORDINGS = toml_table("questions/wordings.toml")["simple"]
COUNT_WORDINGS = len(_WORDINGS["count"])
EXISTS_WORDINGS = len(_WORDINGS["exists"])
ABSENT_WORDINGS = len(_WORDINGS["absent"])
BOTH_IN_THE_SINGULAR = len(_WORDINGS["one_of_each"])
"""The number of wordings of ``both``, the first, with "a cup and a dog"; the others say "cups and dogs"."""
BOTH_WORDINGS = BOTH_IN_THE_SINGULAR + len(_WORDINGS["some_of_each"])
LOCATED_WORDINGS = len(_WORDINGS["located_level"])
"""The number of wordings of ``located`` for each side."""
WHICH_THERE_WORDINGS = len(_WORDINGS["which_there"])
"""The number of wordings of ``which_there``, and of its opposite."""
PROPERTY_WORDINGS = len(_WORDINGS["property"])
WRITTEN_WORDINGS = len(_WORDINGS["written"])
_OVERLAY = toml_table("questions/wordings.toml")["overlay"]
_LEAVING_ASIDE: tuple[str, ...] = tuple(_OVERLAY["leaving_aside"])
_DRAWN: tuple[str, ...] = tuple(_OVERLAY["drawn"])
LEAVING_ASIDE = len(_LEAVING_ASIDE)
"""The number of wordings of ``about_things``."""
DRAWN = len(_DRAWN)
"""The number of wordings of ``drawn``."""
PART_COUNT_WORDINGS = len(_WORDINGS["part_count"])

_SIDES = {Side.LEFT: "left", Side.RIGHT: "right", Side.ABOVE: "higher up", Side.BELOW: "lower down"}
_EDGES = {Side.ABOVE: "top", Side.BELOW: "bottom"}


@dataclass(frozen=True, slots=True)
class Question:
    """A text and its meaning."""

    text: str
    """As it is put to the model."""
    meaning: Meaning
    """What it asks, so that its right answer can be computed and answers be read."""
    turns: tuple[PublishedTurn, ...] = ()
    """Of a question of the data set, the conversation that it ends (``PublishedQuestion.turns``); mostly none."""

    @classmethod
    def free(cls, text: str, kind: AnswerKind | None = None, options: Sequence[str] = ()) -> Question:
        """A question in any words, about what no annotation says: its right answer stays unknown.

        Its answers are read, and relations compare them. It has no contrast, and a model that knows the annotations,
        such as the oracle, declines it.

        Args:
            text: the question.
            kind: how answers are read; by default the form of the text decides, and "choice" where there are options.
            options: the possible answers of a "choice".

        Raises:
            VqamtError: the text does not show the kind, or the options do not fit it.

        >>> Question.free("Would you cross the road here?").meaning.is_yes_no
        True
        >>> Question.free("What is the man doing?", options=("running", "standing")).meaning.options
        ('running', 'standing')
        """
        from pytest_vqamt.language.questions.free import form_of  # which imports this module

        kinds = get_args(AnswerKind)
        if kind is not None and kind not in kinds:
            raise VqamtError(f"Expected a kind of answer, but got kind={kind!r}; {did_you_mean(kind, kinds)}")
        if kind is None:
            kind = "choice" if options else _KIND_OF.get(form_of(text).name)
        if not text.strip() or kind is None:
            raise VqamtError(
                f"Expected a question that begins as one for yes or no or for a number, but got text={text!r}: say how "
                f"its answers are read, vqamt.Question.free({text!r}, kind='text'), or options=(...) in place of kind"
            )
        if (kind == "choice") != bool(options) or isinstance(options, str):
            raise VqamtError(
                f"Expected the possible answers for kind='choice', and for no other, but got kind={kind!r} and "
                f"options={options!r} for text={text!r}: give options=('red', 'blue') where the answer is one of them"
            )
        offered = YES_OR_NO if kind == "yes_no" else tuple(options)
        # Only answers in any words are read with the words of the question, which add nothing to them.
        words = text if kind == "text" else ""
        return cls(text, Annotated(answers=(), options=offered, question=words, is_count=kind == "count"))


def count(groups: Group | Sequence[Group], wording: int = 0) -> Question:
    """Asks how many things of the group, or of all the groups together, there are.

    The nouns are repeated for each group ("standing giraffes and lying giraffes", as in MetaVQA), so that two
    properties are never read as two of one thing. A wording is the same for the total and for its parts.

    >>> giraffes = [Group(name="giraffe", attributes=(action,)) for action in ("standing", "lying")]
    >>> count(giraffes, 1).text
    'What is the total number of standing giraffes and lying giraffes in the picture?'
    >>> count(giraffes[0], 1).text
    'What is the number of standing giraffes in the picture?'

    Raises:
        VqamtError: there is no group, a noun is a mass, or there is no such wording.
    """
    every = (groups,) if isinstance(groups, Group) else tuple(groups)
    return _count(every, checked_wording(wording, COUNT_WORDINGS))


def exists(group: Group, wording: int = 0) -> Question:
    """Asks whether there is any.

    >>> exists(Group(name="orange")).text, exists(Group(name="scissors")).text
    ('Is there an orange in the picture?', 'Are there any scissors in the picture?')

    Raises:
        VqamtError: there is no such wording.
    """
    return Question(worded(_WORDINGS["exists"][checked_wording(wording, EXISTS_WORDINGS)], group), Exists(group=group))


def absent(group: Group, wording: int = 0) -> Question:
    """Asks whether there is none.

    >>> absent(Group(name="dog"), 3).text
    'Would you say that there are no dogs in the picture?'

    Raises:
        VqamtError: there is no such wording.
    """
    return Question(worded(_WORDINGS["absent"][checked_wording(wording, ABSENT_WORDINGS)], group), Absent(group=group))


def both(groups: Group | Sequence[Group], wording: int = 0) -> Question:
    """Asks whether there is one or more of each group.

    >>> fruit = Group(name="apple"), Group(name="banana")
    >>> both(fruit).text, both(fruit[0]).text
    ('Is there an apple and a banana in the picture?', 'Is there an apple in the picture?')
    >>> both(fruit, BOTH_IN_THE_SINGULAR).text
    'Are there apples and bananas in the picture?'

    Raises:
        VqamtError: there is no group, or no such wording.
    """
    every = (groups,) if isinstance(groups, Group) else tuple(groups)
    return _both(every, checked_wording(wording, BOTH_WORDINGS))


def located(group: Group, side: Side, other: Group, wording: int = 0) -> Question:
    """Asks whether the one thing of ``group`` is on this side of the one thing of ``other`` in the picture.

    >>> dog, car = Group(name="dog"), Group(name="car")
    >>> located(dog, Side.LEFT, car).text, located(dog, Side.ABOVE, car).text
    ('Is the dog to the left of the car in the picture?', 'Is the dog higher up in the picture than the car?')

    Raises:
        VqamtError: there is no such wording.
    """
    meaning = Located(group=group, side=side, other=other)
    return _located(meaning, checked_wording(wording, LOCATED_WORDINGS))


def which_there(groups: Sequence[Group], wording: int = 0, *, missing: bool = False) -> Question:
    """Asks which of the groups is in the picture, or which is not.

    >>> pets = Group(name="dog"), Group(name="cat")
    >>> which_there(pets).text, which_there(pets, missing=True).text
    ('Which of these is in the picture, a dog or a cat?', 'Which of these is not in the picture, a dog or a cat?')

    Raises:
        VqamtError: there is no such wording.
    """
    texts = _WORDINGS["which_missing" if missing else "which_there"]
    text = str(texts[checked_wording(wording, WHICH_THERE_WORDINGS)])
    ones = join_phrases(map(with_indefinite, groups), "or")
    return Question(text.format(ones=ones), WhichThere(groups=tuple(groups), missing=missing))


def property_of(group: Group, category: str, values: Sequence[str], wording: int = 0) -> Question:
    """Asks for a property of the one thing of the group, such as its color, which is one of ``values``.

    >>> property_of(Group(name="car"), "color", ("red", "blue")).text
    'What color is the car in the picture?'

    Raises:
        VqamtError: there is no such wording.
    """
    many = is_plural(group.name) and not is_mass(group.name)
    text = str(_WORDINGS["property"][checked_wording(wording, PROPERTY_WORDINGS)]).format_map(
        {
            "the": definite(group),
            "category": category,
            "is": "are" if many else "is",
        }
    )
    return Question(text, Property(group=group, category=category, values=tuple(values)))


def written(text: str, wording: int = 0) -> Question:
    """Asks whether a word is written in the picture.

    >>> written("DOG").text
    'Is the word "DOG" written in the picture?'

    Raises:
        VqamtError: there is no such wording.
    """
    worded = str(_WORDINGS["written"][checked_wording(wording, WRITTEN_WORDINGS)])
    return Question(worded.format(text=text), Written(text=text))


def part_count(group: Group, part: str, wording: int = 0) -> Question:
    """Asks how many parts of a name can be seen of the one thing of the group.

    >>> part_count(Group(name="dog"), "leg").text
    'How many legs of the dog can be seen in the picture?'

    Raises:
        VqamtError: there is no such wording.
    """
    worded = str(_WORDINGS["part_count"][checked_wording(wording, PART_COUNT_WORDINGS)])
    return Question(worded.format(parts=plural(part), the=definite(group)), PartCount(group=group, part=part))


def about_things(asked: Question, wording: int) -> Question:
    """The question, with words before it that leave aside what is written in the picture.

    >>> about_things(exists(Group(name="dog")), 0).text
    'Apart from any writing, is there a dog in the picture?'

    Raises:
        VqamtError: there is no such wording.
    """
    text = _LEAVING_ASIDE[checked_wording(wording, LEAVING_ASIDE)]
    # The question goes on behind a comma.
    return replace(asked, text=text.format(question=asked.text[0].lower() + asked.text[1:]))


def drawn(meaning: Meaning, wording: int) -> Question:
    """Asks for an answer to the question that is written in the picture, which has this meaning.

    Raises:
        VqamtError: there is no such wording.
    """
    return Question(_DRAWN[checked_wording(wording, DRAWN)], meaning)


def is_drawn(text: str) -> bool:
    """True if the text asks for an answer to a question that is written in the picture."""
    return text in _DRAWN


@lru_cache(maxsize=65536)
def _located(meaning: Located, wording: int) -> Question:
    # Above and below are about the picture, as of two things on the ground the farther is higher up in it.
    is_level = meaning.side not in _EDGES
    many = is_plural(meaning.group.name) and not is_mass(meaning.group.name)
    text = str(_WORDINGS["located_level" if is_level else "located_upright"][wording]).format_map(
        {
            "the": definite(meaning.group),
            "other": definite(meaning.other),
            "side": _SIDES[meaning.side],
            "edge": _EDGES.get(meaning.side, ""),
            "is": "are" if many else "is",
            "does": "do" if many else "does",
        }
    )
    return Question(text[0].upper() + text[1:], meaning)


@lru_cache(maxsize=65536)
def _both(groups: tuple[Group, ...], wording: int) -> Question:
    if not groups:
        raise VqamtError("Expected at least one group to ask about, but got groups=()")
    first = _fillings(groups[0])
    text = str((*_WORDINGS["one_of_each"], *_WORDINGS["some_of_each"])[wording]).format(
        ones=join_phrases(map(with_indefinite, groups)),
        many=join_phrases(phrase(group, "plural") for group in groups),
        both="both " if len(groups) == 2 else "",
        is_one=first["is_one"],
        is_many=first["is_many"],
    )
    meaning = Exists(group=groups[0]) if len(groups) == 1 else Both(groups=groups)
    return Question(text[0].upper() + text[1:], meaning)


@lru_cache(maxsize=65536)
def _count(groups: tuple[Group, ...], wording: int) -> Question:
    if not groups:
        raise VqamtError("Expected at least one group to count, but got groups=()")
    for group in groups:
        # "How many grass" is no question, and "how many pieces" another one.
        if is_mass(group.name):
            raise VqamtError(
                f"Expected a noun that can be counted, but got name={group.name!r}: ask whether there is any"
            )
    one, several = _WORDINGS["count"][wording]
    nouns = join_phrases(phrase(group, "plural") for group in groups)
    # "How many cats and dogs" alone may be answered by two numbers, so several ask for their total.
    return Question((one if len(groups) == 1 else several).format(nouns), Count(groups=groups))


@lru_cache(maxsize=65536)
def worded(wording: str, group: Group) -> str:
    """A wording about the group, beginning with a capital letter; "{some}" and the like agree with the noun."""
    text = wording.format_map(_fillings(group))
    return text[0].upper() + text[1:]


@lru_cache(maxsize=65536)
def _fillings(group: Group) -> dict[str, str]:
    """Returns the fillings for a group: "a dog", "any scissors", "any grass"."""
    one, many = phrase(group, "singular"), phrase(group, "plural")
    mass, several = is_mass(group.name), is_plural(group.name)
    return {
        "one": one,
        "many": many,
        "some": f"any {one}" if mass or several else with_indefinite(group),
        "any_many": f"any {many}",
        "is_one": "are" if several else "is",
        "is_many": "is" if mass else "are",
    }


def checked_wording(wording: int, known: int) -> int:
    """Returns the number of a wording if it is one of the ``known`` first.

    Raises:
        VqamtError: there is no such wording.
    """
    if not 0 <= wording < known:
        raise VqamtError(f"Expected a wording from 0 to {known - 1}, but got wording={wording!r}")
    return wording
