"""``audit.csv``: a row for each sampled case, with columns for the judgement and a note."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from io import BytesIO, StringIO
from typing import TypeAlias, cast

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.case import Case
from pytest_vqamt.core.codec import Json
from pytest_vqamt.core.errors import DataError, RenderError
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import Task
from pytest_vqamt.core.report_json import case_from_row
from pytest_vqamt.core.text import count_noun, visible
from pytest_vqamt.data.scene_source import SceneSource, scenes_by_photo
from pytest_vqamt.imaging.outlines import edited
from pytest_vqamt.imaging.render import render
from pytest_vqamt.reporting.audit.sample import AuditCase, AuditTarget, Sample
from pytest_vqamt.reporting.html.case_cards import picture_format, resized

SHEET = "audit.csv"

COLUMNS = (
    "case_id", "relation", "model", "data", "scene", "verdict", "expected", "questions", "answers", "reason",
    "pictures", "judgement", "note", "of", "drawn_from",
)  # fmt: skip

SheetRow: TypeAlias = dict[str, str]
"""A row by its columns."""

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""Begins a formula in a spreadsheet."""

SIDE_PX = 480
"""The largest length of a picture's longer side."""
_QUALITY = 85
"""Of the WebP or JPEG file, from 0 to 100."""

_PLACES = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")


def sheet_row(shown: SheetCase, sample: Sample) -> SheetRow:
    """The row of a case, not judged yet."""
    drawn = shown.drawn
    cells = {
        "case_id": drawn.case_id,
        "relation": drawn.item,
        "model": drawn.model,
        "data": drawn.data,
        "scene": drawn.scene,
        "verdict": shown.verdict,
        "expected": f"{shown.expected}; contrast: {shown.contrast}" if shown.contrast else shown.expected,
        "questions": " | ".join(f"{each.place}: {each.words}{_edits(each, shown)}" for each in shown.asked),
        "answers": " | ".join(f"{each.place}: {each.answer}" for each in shown.asked if each.answer is not None),
        "reason": shown.reason,
        "pictures": " | ".join(each.file for each in shown.pictures),
        "judgement": "",
        "note": "",
        "of": sample.draw.of.value,
        "drawn_from": sample.words,
    }
    return {name: escape_formula(text) for name, text in cells.items()}


def csv_text(rows: Iterable[SheetRow]) -> str:
    """The rows under a head, every cell in quotes, so that the page can write the very same file.

    It begins with a byte order mark: without one, spreadsheets assume another encoding.
    """
    text = StringIO()
    writer = csv.writer(text, quoting=csv.QUOTE_ALL)
    writer.writerow(COLUMNS)
    writer.writerows([sheet_cell(name, row[name]) for name in COLUMNS] for row in rows)
    return "\ufeff" + text.getvalue()


def sheet_cell(name: str, text: str) -> str:
    """The text, made visible unless the case is found again by it."""
    return text if name in ("case_id", "relation", "model", "data", "note") else visible(text, keep="\t\r\n")


def escape_formula(cell: str) -> str:
    """Puts an apostrophe before a cell that a spreadsheet would run as a formula."""
    return f"'{cell}" if cell.startswith(_FORMULA) else cell


def unescape_formula(cell: str) -> str:
    """The inverse of ``escape_formula``."""
    # An apostrophe before anything else is the judge's own.
    return cell[1:] if cell.startswith("'") and cell[1:].startswith(_FORMULA) else cell


def _edits(asked: SheetQuery, shown: SheetCase) -> str:
    """How the picture of a text was edited, in brackets."""
    (picture,) = (each for each in shown.pictures if asked in each.asked)
    return f" [{picture.note}]" if picture.note else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetQuery:
    """A query and its answer."""

    number: int
    """The index in the case."""
    text: str
    """Empty for captioning."""
    task: Task
    """Of the query."""
    manner: str
    """How it is asked beside its text, such as "asked again"."""
    answer: str | None
    """None if there is none, or if the judge must not see it."""
    is_contrast: bool = False
    """True if it is that of the contrast, the last one."""

    @property
    def words(self) -> str:
        """The text, with the task spelled out."""
        words = self.text or "(describe the picture)"
        if self.task is Task.ENTAILMENT:
            words = f"does the picture entail: {words}"
        return f"{words} ({self.manner})" if self.manner else words

    @property
    def place(self) -> str:
        """The ordinal of the answer, as expectations name it."""
        if self.is_contrast:
            return "contrast"
        return _PLACES[self.number] if self.number < len(_PLACES) else f"number {self.number + 1}"


