"""Which things of photos are surely recognised: those to cut out and insert, and those whose absence shows.

Annotations name corners of quilts, blurred rags and legs without a body. A thing counts as recognisable only where its
photo shows it sharply, apart from its ground, in one piece, all of it, and in the usual shape of its name, with nothing
before it. Drawn scenes need no such floors, nor do scenes without photos: there, everything is recognisable.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, islice
from math import ceil

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.case import RelationSetting
from pytest_vqamt.core.corpus import Corpus, CutoutEntry, ThingLook
from pytest_vqamt.core.errors import DataError, OptionError
from pytest_vqamt.core.identity import digest
from pytest_vqamt.core.input_files import expanded, read_text
from pytest_vqamt.core.scene import Scene, Thing
from pytest_vqamt.language.english.families import family
from pytest_vqamt.language.tables import toml_table
from pytest_vqamt.relations.base import BuiltInRelation
from pytest_vqamt.relations.rules import SALIENT

_SHAPES = "english/shapes.toml"

# The floors were set on 261 things of 40 photos of COCO that were looked at one by one.

MIN_SHARPNESS, MIN_CONTRAST, MIN_AREA_PX = 16, 18, 2000
"""As ``imaging.thing_look`` measures them. Quality is counted in multiples of these three."""
# A mask in several parts is a thing behind something: a dog behind a fence, a bench behind legs.
_MIN_LARGEST_PART = 0.95
_MAX_TOUCHED, MAX_SHARED = 0.1, 0.02
"""The most of the outline that other things touch, and of the mask that they have too: more may hide a part."""
_MAX_OPEN = 0.2
"""The longest stretch of the outline beyond which the thing may go on."""
_MIN_FULL = 0.55
"""The least share of its box that the mask of a thing of full shape covers."""
_EDGE_PX = 3
"""A thing that ends so near the edge of its photo may go on beyond it."""

_MEASURED = 24
"""The most things of a name that are measured, since that takes some 20 ms each."""

_MOVE_ABOUT = frozenset({"person", "animal", "vehicle"})
"""Families of things that may be anywhere."""

# Stricter than salience (a twelfth): an inserted thing has no surroundings that help to tell what it is.
MIN_INSERTED_SHARE = 1 / 8
"""The longer side of what is inserted into a photo, as a share of the photo's longer side, is at least this long."""
_MIN_SHORTER_SHARE = 1 / 3
"""And its shorter side this share of that."""

EXCLUDE_CUTOUTS = RelationSetting(
    name="exclude-cutouts",
    values=("none", "PATH"),
    default="none",
    meaning="a file of cut-outs that are never inserted: one SCENE/THING a line, as `vqamt describe RELATION "
    "--sheet=FILE.png` shows them; # begins a comment",
)
_COMMENT = re.compile(r"(?:^|\s)#.*")
_DIGEST_DIGITS = 12


def is_recognisable(thing: Thing, scene: Scene, corpus: Corpus) -> bool:
    """True if the thing of ``scene`` is surely recognised as what it is called.

    A thing without a mask cannot be measured, and counts as recognisable.
    """
    if corpus.look is None or not thing.has_mask:
        return True
    return _is_usual(thing, scene) and _quality(corpus.look(scene.photo, thing.id), thing) >= 1


def _is_usual(thing: Thing, scene: Scene) -> bool:
    """True if all that needs no pixels is as it must be: the name, the shape of the box, its place."""
    names, box, frame = toml_table(_SHAPES)["names"], thing.box, scene.frame
    margin = min(box.x, box.y, frame.x1 - box.x1, frame.y1 - box.y1)
    # Loose names are those of piles and look-alikes: "chair" boxes hold stools, "tv" boxes monitors.
    if thing.name in names["loose"] or margin < _EDGE_PX or not SALIENT.check(thing, scene):
        return False
    # Height by width: a person as wide as tall is a torso, or lies.
    low, high = _aspects(thing.name)
    return low <= box.h / box.w <= high


def _aspects(name: str) -> tuple[float, float]:
    aspects = toml_table(_SHAPES)["aspects"]
    # The boxes of "boy" or "skier" are to be as tall as those of "person"; a name on no list may have any shape.
    low, high = aspects.get(name) or (aspects["person"] if family(name) == "person" else (0.0, float("inf")))
    return low, high


def _quality(look: ThingLook | None, thing: Thing) -> float:
    """Returns the least multiple of the floors that the thing reaches; 0 where a part of it may be missing."""
    if look is None or look.largest_part < _MIN_LARGEST_PART or look.open_stretch > _MAX_OPEN:
        return 0.0
    # A hat belongs to who wears it: it hides nothing that one would look for.
    others = [each for each in look.neighbours if not _is_worn(each.name, thing.name)]
    if sum(each.touched for each in others) > _MAX_TOUCHED or sum(each.shared for each in others) > MAX_SHARED:
        return 0.0
    # A bus fills most of its box; one whose mask does not is half hidden behind something.
    if thing.name in toml_table(_SHAPES)["names"]["full"] and look.area_px < _MIN_FULL * thing.box.area:
        return 0.0
    # The least of the three, since a sharp thing that is tiny is no better than a large one that is blurred.
    floors = look.sharpness / MIN_SHARPNESS, look.contrast / MIN_CONTRAST, look.area_px / MIN_AREA_PX
    return round(min(floors), 2)


