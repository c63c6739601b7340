"""The cards of the HTML page: cases with queries, answers, expectations and thumbnails.

The page embeds one JSON object, which is safe in a script element:

    {"cards": [{"id", "item", "model", "data", "scene", "verdict": outcome,
                "presumed": bool, "waived": bool, "before": outcome | null,
                "margin": float, "others": [{"model", "verdict": outcome, "answers": [str | null]}],
                "expected", "reason", "facts": {name: value}, "objects": [name],
                "queries": [{"picture": digest, "text", "task", "manner", "answer": str | null,
                             "reading": str | null, "edits": "inserted elephant", "asked": [region]}],
                "contrast": {"of": int, "query": query, "expected", "reason", "presumed": bool}}],
     "totals": [{"relation", "model", "data", "cases": int, "verdict": {outcome | "waived": int},
                 "change": {"regressed" | "fixed" | "unchanged" | "still": int}}],
     "claims": {item: "Two questions have opposite answers."},
     "pictures": {digest: {"uri": "data:image/webp;base64,...", "width": int, "height": int, "regions": [region]}}}

A region is ``{"kind": "edit" | "asked", "label", "x", "y", "w", "h"}`` in fractions of the picture's width and
height. Edited regions belong to the picture, and regions that a question is about to the query, so that each picture is
embedded once. ``width`` and ``height`` are the thumbnail's, in pixels. Pictures may be missing from ``pictures``. A
contrast is there if its answer does not differ as it must; ``of`` is the index of the query with the same text.
A query of a conversation has ``turns``, ``{"role", "parts": [{"text"} | {"picture": digest} | {"reply": int}]}`` each,
and ``shown``: ``{"picture": digest, "edits", "asked"}`` for each picture. There is a margin if the model's answers have
scores, and others if other models had the same case.
"""

from __future__ import annotations

import json
import os
from base64 import b64encode
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, cast

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.case import DEMANDS, Change, Outcome
from pytest_vqamt.core.codec import Json
from pytest_vqamt.core.edits import Edit, Erase, Insert, edit_from_row
from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.meaning import Meaning, groups_of, meaning_from_row
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.progress_bar import progress_bar
from pytest_vqamt.core.query import manner_of
from pytest_vqamt.core.recipes import picture_from_recipe
from pytest_vqamt.core.report_json import Row
from pytest_vqamt.core.results import RelationResult, Report
from pytest_vqamt.core.text import count_noun, error_text, shortened, visible
from pytest_vqamt.data.scene_source import SceneSource, scenes_by_photo
from pytest_vqamt.imaging.outlines import Outline, OutlineKind, asked, edited
from pytest_vqamt.reporting.html.case_selection import WRONG, CaseSelector, Images
from pytest_vqamt.reporting.view.headline import weakness
from pytest_vqamt.reporting.view.rows import result_rows

if TYPE_CHECKING:
    from PIL.Image import Image


_MOST_OF_A_LABEL = 60
"""In characters."""

_MOST_REGIONS = 30
"""The limit for a picture or a query: more cannot be distinguished on a thumbnail."""
_KINDS = {OutlineKind.EDITED: "edit", OutlineKind.ASKED: "asked"}

CARDS_AT_MOST = {Images.NONE: 1_000, Images.VIOLATIONS: 1_000, Images.ALL: 4_000}
BYTES_AT_MOST = {Images.NONE: 9_000_000, Images.VIOLATIONS: 9_000_000, Images.ALL: 36_000_000}
"""The limit of the JSON with the pictures, of which cards take two thirds at most; the rest of the page is extra."""
SLOW_AT_MOST = {Images.NONE: 0, Images.VIOLATIONS: 40, Images.ALL: 4_000}
"""The limit of pictures that take a second or more to render."""
_LEAST_OF_A_PICTURE = 900
"""Smaller pictures, in bytes, show nothing: rather than that, there are fewer."""
_AROUND_A_PICTURE = 150
"""Bytes of a picture's name, size and URI prefix."""