@dataclass(frozen=True, slots=True, kw_only=True)
class EditBox:
    """The place of an edit."""

    label: str
    """The edited thing in words."""
    box: Box
    """In pixels of the full-size picture."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetPicture:
    """One picture."""

    digest: str
    """Of the picture's recipe."""
    image: bytes
    """The bytes of an image file, its longer side at most ``SIDE_PX``."""
    kind: str
    """The format of the file."""
    frame: tuple[int, int]
    """Width and height of the full-size picture in pixels."""
    edits: tuple[EditBox, ...]
    """The places of its edits."""
    note: str
    """The edits in words; empty for the photo itself."""
    asked: tuple[SheetQuery, ...]
    """The queries about it."""

    @property
    def file(self) -> str:
        """The path of the image, relative to the sheet."""
        return f"pictures/{self.digest}.{self.kind}"


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetCase:
    """A case with its pictures, as a judge sees it."""

    drawn: AuditCase
    """The case in the report."""
    claim: str
    """Its relation in one sentence."""
    expected: str
    """What the relation demands, in words."""
    verdict: str
    """"" if the judge must not see it."""
    reason: str
    """"" if the judge must not see it."""
    pictures: tuple[SheetPicture, ...]
    """Each once, in the order of the queries."""
    contrast: str = ""
    """How the answer to the contrast must differ; "" without one."""

    @property
    def asked(self) -> tuple[SheetQuery, ...]:
        """All texts in the order of the case."""
        return tuple(sorted((each for shown in self.pictures for each in shown.asked), key=lambda each: each.number))


def sheet_case(drawn: AuditCase, of: AuditTarget, claim: str, source: SceneSource) -> SheetCase:
    """Renders a case for the sheet. With ``AuditTarget.ALL`` it has no answers, which could bias the judge.

    Raises:
        DataError: the line is incomplete, or the data are not those of the run.
        RenderError: a picture cannot be rendered.
    """
    row = drawn.row
    try:
        case = case_from_row(dict(row), scenes_by_photo(source))
        answers = cast("list[str | None]", row["answers"])
        if len(answers) != len(case.queries):
            raise ValueError(f"{count_noun(len(answers), 'answer')} to {count_noun(len(case.queries), 'text')}")
        # The question is if the case is valid, whatever a model said: answers could bias the judge.
        of_all = of is AuditTarget.ALL
        return SheetCase(
            drawn=drawn,
            claim=claim,
            expected=case.expected,
            verdict="" if of_all else str(row["verdict"]),
            reason="" if of_all else str(row["reason"]),
            contrast=case.contrast.expected if case.contrast else "",
            pictures=_pictures(case, [None] * len(case.asked) if of_all else [*answers, *_contrast(row)], source),
        )
    except DataError as error:
        raise DataError(f"{drawn.where}: {error}; if that run had other data, name it with --data") from error
    except (OSError, RenderError) as error:
        raise RenderError(f"{drawn.where}: {error}") from error
    except (KeyError, TypeError, ValueError) as error:
        raise DataError(f"{drawn.where}: Expected a whole line of a report, but got {error!r}: make it anew") from error


def _contrast(row: Mapping[str, Json]) -> list[str | None]:
    """The answer to the contrast; nothing without one."""
    contrast = cast("Mapping[str, Json] | None", row.get("contrast"))
    return [] if contrast is None else [cast("str | None", contrast.get("answer"))]


def _pictures(case: Case, answers: list[str | None], source: SceneSource) -> tuple[SheetPicture, ...]:
    about: dict[str, tuple[Picture, list[SheetQuery]]] = {}
    for number, (query, answer) in enumerate(zip(case.asked, answers, strict=True)):
        # Queries about one picture stand below it together; a conversation below the first of its pictures.
        for picture in query.pictures:
            about.setdefault(picture.digest, (picture, []))
        _, asked = about[query.picture.digest]
        asked.append(
            SheetQuery(
                number=number,
                text=" | ".join(turn.words for turn in query.turns) or query.text,
                task=query.task,
                manner=query.manner,
                answer=answer,
                is_contrast=number == len(case.queries),
            )
        )
    return tuple(_shown(picture, tuple(asked), source) for picture, asked in about.values())


def _shown(picture: Picture, asked: tuple[SheetQuery, ...], source: SceneSource) -> SheetPicture:
    photographed = scenes_by_photo(source)(picture.photo.id)
    image, kind, file = render(picture, source), picture_format()[0].lower(), BytesIO()
    resized(image, SIDE_PX).save(file, format=kind, quality=_QUALITY)
    return SheetPicture(
        digest=picture.digest,
        image=file.getvalue(),
        kind=kind,
        frame=image.size,
        edits=tuple(EditBox(label=each.label, box=each.box) for each in edited(picture, photographed)),
        note="; ".join(edit.words for edit in picture.edits),
        asked=asked,
    )
