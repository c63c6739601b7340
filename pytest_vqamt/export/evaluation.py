"""Which scenes are evaluation data: nothing is to be trained on them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePath

from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.core.scene import Photo
from pytest_vqamt.data import catalogue as sources
from pytest_vqamt.data import vqa_v2
from pytest_vqamt.data.base import AnnotatedPhotos, PublishedPairs, SceneSource
from pytest_vqamt.data.coco import source
from pytest_vqamt.data.messages import reason, shown_path
from pytest_vqamt.data.snli_ve import files

EVALUATION_FILE = "vqamt-evaluation.txt"
"""Read where it lies in the report's folder or beside it, or in the current one."""

_HELD_OUT = re.compile(r"(?<![a-z])(val|valid|validation|dev|test|testdev|minival)(?![a-z])", re.IGNORECASE)
_A_FILE = re.compile(r"[/\\]|\.(txt|list|json|jsonl|csv)$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """Evaluation data as somebody named it.

    Attributes:
        name: what was typed, or the file that it stands in.
        ids: of scenes or of photos.
        digests: of photos.
    """

    name: str
    ids: frozenset[str] = frozenset()
    digests: frozenset[str] = frozenset()

    def has(self, scene: str, photo: Photo) -> bool:
        return photo.digest in self.digests or photo.id in self.ids or scene in self.ids

    def __len__(self) -> int:
        return max(len(self.ids), len(self.digests))


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """All evaluation data of an export.

    Attributes:
        named: what the user named.
        published: whether photos and sources that go by the name of a held-out split of a published data set count.
    """

    named: tuple[Named, ...] = ()
    published: bool = True
    _of_source: dict[str, str] = field(default_factory=dict)

    def why(self, scene: str, photos: Sequence[Photo], source: SceneSource) -> str:
        """What makes a picture of these photos, the scene's own first, evaluation data; "" where nothing does."""
        for place, photo in enumerate(photos):
            for each in self.named:
                if each.has(scene if place == 0 else "", photo):
                    return each.name
            if self.published and (held_out := _HELD_OUT.search(photo.id)):
                return f"{held_out[0]!r} in the name of its photo"
        return self._published(source) if self.published else ""

    def _published(self, source: SceneSource) -> str:
        if source.spec not in self._of_source:
            self._of_source[source.spec] = held_out(source)
        return self._of_source[source.spec]


def evaluation(
    named: Sequence[str], report: Path, loaded: Mapping[str, SceneSource], *, published: bool = True
) -> Evaluation:
    """The evaluation data that is ``named``: specs of sources, files, ids; and that of ``vqamt-evaluation.txt``.

    ``loaded`` are sources that are open already, by their specs.

    Raises:
        OptionError: one of them is nothing that there is.
        DataError: a source cannot be read.
    """
    found = [_named(each, loaded) for each in named]
    files = (folder / EVALUATION_FILE for folder in (report, report.resolve().parent, Path()))
    for file in {file.resolve(): file for file in files if file.is_file()}.values():
        found.append(_in_file(file, loaded))
    return Evaluation(named=tuple(found), published=published)


def held_out(source: SceneSource) -> str:
    """What makes all of a source evaluation data: it is a published test, or made of a split that is held out."""
    if isinstance(source, PublishedPairs) and source.published_pairs:
        return f"a published test set, {source.spec}"
    for name in _names_of(source.spec):
        if _HELD_OUT.search(name):
            return f"a split that is held out, {name}"
    return ""


def _names_of(spec: str) -> Iterable[str]:
    """The names of what a source was read from: what its spec ends in, and the file that was found in its folder."""
    kind, _, argument = spec.partition(":")
    for part in argument.split(":"):
        yield PurePath(part).name
    match kind:
        case "coco":
            yield source.find(argument).instances.name
        case "vqa-v2":
            yield vqa_v2.find(argument).questions.name
        case "snli-ve" if (decides := files.find(argument).decides) is not None:
            yield decides[0].name
        case _:
            pass


def _named(text: str, loaded: Mapping[str, SceneSource]) -> Named:
    if _is_spec(text):
        return _in_source(text, loaded)
    if Path(text).is_file():
        return _in_file(Path(text), loaded)
    ids = frozenset(part.strip() for part in text.split(",") if part.strip())
    if not ids or _A_FILE.search(text):
        raise OptionError(
            "Expected --evaluation=SPEC of a scene source, a file of scene ids, one a line, or the ids themselves, but "
            f"got {text!r}: there is no such file"
        )
    return Named(name=text, ids=ids)


def _in_file(file: Path, loaded: Mapping[str, SceneSource]) -> Named:
    try:
        lines = [line.strip() for line in file.read_text(encoding="utf-8-sig").splitlines()]
    except (OSError, UnicodeDecodeError) as error:
        raise OptionError(
            f"Expected a file of scene ids, one a line, but {shown_path(file)} cannot be read ({reason(error)})"
        ) from error
    lines = [line for line in lines if line and not line.startswith("#")]
    specs = [_in_source(line, loaded) for line in lines if _is_spec(line)]
    return Named(
        name=str(file),
        ids=frozenset(line for line in lines if not _is_spec(line)).union(*(each.ids for each in specs)),
        digests=frozenset().union(*(each.digests for each in specs)),
    )


def _in_source(spec: str, loaded: Mapping[str, SceneSource]) -> Named:
    """Its photos by their digests: a photo that goes by another name in another source is known again.

    Where it has come without photos, by their ids.
    """
    source = loaded.get(spec) or sources.load(spec, allow_bad_records=True)
    photos = [source.scene(index).photo for index in range(len(source))]
    without = isinstance(source, AnnotatedPhotos) and source.photos is None
    return Named(
        name=spec,
        ids=frozenset(photo.id for photo in photos) if without else frozenset(),
        digests=frozenset(photo.digest for photo in photos),
    )


def _is_spec(text: str) -> bool:
    return text.partition(":")[0] in sources.names()