def _is_worn(name: str, wearer: str) -> bool:
    return family(wearer) == "person" and family(name) == "clothing"


_BEST_SHARE, _MIN_BEST = 1 / 3, 3
"""The share of the recognisable things of a name that is best, and the number that always is."""


@lru_cache(maxsize=1024)
def best_cutouts(corpus: Corpus, name: str, excluded: frozenset[str] = frozenset()) -> tuple[CutoutEntry, ...]:
    """Returns the best third of the recognisable cut-outs of a name, three at least, the best first.

    Of a name with many, 24 are measured: first those that nothing overlaps, and the largest of them first.
    """
    measured = list(islice(_measured(corpus, name, excluded), _MEASURED))
    found = sorted((-quality, entry.index, entry.thing, entry) for quality, entry in measured if quality >= 1)
    return tuple(entry for *_, entry in found[: max(_MIN_BEST, ceil(_BEST_SHARE * len(found)))])


def _measured(corpus: Corpus, name: str, excluded: frozenset[str]) -> Iterator[tuple[float, CutoutEntry]]:
    if corpus.look is None or not _is_free_standing(name):
        return
    # The sort is stable, so the largest stay first among those that nothing overlaps.
    for entry in sorted(corpus.cutouts.get(name, ()), key=lambda each: bool(each.alongside)):
        try:
            scene = corpus.scene(entry.index)
        except DataError:
            continue  # a case of that scene will name the record
        thing = scene.thing(entry.thing)
        if _is_usual(thing, scene) and cutout_id(entry, corpus) not in excluded:
            yield _quality(corpus.look(scene.photo, thing.id), thing), entry


def _is_free_standing(name: str) -> bool:
    names = toml_table(_SHAPES)["names"]
    # A sink or an oven is not told away from its place; a person or a bus is.
    return name not in names["loose"] and (family(name) in _MOVE_ABOUT or name in names["free_standing"])


def min_inserted_area(entry: CutoutEntry, frame: Box, corpus: Corpus) -> float:
    """Returns the least area at which a cut-out is recognised in ``frame``; 0 where none was measured."""
    if corpus.look is None:
        return 0.0
    least = MIN_INSERTED_SHARE * max(frame.w, frame.h)
    longer, shorter = max(entry.w, entry.h), min(entry.w, entry.h)
    return entry.area * max(least / longer, _MIN_SHORTER_SHARE * least / shorter) ** 2


# Users exclude cut-outs by their ids, which a sheet of the pool shows.


def cutout_id(entry: CutoutEntry, corpus: Corpus) -> str:
    """Returns the id for users, SCENE/THING."""
    return f"{corpus.scene(entry.index).id}/{entry.thing}"


def read_excluded(file: str) -> tuple[str, ...]:
    """Returns the ids in a file, each once, in its order; none for the default of the setting.

    Raises:
        OptionError: it cannot be read.
    """
    if file == EXCLUDE_CUTOUTS.default:
        return ()
    try:
        # The time of the last change is part of the key: a notebook may edit the file between two runs.
        return _lines(file, expanded(file).stat().st_mtime_ns)
    except OSError as error:
        raise OptionError(
            f"Expected {EXCLUDE_CUTOUTS.name} to name a text file, but got {file!r} ({error.strerror or error})"
        ) from error


@lru_cache(maxsize=8)
def _lines(file: str, _changed_ns: int) -> tuple[str, ...]:
    text = read_text(expanded(file))
    lines = (_COMMENT.sub("", line).strip() for line in text.splitlines())
    return tuple(dict.fromkeys(line for line in lines if line))


_set_of = lru_cache(maxsize=8)(frozenset[str])


@dataclass(frozen=True, slots=True, kw_only=True)
class CutoutRelation(BuiltInRelation, ABC):
    """Base class of the relations that insert cut-outs."""

    exclude_cutouts: str = EXCLUDE_CUTOUTS.default
    """The path of a file of ids that are never inserted; "none" without one."""

    @property
    def excluded(self) -> frozenset[str]:
        """The ids of cut-outs that are never inserted.

        Raises:
            OptionError: the file of the setting cannot be read.
        """
        return _set_of(read_excluded(self.exclude_cutouts))

    @property
    def resources(self) -> tuple[tuple[str, str], ...]:
        ids = read_excluded(self.exclude_cutouts)
        return (("excluded cut-outs", f"{len(ids)} ({digest(*ids)[:_DIGEST_DIGITS]})"),) if ids else ()

    @abstractmethod
    def cutouts(self, corpus: Corpus) -> Mapping[str, tuple[CutoutEntry, ...]]:
        """Returns the cut-outs that may be inserted, by name."""

    def check_data(self, corpora: Iterable[Corpus]) -> None:
        if not (left := dict.fromkeys(read_excluded(self.exclude_cutouts))):
            return
        # An id need be in one of the data sets only: a run of two has one file for both.
        for corpus in corpora:
            for entry in chain.from_iterable(corpus.cutouts.values()):
                left.pop(cutout_id(entry, corpus), None)
        if left:
            raise OptionError(
                f"Expected each line of {EXCLUDE_CUTOUTS.name}={self.exclude_cutouts!r} to name a cut-out of the data "
                f"as SCENE/THING, but got {next(iter(left))!r}: `vqamt describe {self.info.name} --sheet=FILE.png` "
                "shows them with their names"
            )
