"""Edits of a picture that change the right answer to a question.

What is asked about is covered, or one is inserted; the picture is mirrored where left and right are asked about.

What may be covered or inserted follows ``metavqa.removal_plus`` and ``metavqa.insertion_plus``: nothing of the thing
stays, nothing else goes with it, and what is inserted is whole and the best of its name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.case import Change, NotApplicable
from pytest_vqamt.core.corpus import CutoutEntry
from pytest_vqamt.core.meaning import Choice, Count, Entails, Group, Has, Located, Meaning, groups_of, members
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.scene import Thing
from pytest_vqamt.relations.askable_scene import AskableScene
from pytest_vqamt.relations.edits import ERASE, Eraser, make_eraser, only_worn_items, sample_insertion, wholly_removable
from pytest_vqamt.relations.rules import SALIENT, UNTOUCHED
from pytest_vqamt.relations.soundness import certain_properties, countable_names
from pytest_vqamt.relations.spatial import LEVEL
from pytest_vqamt.relations.sure_answers import group_in
from pytest_vqamt.sampling.chooser import Chooser

MAX_COVERED = 2
"""The most things that are covered for one contrast."""


@dataclass(frozen=True, slots=True)
class EditedPicture:
    """A picture after an edit; ``change`` of a count is certain even where the count itself is not."""

    picture: Picture
    """The picture with the edit."""
    change: Change | None = None
    """How the right answer changes; None where the truths before and afterwards decide it."""


def edited_pictures(meaning: Meaning, view: AskableScene, choose: Chooser) -> Iterator[EditedPicture]:
    """Yields pictures of the scene after an edit of what the meaning is about, in a random order."""
    if isinstance(meaning, Located) and meaning.side in LEVEL:
        yield EditedPicture(view.scene.picture.mirror())
    # "The red car" must be there for the question to make sense; covering it leaves no right answer.
    if isinstance(meaning, Has | Choice | Located):
        return
    eraser = view.cached("eraser", lambda: make_eraser(ERASE.default, "", view.corpus))
    assert isinstance(eraser, Eraser)  # white needs nothing
    groups = groups_of(meaning)
    for group in choose.several(groups, len(groups)):
        others = [each for each in groups if each is not group]
        yield from _covered(meaning, group, others, view, eraser, choose)
        yield from _with_one_more(meaning, group, others, view, choose)


def _covered(
    meaning: Meaning, group: Group, others: list[Group], view: AskableScene, eraser: Eraser, choose: Chooser
) -> Iterator[EditedPicture]:
    """Yields the picture with one counted thing covered, or with all things of the group covered."""
    here = group_in(group, view)
    # A white patch may pass for a book or a sign, if that is what is counted.
    if here is None or not eraser.excluded_names.isdisjoint(each.name for each in (group, *others)):
        return
    # Nor is it asked for white things, of which the patch might be one.
    if any(word in eraser.excluded_words for each in (group, *others) for word in each.attributes):
        return
    found = members(here, view.scene)
    if not found:
        return
    patches = _patches(view)
    free = [thing for thing in found if thing.id in patches and SALIENT.check(thing, view.scene)]
    if isinstance(meaning, Count):
        if not free or not _is_counted(group, view):
            return
        thing = choose.one(free)
        if _is_certain(thing, group) and all(_stays_apart(each, thing, view) for each in others):
            yield EditedPicture(eraser.erase(view.scene.picture, patches[thing.id]), Change.LESS)
    # Existence changes only if all of them go.
    elif 0 < len(free) == len(found) <= MAX_COVERED:
        picture = view.scene.picture
        for thing in free:
            picture = eraser.erase(picture, patches[thing.id])
        yield EditedPicture(picture)


def _patches(view: AskableScene) -> Mapping[str, Box]:
    """The patches under which a thing is gone, by its id."""

    def find() -> Mapping[str, Box]:
        return {thing.id: patch for thing, patch in wholly_removable(view.scene, view.corpus)}

    return view.cached("patches", find)


def _with_one_more(
    meaning: Meaning, group: Group, others: list[Group], view: AskableScene, choose: Chooser
) -> Iterator[EditedPicture]:
    """Yields the picture with one more counted thing, or with a thing where the answer is that there is none."""
    # A cut-out is of one name, stands on no table, and a hypothesis says more of a thing than that it is there.
    if group.covers or group.related or isinstance(meaning, Entails):
        return
    if isinstance(meaning, Count):
        if not _is_counted(group, view):
            return
    # One more changes no answer of existence where there is one.
    elif members(group, view.scene):
        return

    def suits(entry: CutoutEntry, name: str) -> bool:
        if not only_worn_items(entry.alongside, name):
            return False
        # The cut-out's scene is looked up only for what depends on it: there are thousands of cut-outs.
        return not group.attributes or _is_certain(view.corpus.scene(entry.index).thing(entry.thing), group)

    inserted = sample_insertion(view.scene, view.corpus, choose, (group.name,), suits)
    if isinstance(inserted, NotApplicable) or not inserted.is_whole:
        return
    if isinstance(meaning, Count):
        # The other groups' numbers must stay, or the sum would change by more than one.
        if all(inserted.keeps_count_of(each.name, view.scene) for each in others if each.name != group.name):
            yield EditedPicture(inserted.picture, Change.MORE)
    else:
        yield EditedPicture(inserted.picture)


def _is_counted(group: Group, view: AskableScene) -> bool:
    """True if one thing more or less of this name changes the count by one."""
    return not group.covers and not group.related and group.name in countable_names(view.scene)


def _is_certain(thing: Thing, group: Group) -> bool:
    """True if the thing surely is in the group, and in none of the same name with other attributes."""
    return not group.attributes or certain_properties(thing) == group.attributes


def _stays_apart(other: Group, thing: Thing, view: AskableScene) -> bool:
    """True if the number of the other group is the same without the thing."""
    return other.name == thing.name or UNTOUCHED.check(other.name, thing.name, view.scene)