_SIDE_PX = 224
"""The longer side: the size of the picture world's own pictures."""
_LADDER: tuple[tuple[int, int], ...] = (
    (224, 75), (224, 50), (192, 40), (160, 40), (160, 25), (128, 35), (128, 20), (96, 30), (64, 25), (48, 20), (32, 20),
)  # fmt: skip
"""Pixels of the longer side and quality, tried in turn until the file is small enough.

At the first, pictures of the picture world come out in 2.8 kB and photos in 6; at (160, 25) photos take 2 kB. The last
ones are for pictures of noise, of which no photo of COCO is one.
"""
_THREADS_AT_MOST = 8
_TELEA = "telea"
"""OpenCV's inpainter, the fast one."""


def make_card(row: Row, pictures: dict[str, Picture], others: Sequence[Row] = ()) -> Row:
    """The card of a case.

    Args:
        row: the case.
        pictures: those of its pictures that were found.
        others: the same case on other models.
    """
    queries = cast("list[Row]", row["queries"])
    readings = cast("list[str]", row["readings"])
    # A case without an answer has fewer readings than queries.
    padded = (*readings, *[None] * (len(queries) - len(readings)))
    answers = cast("list[str | None]", row["answers"])
    meanings = [_meaning(query) for query in queries]
    return {
        "id": row["case_id"],
        "item": row["relation"],
        "model": row["model"],
        "data": row["data"],
        "scene": row["scene"],
        "verdict": row["verdict"],
        "presumed": "presumed" in cast("list[str]", row.get("tags") or []),
        "waived": bool(row.get("waived")),
        "before": row.get("before"),
        # Left out where empty: a page may have thousands of cards.
        **({"margin": row["margin"]} if row.get("margin") is not None else {}),
        **({"others": list(map(_other_model, others))} if others else {}),
        "expected": shortened(str(row["expected"])),
        "reason": shortened(str(row["reason"])),
        "facts": {
            name: shortened(value) if isinstance(value, str) else value
            for name, value in cast("Row", row.get("facts") or {}).items()
        },
        "objects": list(dict.fromkeys(_objects(queries, meanings))),
        "queries": [
            _query_card(query, answer, reading, pictures, meaning)
            for query, answer, reading, meaning in zip(queries, answers, padded, meanings, strict=False)
        ],
        **_contrast_card(row, pictures),
    }


def _other_model(row: Row) -> Row:
    answers = cast("list[str | None]", row["answers"])
    return {
        "model": row["model"],
        "verdict": row["verdict"],
        "answers": [None if answer is None else shortened(answer) for answer in answers],
    }


def _query_card(
    query: Row, answer: str | None, reading: str | None, pictures: dict[str, Picture], meaning: Meaning | None
) -> Row:
    shown: list[Row] = [
        {
            "picture": picture_digest(each),
            "edits": "; ".join(filter(None, (_elsewhere(each, query), describe_edits(each)))),
            "asked": _asked(pictures.get(picture_digest(each)), meaning),
        }
        for each in rows_with_pictures(query)
    ]
    return {
        "picture": picture_digest(query),
        "text": shortened(str(query["text"])),
        "task": query.get("task", ""),
        "manner": manner_of(int(cast("int", query.get("trial", 0))), cast("bool | None", query.get("reasoning"))),
        "answer": None if answer is None else shortened(answer),
        "reading": None if reading is None else shortened(reading),
        "edits": describe_edits(query),
        "asked": shown[0]["asked"],
        **(
            {"shown": cast("list[Json]", shown), "turns": list(map(_turn_card, turns))}
            if (turns := _turns(query))
            else {}
        ),
    }


def _elsewhere(part: Row, query: Row) -> str:
    """The photo of a part that is another than the first of its conversation."""
    photo, first = (cast("Row", each["picture"])["photo"] for each in (part, query))
    return f"scene {photo}" if photo != first else ""


def _turns(query: Row) -> list[Row]:
    """The turns of a conversation; empty for one picture and one text."""
    return cast("list[Row]", query.get("turns") or [])


def rows_with_pictures(query: Row) -> Iterator[Row]:
    """Rows with a picture each: the query itself, or the parts of its conversation."""
    if not (turns := _turns(query)):
        yield query
    for turn in turns:
        yield from (part for part in cast("list[Row]", turn["parts"]) if "picture" in part)


def said_in(query: Row) -> tuple[tuple[str, str], ...]:
    """Who says what: the role and the words of each turn, with marks for pictures and quoted answers."""
    if not (turns := _turns(query)):
        return (("user", f"[picture] {query['text']}".strip()),)
    return tuple((str(turn["role"]), " ".join(map(_said_part, cast("list[Row]", turn["parts"])))) for turn in turns)


