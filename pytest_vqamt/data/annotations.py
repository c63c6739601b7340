"""Scene sources of photos and annotations."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Protocol

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.corpus import Corpus, ThingLook, gather_corpus
from pytest_vqamt.core.edits import Colour
from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.identity import digest
from pytest_vqamt.core.lru import LruCache
from pytest_vqamt.core.query import PhotoFile
from pytest_vqamt.core.scene import Photo, PublishedQuestion, Scene, Thing
from pytest_vqamt.core.text import short_name
from pytest_vqamt.data.look_store import LookStore
from pytest_vqamt.data.photo_io import PhotoFiles, mean_colour, sample_indices
from pytest_vqamt.data.scene_source import scene_cache
from pytest_vqamt.imaging.render import outwards
from pytest_vqamt.language.english.families import family
from pytest_vqamt.language.english.lexical_relations import COLOURS
from pytest_vqamt.language.english.nouns import is_plural, lacks_singular

if TYPE_CHECKING:
    from PIL.Image import Image


MAX_COMPARED = 10_000
"""Published data sets have more photos, each once; to look at each takes minutes on a disk over a network."""
_MAX_LOOKS = 100_000
"""Looks of things that are remembered."""
_BESIDE = 0.05
"""What is farther from a thing, as a share of its longer side, does not touch it."""

LEAST_IOU = 0.7
"""Two boxes of one name or synset with this overlap are of one thing.

