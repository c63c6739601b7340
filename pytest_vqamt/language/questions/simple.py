"""Questions about groups of things, in as many natural wordings as a relation can want."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from pytest_vqamt.core.errors import VqamtError
from pytest_vqamt.core.meaning import Absent, Both, Count, Exists, Group, Meaning
from pytest_vqamt.language.english.nouns import is_mass, is_plural
from pytest_vqamt.language.english.phrases import join_phrases, phrase, with_indefinite


@dataclass(frozen=True, slots=True)
class Question:
    """A text and what it asks."""

    text: str
    meaning: Meaning


# How many: for one group, and for several together. The second asks for the total in words, because "how many cats and
# dogs" alone may be answered with two numbers.
_COUNT = (
    ("How many {} are there in the picture?", "How many {} are there in the picture altogether?"),
    ("What is the number of {} in the picture?", "What is the total number of {} in the picture?"),
    ("How many {} can you see in the picture?", "How many {} can you see in the picture altogether?"),
    ("How many {} does the picture show?", "How many {} does the picture show in all?"),
    ("How many {} are visible in the image?", "How many {} are visible in the image altogether?"),
    ("In the picture, how many {} are there?", "In the picture, how many {} are there altogether?"),
    ("What is the number of {} in the image?", "What is the combined number of {} in the image?"),
    ("Looking at the picture, how many {} do you see?", "Looking at the picture, how many {} do you see in all?"),
    ("How many {} appear in the picture?", "How many {} appear in the picture altogether?"),
    ("How many {} does the image contain?", "How many {} does the image contain altogether?"),
    ("How many {} can be found in the image?", "How many {} can be found in the image altogether?"),
)

# Yes or no. What stands in braces depends on the noun (see `_fillings`): whether it is counted, a plural or a mass.
_EXISTS = (
    "{is_one} there {some} in the picture?",
    "{is_many} there {any_many} in the image?",
    "Does the picture show {some}?",
    "Can you see {some} in the picture?",
    "{is_one} there {any_one} in this image?",
    "Do you see {any_many} in the picture?",
    "{is_one} {some} visible in the image?",
    "Does the image contain {any_many}?",
    "Does the picture have {some} in it?",
    "In the picture, {is_one} there {some}?",
    "Can {any_many} be found in the picture?",
    "Looking at the picture, do you see {some}?",
)
_ABSENT = (
    "{is_one} there no {one} in the picture?",
    "{is_many} there no {many} in the image?",
    "Does the picture show no {many}?",
    "Is the picture without {any_many}?",
    "Is it true that there {is_one} no {one} in the picture?",
    "{is_many} {many} absent from the picture?",
    "Is the image free of {many}?",
    "Does the image contain no {many}?",
    "{is_many} no {many} visible in the picture?",
    "In the picture, {is_many} there no {many}?",
    "Is it correct that the picture shows no {many}?",
)

# Whether there is one or more of each. The verb agrees with the first noun, as it does in speech ("is there a cup and
# scissors"). "Both" falls away where just one group is left to ask about.
_ONE_OF_EACH = (
    "{is_one} there {ones} in the picture?",
    "Does the picture show {ones}?",
    "Can you see {both}{ones} in the picture?",
    "Does the image contain {both}{ones}?",
    "Does the picture have {ones} in it?",
    "Do you see {ones} in the image?",
)
_SOME_OF_EACH = (
    "{is_many} there {many} in the picture?",
    "Does the picture show {both}{many}?",
    "Can you see {many} in the image?",
    "Does the image contain {many}?",
)

COUNT_WORDINGS = len(_COUNT)
EXISTS_WORDINGS = len(_EXISTS)
ABSENT_WORDINGS = len(_ABSENT)
BOTH_IN_THE_SINGULAR = len(_ONE_OF_EACH)
"""So many wordings of ``both``, the first, say "a cup and a dog"; the others say "cups and dogs"."""
BOTH_WORDINGS = BOTH_IN_THE_SINGULAR + len(_SOME_OF_EACH)


def count(groups: Group | Sequence[Group], wording: int = 0) -> Question:
    """How many things of the group, or of all the groups together, there are.

    The nouns are said again for each group ("standing giraffes and lying giraffes", as MetaVQA has it), so that two
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
    return _count(every, _checked(wording, COUNT_WORDINGS))


def exists(group: Group, wording: int = 0) -> Question:
    """Whether there is any.

    >>> exists(Group(name="orange")).text, exists(Group(name="scissors")).text
    ('Is there an orange in the picture?', 'Are there any scissors in the picture?')

    Raises:
        VqamtError: there is no such wording.
    """
    return Question(_worded(_EXISTS[_checked(wording, EXISTS_WORDINGS)], group), Exists(group=group))


def absent(group: Group, wording: int = 0) -> Question:
    """Whether there is none.

    >>> absent(Group(name="dog"), 3).text
    'Is the picture without any dogs?'

    Raises:
        VqamtError: there is no such wording.
    """
    return Question(_worded(_ABSENT[_checked(wording, ABSENT_WORDINGS)], group), Absent(group=group))


def both(groups: Group | Sequence[Group], wording: int = 0) -> Question:
    """Whether there is one or more of each group; of one group alone, the same with no word of another.

    >>> fruit = Group(name="apple"), Group(name="banana")
    >>> both(fruit).text, both(fruit[0]).text
    ('Is there an apple and a banana in the picture?', 'Is there an apple in the picture?')
    >>> both(fruit, BOTH_IN_THE_SINGULAR).text
    'Are there apples and bananas in the picture?'

    Raises:
        VqamtError: there is no group, or no such wording.
    """
    every = (groups,) if isinstance(groups, Group) else tuple(groups)
    return _both(every, _checked(wording, BOTH_WORDINGS))


@lru_cache(maxsize=65536)
def _both(groups: tuple[Group, ...], wording: int) -> Question:
    if not groups:
        raise VqamtError("Expected at least one group to ask about, but got groups=()")
    first = _fillings(groups[0])
    text = (*_ONE_OF_EACH, *_SOME_OF_EACH)[wording].format(
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
        if is_mass(group.name):
            raise VqamtError(
                f"Expected a noun that can be counted, but got name={group.name!r}: ask whether there is any"
            )
    one, several = _COUNT[wording]
    nouns = join_phrases(phrase(group, "plural") for group in groups)
    return Question((one if len(groups) == 1 else several).format(nouns), Count(groups=groups))


@lru_cache(maxsize=65536)
def _worded(wording: str, group: Group) -> str:
    text = wording.format_map(_fillings(group))
    return text[0].upper() + text[1:]


@lru_cache(maxsize=65536)
def _fillings(group: Group) -> dict[str, str]:
    """What the wordings need of a group: of a dog, "a dog"; of scissors, "any scissors"; of grass, "any grass"."""
    one, many = phrase(group, "singular"), phrase(group, "plural")
    mass, several = is_mass(group.name), is_plural(group.name)
    return {
        "one": one,
        "many": many,
        "some": f"any {one}" if mass or several else with_indefinite(group),
        "any_one": f"any {one}",
        "any_many": f"any {many}",
        "is_one": "are" if several else "is",
        "is_many": "is" if mass else "are",
    }


def _checked(wording: int, known: int) -> int:
    if not 0 <= wording < known:
        raise VqamtError(f"Expected a wording from 0 to {known - 1}, but got wording={wording!r}")
    return wording