def _said_part(part: Row) -> str:
    if "picture" in part:
        return "[picture]"
    return str(part["text"]) if "text" in part else f"[answer {cast('int', part['reply_to']) + 1}]"


def _turn_card(turn: Row) -> Row:
    return {"role": turn["role"], "parts": list(map(_part_card, cast("list[Row]", turn["parts"])))}


def _part_card(part: Row) -> Row:
    if "picture" in part:
        return {"picture": picture_digest(part)}
    return {"text": shortened(str(part["text"]))} if "text" in part else {"reply": part["reply_to"]}


def _contrast_card(row: Row, pictures: dict[str, Picture]) -> Row:
    """The field of the contrast if its answer does not differ as it must."""
    contrast = _missed_contrast(row)
    if contrast is None:
        return {}
    query = cast("Row", contrast["query"])
    made = _query_card(
        query, cast("str | None", contrast["answer"]), str(contrast["reading"]), pictures, _meaning(query)
    )
    elsewhere = f"scene {contrast['scene']}" if contrast["scene"] != row["scene"] else ""
    # The picture of another scene must be named: it is no edit of the one beside it.
    made["edits"] = "; ".join(filter(None, (elsewhere, str(made["edits"]))))
    return {
        "contrast": {
            "of": contrast["of"],
            "query": made,
            "expected": DEMANDS[Change(str(contrast["change"]))],
            "reason": shortened(str(contrast["reason"])),
            "presumed": bool(contrast.get("presumed")),
        }
    }


def _missed_contrast(row: Row) -> Row | None:
    """The contrast of a case if its answer does not differ as it must."""
    contrast = cast("Row | None", row.get("contrast"))
    return contrast if contrast and contrast.get("verdict") in WRONG else None


def picture_digest(query: Row) -> str:
    """The digest of a query's picture."""
    return str(cast("Row", query["picture"])["digest"])


def describe_edits(query: Row) -> str:
    """The edits of a query's picture, in words."""
    return "; ".join(edit.words for edit in _edits(query))


def case_pictures(row: Row, source: SceneSource) -> dict[str, Picture | str]:
    """The pictures of a case by digest, or the error of a missing one."""
    found: dict[str, Picture | str] = {}
    contrast = _missed_contrast(row)
    for query in (*cast("list[Row]", row["queries"]), *([cast("Row", contrast["query"])] if contrast else [])):
        for each in rows_with_pictures(query):
            digest = picture_digest(each)
            if digest not in found:
                try:
                    found[digest] = picture_from_recipe(each["picture"], scenes_by_photo(source))
                except DataError as error:
                    found[digest] = str(error)
    return found


def edit_regions(picture: Picture, source: SceneSource) -> Json:
    """The edited regions of a picture."""
    return _regions(edited(picture, scenes_by_photo(source)(picture.photo.id)), picture.scene.frame)


def _asked(picture: Picture | None, meaning: Meaning | None) -> list[Json]:
    if picture is None or meaning is None:
        return []
    return _regions(asked(picture.scene, meaning).values(), picture.scene.frame)


def _regions(outlines: Iterable[Outline], frame: Box) -> list[Json]:
    return [
        {
            "kind": _KINDS[each.shows],
            "label": shortened(each.label, _MOST_OF_A_LABEL),
            "x": round(box.x / frame.w, 3),
            "y": round(box.y / frame.h, 3),
            "w": round(box.w / frame.w, 3),
            "h": round(box.h / frame.h, 3),
        }
        for each in islice(outlines, _MOST_REGIONS)
        if (box := each.box.intersection(frame))
    ]


def _objects(queries: list[Row], meanings: list[Meaning | None]) -> Iterator[str]:
    """The object names of the texts and the edits, in the order of the queries."""
    for query, meaning in zip(queries, meanings, strict=True):
        if meaning is not None:
            yield from (group.name for group in groups_of(meaning))
        yield from (edit.cutout.thing.name for edit in _edits(query) if isinstance(edit, Insert))


def _meaning(query: Row) -> Meaning | None:
    """The decoded meaning; None if this version cannot decode it."""
    try:
        return meaning_from_row(query.get("meaning"))
    except DataError:
        return None