In Visual Genome's first photo the two men are boxed twice each, with IoU 0.82 and 0.77, and other pairs have at most
0.39. Of 1,025 pairs of one class in 40 photos of COCO, annotated one by one, the largest IoU is 0.61.
"""

_NO_PART_OF_A_WORD = re.compile(r"[^\w\s'-]|_")
_MANY_COLOURS = frozenset(
    {
        "multicolored", "multi colored", "multi-colored", "multicoloured", "multi coloured", "multi-coloured",
        "colorful", "colourful", "rainbow", "rainbow colored", "rainbow coloured", "two-toned", "two toned",
    }
)  # fmt: skip
_COLOURS = frozenset(COLOURS) | {
    "tan", "beige", "gold", "golden", "silver", "maroon", "burgundy", "teal", "turquoise", "navy", "cream", "violet",
}  # fmt: skip
_PATTERNS = frozenset(
    {
        "striped", "stripes", "stripe", "stripped", "spotted", "dotted", "polka dot", "polka dots", "plaid", "checked",
        "checkered", "floral", "flowered", "flowery", "patterned", "printed", "camouflage", "camo", "speckled",
    }
)  # fmt: skip
_OF_SEVERAL_COLOURS = frozenset(
    {
        "soccer ball", "newspaper", "newspapers", "magazine", "magazines", "keyboard", "piano", "flag", "flags", "sign",
        "signs", "street sign", "stop sign", "traffic light", "traffic lights", "crosswalk", "police car", "poster",
        "posters", "picture", "pictures", "painting", "paintings", "photo", "photos", "rainbow", "checkerboard", "logo",
        "train", "bus", "airplane", "plane", "jet", "pizza", "sandwich", "salad", "food", "sticker", "stickers",
        "screen",
    }
)  # fmt: skip


class Annotations(Protocol):
    """The records of one data set by index; their scenes have an empty digest of the photo."""

    @property
    def bad_records(self) -> tuple[str, ...]:
        """A message about each record that cannot be used."""

    @property
    def digest(self) -> str:
        """Changes whenever an annotation changes."""

    @property
    def remarks(self) -> tuple[str, ...]:
        """What users should know of the data, a sentence each."""

    def __len__(self) -> int: ...

    def photo_ids(self) -> tuple[str, ...]:
        """The photo ids in the order of the records."""

    def photo_file(self, index: int) -> str:
        """The photo's file, relative to the folder of photos."""

    def scene(self, index: int) -> Scene:
        """The record as a scene; raises DataError, which names file, record and field, if it is broken."""

    def mask(self, index: int, thing_id: str) -> Image:
        """The mask of the thing: mode L, 255 on its pixels, of the size of the scene.

        Raises:
            DataError: the thing has no mask, or a broken one.
        """

    def corpus(self, *, scene: Callable[[int], Scene], measure: Callable[[], Colour | None]) -> Corpus | None:
        """The corpus if the reader has one stored; None to have it gathered from the scenes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """The photos of a source that belong together."""

    frames: tuple[str, ...] = ()
    """The ids of frames of films that are no scenes of their own. Their indices follow those of the scenes."""
    films: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """The indices of all frames of each film, in their order, by the photo of its scene."""
    groups: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """The indices of the photos of a group, by each of its photos."""


class ListedAnnotations:
    """Annotations in memory, of photos whose ids are their files; without masks.

    Attributes:
        bad_records: a message about each record that cannot be used.
        digest: changes whenever an annotation changes.
        remarks: what users should know of the data, a sentence each.
    """

    def __init__(self, photos: Iterable[str], bad_records: Iterable[str], digest: str, remarks: Iterable[str]) -> None:
        """``remarks`` is required, so that no source forgets to run ``SourceChecks``."""
        self._photos = tuple(photos)
        self.bad_records = tuple(bad_records)
        self.digest = digest
        self.remarks = tuple(remarks)

    def __len__(self) -> int:
        return len(self._photos)

    def photo_ids(self) -> tuple[str, ...]:
        return self._photos

    def photo_file(self, index: int) -> str:
        return self._photos[index]

    def mask(self, index: int, thing_id: str) -> Image:
        raise DataError(
            f"Expected a thing with a mask, but got thing_id={thing_id!r} of {self._photos[index]}: it has none"
        )

    def corpus(self, *, scene: Callable[[int], Scene], measure: Callable[[], Colour | None]) -> Corpus | None:
        return None


class AnnotatedPhotos:
    """A scene source of annotations and a folder of photos; ``photos`` is None if only the scenes are known."""

    def __init__(
        self,
        *,
        spec: str,
        description: str,
        annotations: Annotations,
        photos: PhotoFiles | None,
        without: str = "",
        beside: Mapping[str, tuple[int, int]] = MappingProxyType({}),
        series: Series | None = None,
    ) -> None:
        """Opens the source.

        Args:
            spec: as the user typed it.
            description: one line on its content and size.
            annotations: its records.
            photos: the folder of photos.
            without: the advice to users who have no photos.
            beside: photos that conversations alone show, and that have no scene: their sizes by their files.
            series: films and groups of photos; ``annotations`` give the scenes and photos of frames by their
                indices, too.
        """
        self.shown_beside = beside
        self.spec = spec
        self.description = description
        self.annotations = annotations
        self.photos = photos
        self._without = without
        self._series = series or Series()
        self._scenes = scene_cache()
        self._looks: LruCache[tuple[str, str], ThingLook] = LruCache(_MAX_LOOKS)

    @property
    def bad_records(self) -> tuple[str, ...]:
        return self.annotations.bad_records

    @cached_property
    def digest(self) -> str:
        """Of the annotations, and of the photos' names and sizes in bytes."""
        files = [*self._files()] if self.photos else []
        return digest(self.annotations.digest, *(f"{file} {self._size_bytes(file)}" for file in files))

    @cached_property
    def state(self) -> str:
        """Changes whenever a photo was written anew, also with as many bytes; the digest does not depend on it."""
        photos = self.photos
        if photos is None:
            return "no photos"
        return digest(*(str(photos.changed_ns(file)) for file in self._files()))

    @cached_property
    def corpus(self) -> Corpus:
        found = self.annotations.corpus(scene=self.scene, measure=self._mean_colour) or gather_corpus(
            (self.annotations.scene(index) for index in range(len(self))), scene=self.scene, measure=self._mean_colour
        )
        if self._series.films or self._series.groups:
            found = replace(found, films=self._series.films, groups=self._series.groups)
        if self.photos is None:
            return found
        ids = self.annotations.photo_ids()
        # What two records say differently about one picture is not asked, so each photo has the scenes of the others.
        others = {ids[one]: tuple(each for each in some if each != one) for some in self.same_picture for one in some}
        return replace(found, look=self._look, same_picture=others)

    @cached_property
    def same_picture(self) -> tuple[tuple[int, ...], ...]:
        """The indices of scenes that show one picture, two or more together; photos that cannot be read are left out.

        The bytes of two photos are compared only where their sizes and their ends are the same, and only in sources of
        at most ``MAX_COMPARED`` photos.
        """
        photos = self.photos
        if photos is None:
            return ()
        files: dict[str, list[int]] = {}
        for index in range(len(self)):
            files.setdefault(self.annotations.photo_file(index), []).append(index)
        compared = files if len(files) <= MAX_COMPARED else ()
        # Cheapest key first: a file is read in full only where size and end are the same.
        alike = _equal(compared, photos.size_bytes, photos.end, photos.digest)
        several = {file for same in alike for file in same}
        # One file that several records name.
        alike += [[file] for file, indices in files.items() if len(indices) > 1 and file not in several]
        return tuple(sorted(tuple(sorted(index for file in same for index in files[file])) for same in alike))

    @property
    def largest_file(self) -> int | None:
        """The index of a scene whose photo's file is the largest; None without photos that can be read."""
        sizes: dict[int, int] = {}
        for index in sample_indices(len(self), MAX_COMPARED) if self.photos else ():
            with suppress(DataError):
                sizes[index] = self._size_bytes(self.annotations.photo_file(index))
        return max(sizes, key=sizes.__getitem__, default=None)

    @property
    def remarks(self) -> tuple[str, ...]:
        found = self.annotations.remarks
        if not self.same_picture:
            return found
        scenes = sum(map(len, self.same_picture))
        pictures = f"{len(self.same_picture)} pictures" if len(self.same_picture) > 1 else "one picture"
        one, other = (self.annotations.photo_ids()[index] for index in self.same_picture[0][:2])
        return (
            *found,
            f"{scenes} scenes of {self.spec} show {pictures} ({short_name(one)} is {short_name(other)}): what they say "
            "differently about a picture is not asked",
        )

    def _files(self) -> Iterator[str]:
        yield from (self.annotations.photo_file(index) for index in range(self.photo_count))
        yield from self.shown_beside

    def __len__(self) -> int:
        return len(self.annotations)

    def beside(self, photo_id: str) -> Scene | None:
        """The bare scene of a photo that conversations alone show, else None (``ConversationSource``)."""
        size = self.shown_beside.get(photo_id)
        if size is None or self.photos is None:
            return None
        photo = Photo(id=photo_id, digest=self.photos.digest(photo_id))
        return Scene(id=photo_id, photo=photo, width=size[0], height=size[1])

    @property
    def photo_count(self) -> int:
        """The number of indices that ``scene`` takes: those of the scenes, then those of other frames of films."""
        return len(self) + len(self._series.frames)

    def scene(self, index: int) -> Scene:
        if not 0 <= index < self.photo_count:
            raise IndexError(f"Expected a scene from 0 to {self.photo_count - 1}, but got index={index!r}")
        return self._scenes.get_or_make(index, self._make_scene)

    def place(self, photo_id: str) -> int:
        place = self._places.get(photo_id)
        if place is None:
            raise DataError(f"Expected a photo of {self.spec}, but got photo={photo_id!r}: take it from its scenes")
        return place

    def photo(self, photo: Photo) -> Image:
        files, name = self._file_of(photo)
        return files.open(name)

    def is_lossy(self, photo: Photo) -> bool:
        """True if the photo's file is of a form that loses pixels (``FiledStore``)."""
        files, name = self._file_of(photo)
        return files.is_lossy(name)

    def file(self, photo: Photo) -> PhotoFile | None:
        """The photo's file without metadata, if it shows what ``photo`` gives (``FiledStore``)."""
        files, name = self._file_of(photo)
        return files.bare(name)

    def _file_of(self, photo: Photo) -> tuple[PhotoFiles, str]:
        if self.photos is not None and photo.id in self.shown_beside:
            return self.photos, photo.id
        place = self.place(photo.id)
        if self.photos is None:
            raise DataError(
                f"Expected the photo {photo.id!r}, but {self.spec} has come without photos: {self._without}"
            )
        return self.photos, self.annotations.photo_file(place)

    def mask(self, photo: Photo, thing_id: str) -> Image:
        return self.annotations.mask(self.place(photo.id), thing_id)

    @cached_property
    def _kept_looks(self) -> LookStore:
        return LookStore(self.annotations.digest)

    @cached_property
    def _places(self) -> dict[str, int]:
        ids = (*self.annotations.photo_ids(), *self._series.frames)
        return {photo_id: index for index, photo_id in enumerate(ids)}

    def _size_bytes(self, file: str) -> int:
        return self.photos.size_bytes(file) if self.photos else 0

    def _make_scene(self, index: int) -> Scene:
        scene = self.annotations.scene(index)
        if self.photos is None:  # recipes of its pictures have digests all the same
            named = digest("no photo", scene.photo.id)
        else:
            file = self.annotations.photo_file(index)
            named = self.photos.digest(file)
            self.photos.check_size(file, scene.width, scene.height)
        questions = tuple(map(self._with_digests, scene.questions))
        return replace(scene, photo=Photo(id=scene.photo.id, digest=named), questions=questions)

    def _with_digests(self, question: PublishedQuestion) -> PublishedQuestion:
        """The question with the digests of the photos in its conversation."""
        if not question.turns or self.photos is None:
            return question
        digest_of, file_of = self.photos.digest, self._photo_file
        return replace(
            question,
            turns=tuple(
                replace(
                    turn,
                    photos=tuple(
                        replace(each, photo=Photo(id=each.photo.id, digest=digest_of(file_of(each.photo.id))))
                        for each in turn.photos
                    ),
                )
                for turn in question.turns
            ),
        )

    def _photo_file(self, photo_id: str) -> str:
        if photo_id in self.shown_beside:
            return photo_id
        return self.annotations.photo_file(self.place(photo_id))

    def _look(self, photo: Photo, thing_id: str) -> ThingLook | None:
        """How a thing looks; None if it has no mask, or its photo or mask cannot be read."""
        known = self._looks.get((photo.id, thing_id))
        if known is not None:
            return known
        from pytest_vqamt.imaging.thing_look import measure_look  # its NumPy is needed only by relations of looks

        scene = self.scene(self.place(photo.id))
        thing = scene.thing(thing_id)
        if not thing.has_mask:
            return None
        if kept := self._kept_looks.get(photo.digest, thing_id):
            self._looks.put((photo.id, thing_id), kept)
            return kept
        try:
            look = measure_look(self.photo(photo), self.mask(photo, thing_id), self._masks_beside(scene, thing))
        except DataError:
            return None  # a case that needs the record will name it
        if look is not None:
            self._looks.put((photo.id, thing_id), look)
            self._kept_looks.put(photo.digest, thing_id, look)
        return look

    def _masks_beside(self, scene: Scene, thing: Thing) -> Iterator[tuple[str, Image]]:
        """The names and masks of what may touch the thing; the box where there is no mask."""
        reach = _BESIDE * max(thing.box.w, thing.box.h) + 1
        near = thing.box.grown(reach)
        for other in scene.objects:
            if other.id != thing.id and other.box.overlaps(near):
                has_mask = other.has_mask
                yield other.name, self.mask(scene.photo, other.id) if has_mask else _box_mask(other.box, scene)
        for region in scene.regions:
            if region.box.overlaps(near):
                yield region.name, _box_mask(region.box, scene)

    def _mean_colour(self) -> Colour | None:
        if self.photos is None:
            return None
        return mean_colour(self._readable(sample_indices(len(self))))

    def _readable(self, indices: Iterable[int]) -> Iterator[Image]:
        """The photos that can be read; a broken one is reported with its own scene."""
        for index in indices:
            try:
                yield self.photo(self.scene(index).photo)
            except DataError:
                continue


