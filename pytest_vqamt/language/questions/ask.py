"""Questions for a user's own relations: of a thing, a group or just a name, in the plainest wording."""

from __future__ import annotations

from pytest_vqamt.core.meaning import Group
from pytest_vqamt.core.scene import Thing
from pytest_vqamt.language.english.nouns import lacks_singular, singular
from pytest_vqamt.language.questions import simple
from pytest_vqamt.language.questions.simple import Question


def exists(what: Thing | Group | str) -> Question:
    """Asks whether there is any: of things that bear the name of ``what``, whichever they are.

    >>> exists("dog").text
    'Is there a dog in the picture?'
    """
    return simple.exists(_group(what))


def absent(what: Thing | Group | str) -> Question:
    """Asks whether there is none.

    >>> absent("dog").text
    'Is there no dog in the picture?'
    """
    return simple.absent(_group(what))


def count(*what: Thing | Group | str) -> Question:
    """Asks how many there are; of several, all together.

    >>> count("dog", "cat").text
    'How many dogs and cats are there in the picture altogether?'

    Raises:
        VqamtError: nothing is given, or a name has no number ("water").
    """
    return simple.count([_group(each) for each in what])


def _group(what: Thing | Group | str) -> Group:
    """Returns the group: "dogs" is every thing named "dog" or "dogs"."""
    if isinstance(what, Group):
        return what
    name = what if isinstance(what, str) else what.name
    # Users name things as their data does, in the singular or the plural; the question needs the singular.
    one = name if lacks_singular(name) else singular(name)
    return Group(name=name) if one == name else Group(name=one, covers=(one, name))
