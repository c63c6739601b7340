"""A case written out for people: its pictures, a sheet of them, and what was said."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from PIL import Image

from pytest_vqamt.core.case import Case, Outcome, item_name
from pytest_vqamt.core.edits import in_words
from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import Query
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.data.base import SceneSource
from pytest_vqamt.imaging.contact_sheet import Strip, case_strip, sheet
from pytest_vqamt.imaging.render import render

SHEET = "sheet.png"


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What a model made of a case.

    Attributes:
        answers: one to each query; None where it has none.
        outcome, reason: the verdict.
    """

    answers: tuple[str | None, ...]
    outcome: str
    reason: str

    @property
    def verdict(self) -> str:
        """The verdict in words."""
        return f"{self.outcome}: {self.reason}" if self.reason else self.outcome

    @property
    def violates(self) -> bool:
        return self.outcome in (Outcome.VIOLATED, Outcome.UNPARSED)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnsweredCase:
    """A case with what a model made of it.

    Attributes:
        source: where its scene comes from.
        before: what the same model has said earlier, where that is to stand beside it.
    """

    case: Case
    source: SceneSource
    model: str
    said: Said
    before: Said | None = None

    @property
    def item(self) -> str:
        return item_name(self.case.relation, self.case.variant)

    @property
    def answers(self) -> tuple[str, ...]:
        """The answers in words, with those of before."""
        if self.before is None:
            return tuple(map(_in_words, self.said.answers))
        return tuple(
            f"{_in_words(now)}  (was {_in_words(was)})"
            for now, was in zip(self.said.answers, self.before.answers, strict=True)
        )

    @property
    def verdict(self) -> str:
        """The verdict in words, with that of before."""
        return self.said.verdict if self.before is None else f"{self.said.verdict}  (was {self.before.outcome})"


def scenes_by_photo(source: SceneSource) -> Callable[[str], Scene]:
    """What finds a scene of ``source`` by the id of its photo; it raises DataError where there is none."""
    return lambda photo_id: source.scene(source.place(photo_id))


def write_case(answered: Sequence[AnsweredCase], folder: Path) -> Iterator[str]:
    """Writes each picture once, and ``sheet.png``, and tells line by line what was asked of which edits, and said.

    ``answered`` is one case or more: the same one as several models answered it, say.

    Raises:
        VqamtError: a picture cannot be drawn, or the folder not be written to.
    """
    files: dict[str, Path] = {}
    for each in answered:
        yield f"case {each.case.id}: {each.item}, scene {each.case.scene}, on {each.model}"
        width = max(len(_asked(query)) for query in each.case.queries)
        for query, answer in zip(each.case.queries, each.answers, strict=True):
            digest = query.picture.digest
            if digest not in files:
                files[digest] = folder / f"{len(files) + 1}.png"
                save(render(query.picture, each.source), files[digest])
            yield f"    {_asked(query).ljust(width)}  ->  {answer}  ({files[digest]})"
        yield f"  expected: {each.case.expected}"
        yield f"  {each.verdict}"
    save(sheet(_strip(each, files) for each in answered), folder / SHEET)
    yield f"  side by side: {folder / SHEET}"


def save(image: Image.Image, file: Path) -> None:
    """Writes ``image`` as PNG.

    Raises:
        OptionError: the file cannot be written.
    """
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        image.save(file, format="PNG")
    except OSError as error:
        raise OptionError(
            f"Expected a file that can be written, but got file={str(file)!r} ({error.strerror or error}): name another"
        ) from error


def _asked(query: Query) -> str:
    """The text, with how its picture was edited, as the violation of a run is shown."""
    edits = "; ".join(map(in_words, query.picture.edits))
    return f"{query.text} [{edits}]" if edits else query.text


def _in_words(answer: str | None) -> str:
    return "no answer" if answer is None else repr(answer)


def _strip(each: AnsweredCase, files: dict[str, Path]) -> Strip:
    def image_of(picture: Picture) -> Image.Image:
        with Image.open(files[picture.digest]) as image:
            return image.convert("RGB")

    case = each.case
    return case_strip(
        case,
        each.answers,
        title=f"{each.item}: {each.said.outcome}",
        notes=(
            f"case {case.id}, scene {case.scene} of {each.source.spec}, answered by {each.model}",
            f"expected: {case.expected}",
            *([each.verdict] if each.said.reason or each.before else []),
        ),
        image_of=image_of,
        scene_of=scenes_by_photo(each.source),
    )