def _box_mask(box: Box, scene: Scene) -> Image:
    from PIL import Image as Images

    mask = Images.new("L", (scene.width, scene.height))
    if inside := outwards(box, mask.size):
        mask.paste(255, inside)
    return mask


def _equal(files: Iterable[str], *keys: Callable[[str], Hashable]) -> list[list[str]]:
    """Groups of two or more files that are equal by all keys; files that cannot be read are in none."""
    groups = [list(files)]
    for key in keys:
        found: list[list[str]] = []
        for group in groups:
            by_key: dict[Hashable, list[str]] = {}
            for file in group:
                with suppress(DataError, OSError):
                    by_key.setdefault(key(file), []).append(file)
            found += [same for same in by_key.values() if len(same) > 1]
        groups = found
    return groups


def merged(things: Iterable[Thing]) -> tuple[tuple[Thing, ...], dict[str, str]]:
    """The things without duplicates, and the new id of each by its old id.

    Duplicates have the same synset or name, both or neither are a group ("bikes"), and the IoU of their boxes is
    ``LEAST_IOU`` or more. A thing is compared to the first of each set of duplicates, so that a row of neighbours is
    never merged. The first gives id, name and synset; the box encloses all, and the attributes are those of all.
    """
    groups: list[list[Thing]] = []
    by_word: dict[str, list[int]] = {}
    now: dict[str, str] = {}
    for thing in things:
        words = (f"name {thing.name}", f"synset {thing.synset}") if thing.synset else (f"name {thing.name}",)
        near = {place for word in words for place in by_word.get(word, ())}
        place = _nearest(thing, {place: groups[place][0] for place in near})
        if place is None:
            place = len(groups)
            groups.append([])
            for word in words:
                by_word.setdefault(word, []).append(place)
        groups[place].append(thing)
        now[thing.id] = groups[place][0].id
    return tuple(_one(group) for group in groups), now