def _edits(query: Row) -> tuple[Edit, ...]:
    """The edits that this version can decode."""
    edits = cast("Row", query["picture"]).get("edits")
    found = []
    for row in edits if isinstance(edits, list) else []:
        # A report of a newer version may have edits that this one does not know.
        with suppress(DataError):
            found.append(edit_from_row(row))
    return tuple(found)


@dataclass(frozen=True, slots=True, kw_only=True)
class PageCases:
    """The cases of the page."""

    json: str
    """The embedded JSON, safe in a script element."""
    shown: int
    """The number of cards."""
    left_out: int
    """The number of violated and unread cases without a card."""
    total: int = 0
    """The number of cases of the report."""
    notes: tuple[str, ...] = ()
    """Why some cards have no pictures, a sentence each."""
    undrawn: tuple[str, ...] = ()
    """The cards that could not be drawn, or not all of their pictures, a line each with the reason."""


@dataclass(slots=True)
class _Pictures:
    """The pictures of the cards, by digest."""

    found: dict[str, PictureRequest] = field(default_factory=dict)
    """The pictures with their sources."""
    turns: dict[str, int] = field(default_factory=dict)
    """The order of rendering: the first cases of every item come before the second ones."""
    failed: dict[str, str] = field(default_factory=dict)
    """Errors of pictures that could not be found or rendered."""
    unmarked: list[str] = field(default_factory=list)
    """Errors of pictures whose edited places could not be found."""
    away: dict[str, None] = field(default_factory=dict)
    """Specs of data that is not available."""
    cards: dict[str, list[str]] = field(default_factory=dict)
    """The names of the cards of each picture."""

    def add(self, row: Row, source: SceneSource | None, turn: int) -> dict[str, Picture]:
        """Adds the pictures of a case, and returns those that were found."""
        if source is None:
            self.away[str(row["data"])] = None
            return {}
        here: dict[str, Picture] = {}
        for digest, picture in case_pictures(row, source).items():
            self.cards.setdefault(digest, []).append(_card_name(row))
            if isinstance(picture, str):
                self.failed.setdefault(digest, picture)
            else:
                here[digest] = picture
                self.found.setdefault(digest, PictureRequest(picture, source))
                self.turns[digest] = min(turn, self.turns.get(digest, turn))
        return here

    def chosen(self, most: int, slow: int) -> list[str]:
        """Selects at most ``most`` pictures to render, at most ``slow`` of them slow ones."""
        chosen: list[str] = []
        for digest in sorted(self.found, key=self.turns.__getitem__):
            is_slow = is_slow_to_render(self.found[digest].picture)
            if len(chosen) < most and (slow or not is_slow):
                chosen.append(digest)
                slow -= is_slow
        return chosen


@dataclass(frozen=True, slots=True, kw_only=True)
class _Cards:
    """The cards with their pictures."""

    texts: list[str]
    """One JSON object a card."""
    pictures: _Pictures
    """Of all cards."""
    left_out: int
    """Violated and unread cases without a card."""
    failed: dict[str, str]
    """The reasons of those that could not be made, by their names."""

    @property
    def bytes(self) -> int:
        return sum(len(text.encode()) + 1 for text in self.texts)