def _nearest(thing: Thing, firsts: Mapping[int, Thing]) -> int | None:
    """The place of the duplicate with the largest IoU, then the first."""
    ious = {place: thing.box.iou(first.box) for place, first in sorted(firsts.items())}
    # A "bike" and the "bikes" around it overlap, and are not one thing.
    same = [place for place in ious if ious[place] >= LEAST_IOU and _alike_in_number(thing, firsts[place])]
    return max(same, key=lambda place: ious[place], default=None)


def _alike_in_number(one: Thing, other: Thing) -> bool:
    return one.name == other.name or _is_group(one.name) == _is_group(other.name)


def _is_group(name: str) -> bool:
    return is_plural(name) and not lacks_singular(name)


def _one(group: list[Thing]) -> Thing:
    first = group[0]
    if len(group) == 1:
        return first
    attributes = tuple(dict.fromkeys(attribute for thing in group for attribute in thing.attributes))
    return replace(
        first,
        box=Box.enclosing(thing.box for thing in group),
        attributes=attributes,
        synset=next((thing.synset for thing in group if thing.synset), None),
        multi_coloured=is_multi_coloured(attributes, first.name),
    )


@lru_cache(maxsize=1 << 17)
def cleaned(text: str) -> str:
    """Lower case, single spaces, no punctuation but hyphens and apostrophes within a word; may be empty.

    >>> cleaned(" Fire-hydrant. "), cleaned("WEARING"), cleaned("man's  shoe,"), cleaned("?")
    ('fire-hydrant', 'wearing', "man's shoe", '')
    """
    words = (word.strip("'-") for word in _NO_PART_OF_A_WORD.sub(" ", text.lower()).split())
    return " ".join(word for word in words if word)


def is_multi_coloured(attributes: Collection[str], name: str = "") -> bool:
    """True if the name or the attributes of a thing imply that it has several colours.

    Annotators note one colour of a zebra or a flag, and the colour of people may be that of anything about them.

    >>> is_multi_coloured(["colorful"]), is_multi_coloured(["black", "white"]), is_multi_coloured(["red", "striped"])
    (True, True, True)
    >>> is_multi_coloured(["black", "small"]), is_multi_coloured(["gray", "grey"])
    (False, False)
    >>> is_multi_coloured(["black"], "zebra")
    True
    """
    if name in _OF_SEVERAL_COLOURS or family(name) in ("person", "animal"):
        return True
    if not _MANY_COLOURS.isdisjoint(attributes) or not _PATTERNS.isdisjoint(attributes):
        return True
    words = ("gray" if word == "grey" else word for text in attributes for word in text.split())
    return len(_COLOURS.intersection(words)) > 1