def select_cards(
    report: Report, folder: Path, source_of: Callable[[str], SceneSource | None], images: Images
) -> PageCases:
    """Makes the cards of the report in ``folder``: of violations and of some cases that hold, or of all cases.

    All have one with ``Images.ALL``. Violations stand in the order of ``by_use``. ``source_of`` finds data by its spec;
    None where it is not available.

    Raises:
        DataError: the cases cannot be read, or are not those of the report.
    """
    most, of_cards = CARDS_AT_MOST[images], BYTES_AT_MOST[images] * 2 // 3
    choice = CaseSelector(folder, most, holding=images is Images.ALL)
    _check_one_run(report, folder, choice)
    cards = _cards(_chosen(report, choice, most), source_of, images)
    # Texts may be long, such as captions: half as many cards until they fit.
    while cards.bytes > of_cards and most > 1:
        most //= 2
        cards = _cards(_chosen(report, choice, most), source_of, images)
    claims = _text({each.item: each.claim for each in report.relations})
    room, pictures = BYTES_AT_MOST[images] - cards.bytes - len(claims.encode()), cards.pictures
    # Base64 takes 4 bytes for 3.
    fitting = max(0, room // (_LEAST_OF_A_PICTURE * 4 // 3 + _AROUND_A_PICTURE))
    wanted = pictures.chosen(fitting, SLOW_AT_MOST[images])
    totals = ",".join(map(_text, _totals(report)))
    drawn = _text(_drawn(pictures, wanted, room))
    text = f'{{"cards":[{",".join(cards.texts)}],"totals":[{totals}],"claims":{claims},"pictures":{drawn}}}'
    notes = () if images is Images.NONE else tuple(_notes(pictures, len(pictures.found) - len(wanted)))
    return PageCases(
        json=text,
        shown=len(cards.texts),
        left_out=cards.left_out,
        total=choice.lines,
        notes=notes,
        undrawn=tuple(f"{name}: {reason}" for name, reason in _undrawn(cards).items()),
    )


def _undrawn(cards: _Cards) -> dict[str, str]:
    """The first error of each card, or of one of its pictures."""
    pictures = cards.pictures
    of_pictures = {name: reason for digest, reason in pictures.failed.items() for name in pictures.cards[digest]}
    return of_pictures | cards.failed


def _card_name(row: Row) -> str:
    return f"case_id={row['case_id']!r} of {row['relation']}"


def _totals(report: Report) -> Iterator[Row]:
    """Counts of cases of each item on a model and data: all, by verdict, and by change since the baseline."""
    for result in report.relations:
        verdict, change = Counter[str](), Counter[str]()
        for stratum in result.strata:
            tally = stratum.tally
            verdict.update(
                holds=tally.holds,
                violated=tally.violated,
                unparsed=tally.unparsed,
                error=tally.errors,
                declined=tally.declined,
                flaky=tally.flaky,
                waived=tally.waived,
            )
            if stratum.change:
                paired = stratum.change.paired
                change.update(
                    regressed=paired.first_only, fixed=paired.second_only, unchanged=paired.both, still=paired.neither
                )
        yield {
            "relation": result.item,
            "model": result.model.name,
            "data": result.data.name,
            "cases": result.all_cases,
            "verdict": dict(verdict),
            "change": dict(change),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class _Chosen:
    """The cases that get cards."""

    rows: tuple[Row, ...]
    """The rows of the cards, in their order."""
    left_out: int
    """Violated and unread cases without a card."""
    of_case: Mapping[tuple[str, str], Sequence[Row]]
    """All models' rows of a case, by case id and data."""

    def others(self, row: Row) -> list[Row]:
        rows = self.of_case.get((str(row["case_id"]), str(row["data"])), ())
        return [each for each in rows if each["model"] != row["model"]]


def _chosen(report: Report, choice: CaseSelector, most: int) -> _Chosen:
    chosen = choice.chosen(most)
    holding = choice.holding_sample(most - len(chosen.rows))
    return _Chosen(
        rows=(*by_use(report, chosen.rows), *holding),
        left_out=chosen.left_out,
        of_case=choice.answers_of_others((*chosen.rows, *holding)) if len(report.models) > 1 else {},
    )


def by_use(report: Report, rows: Sequence[Row]) -> list[Row]:
    """The cases in the order in which they are of use; ``rows`` has the surest violations of each item first.

    Regressions and violations of items that missed a gate come first, then other violations, then the rest. Within
    each part, cases with unread answers come last, and the first case of every item before the second of any, the
    weakest item first.
    """
    lines = sorted(result_rows(report), key=weakness)
    # Reversed, so that the weaker of an item's two rows, which comes first, decides.
    places = {_item_of(line.result): place for place, line in reversed(list(enumerate(lines)))}
    missed = {_item_of(line.result) for line in lines if line.is_missed}
    turns: Counter[tuple[int, bool, tuple[Json, ...]]] = Counter()
    ordered: list[tuple[int, bool, int, int, int]] = []
    for number, row in enumerate(rows):
        item = (row["relation"], row["model"], row["data"])
        is_wrong = row["verdict"] in WRONG and not row.get("waived")
        is_urgent = is_wrong and (row.get("before") == Outcome.HOLDS.value or item in missed)
        part = 0 if is_urgent else 1 if is_wrong or _missed_contrast(row) else 2
        is_unread = bool(row.get("unread"))
        ordered.append((part, is_unread, turns[part, is_unread, item], places.get(item, len(places)), number))
        # The first case of every item sorts before the second of any.
        turns[part, is_unread, item] += 1
    return [rows[number] for *_, number in sorted(ordered)]


def _item_of(result: RelationResult) -> tuple[Json, ...]:
    return result.item, result.model.name, result.data.name


def _cards(chosen: _Chosen, source_of: Callable[[str], SceneSource | None], images: Images) -> _Cards:
    pictures = _Pictures()
    texts: list[str] = []
    failed: dict[str, str] = {}
    turns: Counter[tuple[Json, ...]] = Counter()
    for row in chosen.rows:
        source = None if images is Images.NONE else source_of(str(row["data"]))
        of = (row["relation"], row["model"], row["data"])
        try:
            texts.append(_text(make_card(row, pictures.add(row, source, turns[of]), chosen.others(row))))
        except Exception as error:  # whatever is wrong with one case, the page has the others
            reason = error_text(error)
            failed[_card_name(row)] = reason
            texts.append(_text(_undrawn_card(row, reason)))
        turns[of] += 1
    return _Cards(texts=texts, pictures=pictures, left_out=chosen.left_out, failed=failed)


def _undrawn_card(row: Row, reason: str) -> Row:
    """A card with what finds the case, in place of one that could not be made."""
    names = ("case_id", "relation", "model", "data", "scene", "verdict")
    found = {name: shortened(str(row.get(name, ""))) for name in names}
    return {
        "id": found.pop("case_id"),
        "item": found.pop("relation"),
        **found,
        "presumed": False,
        "waived": bool(row.get("waived")),
        "before": None,
        "expected": shortened(str(row.get("expected", ""))),
        "reason": f"This card could not be drawn ({shortened(reason)})",
        "facts": {},
        "objects": [],
        "queries": [],
    }


def _check_one_run(report: Report, folder: Path, choice: CaseSelector) -> None:
    judged = sum(result.all_cases for result in report.relations)
    if choice.lines != judged:
        raise DataError(
            f"Expected {count_noun(judged, 'case')}, as the report counts, but got {choice.lines} in the cases of "
            f"{str(folder)!r}: the two files are not of one run"
        )


def _drawn(pictures: _Pictures, wanted: list[str], room: int) -> dict[str, Json]:
    """Renders the wanted pictures within ``room`` bytes, in the order of the cards."""
    regions: dict[str, Json] = {}
    for digest in wanted:
        try:
            regions[digest] = edit_regions(*pictures.found[digest])
        except Exception as error:  # the picture is of use without them
            regions[digest] = []
            pictures.unmarked.append(error_text(error))
    # An equal share for each picture; three quarters of it, as base64 takes 4 bytes for 3.
    most = ((room - len(_text(dict(regions)).encode())) // max(1, len(wanted)) - _AROUND_A_PICTURE) * 3 // 4
    # Sources cache the photos they loaded last.
    ordered = sorted(wanted, key=lambda digest: pictures.found[digest].picture.photo.id)
    made: dict[str, Json] = {}
    with progress_bar("pictures of the report", len(ordered), "picture", delay_s=1.0) as progress:
        small = thumbnails([pictures.found[digest] for digest in ordered], most, progress)
        for digest, each in zip(ordered, small, strict=True):
            if isinstance(each, Thumbnail):
                size = {"width": each.width, "height": each.height}
                made[digest] = {"uri": each.uri, **size, "regions": regions[digest]}
            else:
                pictures.failed.setdefault(digest, each)
    # In the order of the cards, whatever the order of drawing: equal reports give equal bytes.
    return {digest: made[digest] for digest in pictures.found if digest in made}


def _notes(pictures: _Pictures, too_many: int) -> Iterator[str]:
    for spec in pictures.away:
        yield (
            f"The pictures of {spec} are not shown: the data was not at hand when this page was made. Where it is, "
            "`vqamt report DIR --data SPEC` makes the page anew with them."
        )
    if pictures.failed:
        first = next(iter(sorted(pictures.failed.items())))[1]
        count = len(pictures.failed)
        yield f"{count_noun(count, 'picture')} could not be drawn; the first: {first}"
    if pictures.unmarked:
        count = len(pictures.unmarked)
        yield f"The edited places of {count_noun(count, 'picture')} are not marked; the first: {pictures.unmarked[0]}"
    if too_many:
        yield (
            f"{count_noun(too_many, 'picture')} {'is' if too_many == 1 else 'are'} not shown: the page would be too "
            "large, or too slow to draw; the pictures of a case are drawn by `vqamt replay`."
        )


def _text(value: Row | dict[str, Json]) -> str:
    """JSON that is safe in a script element."""
    text = json.dumps(_visible(value), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    # "</script>" or "<!--" in a model's answer would end the element; JSON reads the escape as "<".
    return text.replace("<", "\\u003c")


def _visible(value: Json) -> Json:
    match value:
        case str():
            return visible(value, keep="\n")
        case dict():
            return {visible(name): _visible(each) for name, each in value.items()}
        case list():
            return list(map(_visible, value))
    return value


@dataclass(frozen=True, slots=True, kw_only=True)
class Thumbnail:
    """A small picture as a data URI."""

    uri: str
    """"data:image/webp;base64,..."."""
    width: int
    """In pixels."""
    height: int
    """In pixels."""
    bytes: int
    """Of the image file, before base64."""


class PictureRequest(NamedTuple):
    """A picture to render, and the source of its photos."""

    picture: Picture
    """What to render."""
    photos: SceneSource
    """The source of its photos."""


def is_slow_to_render(picture: Picture) -> bool:
    """True if it takes a second or more: an erasure needs an inpainter other than OpenCV's."""
    return any(isinstance(edit, Erase) and edit.method not in ("", _TELEA) for edit in picture.edits)


def thumbnails(
    wanted: Sequence[PictureRequest], most_bytes: int, drawn: Callable[[], object] = lambda: None
) -> Iterator[Thumbnail | str]:
    """Yields a thumbnail of each picture, or its error, in order; of at most ``most_bytes`` if possible.

    The bytes do not depend on the number of threads. ``drawn`` is called after each picture.
    """

    def draw(each: PictureRequest) -> Thumbnail | str:
        from pytest_vqamt.imaging.render import render  # brings PIL, which a report without pictures can do without

        try:
            return thumbnail(render(each.picture, each.photos), most_bytes)
        except Exception as error:  # a photo on the disk, or a source of the user's, may fail in any way
            return str(error) or type(error).__name__

    # Threads, as decoding and resizing in Pillow release the lock of the interpreter.
    with ThreadPoolExecutor(min(_THREADS_AT_MOST, os.cpu_count() or 1), "vqamt-thumbnail") as pool:
        try:
            for made in pool.map(draw, wanted):
                drawn()
                yield made
        finally:
            # A reader who stops, or Ctrl-C, waits for the pictures in work and for no others.
            pool.shutdown(cancel_futures=True)


def thumbnail(image: Image, most_bytes: int) -> Thumbnail:
    """Shrinks ``image`` (RGB, uint8, any size), which is not changed and never enlarged."""
    large = resized(image, _SIDE_PX)
    *first, last = _LADDER
    # The last step is taken whatever its size.
    for side, quality in first:
        made = _made(resized(large, side), quality)
        if made.bytes <= most_bytes:
            return made
    return _made(resized(large, last[0]), last[1])


def resized(image: Image, side: int) -> Image:
    """Shrinks ``image`` (RGB, uint8), which is not changed, to a longer side of at most ``side`` pixels."""
    from PIL import Image as Pillow

    scale = side / max(image.size)
    if scale >= 1:
        return image
    size = max(1, round(image.width * scale)), max(1, round(image.height * scale))
    return image.resize(size, Pillow.Resampling.LANCZOS, reducing_gap=3)


def _made(image: Image, quality: int) -> Thumbnail:
    kind, settings = picture_format()
    file = BytesIO()
    image.save(file, kind, quality=quality, **settings)
    text = b64encode(file.getvalue()).decode("ascii")
    uri = f"data:image/{kind.lower()};base64,{text}"
    return Thumbnail(uri=uri, width=image.width, height=image.height, bytes=file.tell())


@cache
def picture_format() -> tuple[str, dict[str, int]]:
    """The file format: JPEG, half as large again, if Pillow was built without WebP.

    WebP's third method of six takes half the time of the usual one, for a twentieth more bytes.
    """
    from PIL import features

    return ("WEBP", {"method": 2}) if features.check("webp") else ("JPEG", {"optimize": True})
