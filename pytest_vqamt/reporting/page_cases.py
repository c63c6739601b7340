"""The cases that the page of a report shows, with their pictures, as the text that stands in the page.

The text is one JSON object, in which nothing ends a script element:

    {"cards": [{"id", "item", "model", "data", "scene", "verdict": "violated" | "unparsed" | "error" | "holds",
                "presumed": bool, "waived": bool, "before": "holds" | "violated" | "unparsed" | "error" | null,
                "expected", "reason", "facts": {name: value}, "objects": [name],
                "queries": [{"picture": digest, "text", "task", "again": bool, "answer": str | null,
                             "reading": str | null, "edits": "inserted elephant", "asked": [region]}]}],
     "pictures": {digest: {"uri": "data:image/webp;base64,...", "width": int, "height": int, "regions": [region]}}}

A region is ``{"kind": "edit" | "asked", "label", "x", "y", "w", "h"}`` in fractions of the picture's width and height.
What was edited is the same for every query about a picture and stands with the picture; what is asked about differs
from query to query and stands with the query, so that a picture is there once. ``width`` and ``height`` are the
thumbnail's, in pixels. A picture that is not in ``pictures`` could not be shown, or was not to be.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from pytest_vqamt.core.codec import Json
from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.report_json import Row
from pytest_vqamt.core.results import Report
from pytest_vqamt.data.base import SceneSource
from pytest_vqamt.reporting.drawing_progress import drawing
from pytest_vqamt.reporting.html.cards import card, edit_regions, pictures_of
from pytest_vqamt.reporting.html.case_selection import Choice, Chosen
from pytest_vqamt.reporting.images import Images
from pytest_vqamt.reporting.thumbnails import Thumbnail, Wanted, takes_long, thumbnails

CARDS_AT_MOST = {Images.NONE: 1_000, Images.VIOLATIONS: 1_000, Images.ALL: 4_000}
BYTES_AT_MOST = {Images.NONE: 9_000_000, Images.VIOLATIONS: 9_000_000, Images.ALL: 36_000_000}
"""Of the text with the pictures: the rest of the page has a million bytes to itself. Cards take two thirds at most."""
SLOW_AT_MOST = {Images.NONE: 0, Images.VIOLATIONS: 40, Images.ALL: 4_000}
"""Of the pictures that take a second and more to draw."""
_LEAST_OF_A_PICTURE = 900
"""Bytes below which a picture shows nothing: rather than that, there are fewer."""
_AROUND_A_PICTURE = 150
"""Bytes of its name, its size, and what says that it is a picture."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageCases:
    """The cases of the page.

    Attributes:
        json: what the page embeds, fit for a script element as it is.
        shown: how many cases have a card.
        left_out: how many violations have none.
        notes: what else there is to be said of the cards, in sentences: why some have no pictures.
    """

    json: str
    shown: int
    left_out: int
    notes: tuple[str, ...] = ()


@dataclass(slots=True)
class _Pictures:
    """The pictures that the cards are about, by their digests.

    Attributes:
        found: with where they come from.
        turns: of those, when each is drawn: the first cases of every item come before the second ones.
        failed: those that could not be found or drawn, with why.
        away: specs of data that is not at hand.
    """

    found: dict[str, Wanted] = field(default_factory=dict)
    turns: dict[str, int] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    away: dict[str, None] = field(default_factory=dict)

    def add(self, row: Row, source: SceneSource | None, turn: int) -> dict[str, Picture]:
        """Adds those of a case, and gives those of them that there are."""
        if source is None:
            self.away[str(row["data"])] = None
            return {}
        here: dict[str, Picture] = {}
        for digest, picture in pictures_of(row, source).items():
            if isinstance(picture, str):
                self.failed.setdefault(digest, picture)
            else:
                here[digest] = picture
                self.found.setdefault(digest, Wanted(picture, source))
                self.turns[digest] = min(turn, self.turns.get(digest, turn))
        return here

    def chosen(self, most: int, slow: int) -> list[str]:
        """At most so many of them that are drawn, and of those that take long at most ``slow``."""
        chosen: list[str] = []
        for digest in sorted(self.found, key=self.turns.__getitem__):
            is_slow = takes_long(self.found[digest].picture)
            if len(chosen) < most and (slow or not is_slow):
                chosen.append(digest)
                slow -= is_slow
        return chosen


@dataclass(frozen=True, slots=True, kw_only=True)
class _Cards:
    """The cards as they stand in the page, what they are about, and how many violations have none."""

    texts: list[str]
    pictures: _Pictures
    left_out: int

    @property
    def bytes(self) -> int:
        return sum(len(text.encode()) + 1 for text in self.texts)


def page_cases(
    report: Report, folder: Path, source_of: Callable[[str], SceneSource | None], images: Images
) -> PageCases:
    """The cards of the report in ``folder``; ``source_of`` finds the data by its spec, None where it is not at hand.

    Violations have cards, and where ``images`` says so the cases that hold, too.

    Raises:
        DataError: the cases of the folder cannot be read, or are not those of the report.
    """
    most, of_cards = CARDS_AT_MOST[images], BYTES_AT_MOST[images] * 2 // 3
    choice = Choice(folder, most, holding=images is Images.ALL)
    _check_one_run(report, folder, choice)
    cards = _cards(choice.chosen(most), source_of, images)
    while cards.bytes > of_cards and most > 1:
        most //= 2
        cards = _cards(choice.chosen(most), source_of, images)
    room, pictures = BYTES_AT_MOST[images] - cards.bytes, cards.pictures
    fitting = max(0, room // (_LEAST_OF_A_PICTURE * 4 // 3 + _AROUND_A_PICTURE))
    wanted = pictures.chosen(fitting, SLOW_AT_MOST[images])
    text = f'{{"cards":[{",".join(cards.texts)}],"pictures":{_text(_drawn(pictures, wanted, room))}}}'
    notes = () if images is Images.NONE else tuple(_notes(pictures, len(pictures.found) - len(wanted)))
    return PageCases(json=text, shown=len(cards.texts), left_out=cards.left_out, notes=notes)


def _cards(chosen: Chosen, source_of: Callable[[str], SceneSource | None], images: Images) -> _Cards:
    pictures = _Pictures()
    texts = []
    turns: Counter[tuple[Json, ...]] = Counter()
    for row in chosen.rows:
        source = None if images is Images.NONE else source_of(str(row["data"]))
        of = (row["relation"], row["model"], row["data"])
        texts.append(_text(card(row, pictures.add(row, source, turns[of]))))
        turns[of] += 1
    return _Cards(texts=texts, pictures=pictures, left_out=chosen.left_out)


def _check_one_run(report: Report, folder: Path, choice: Choice) -> None:
    judged = sum(result.all_cases for result in report.relations)
    if choice.lines != judged:
        raise DataError(
            f"Expected {judged} cases, as the report counts, but got {choice.lines} in the cases of {str(folder)!r}: "
            "the two files are not of one run"
        )


def _drawn(pictures: _Pictures, wanted: list[str], room: int) -> dict[str, Json]:
    """The pictures as the page has them, within ``room`` bytes, in the order of the cards."""
    regions = {digest: edit_regions(*pictures.found[digest]) for digest in wanted}
    most = ((room - len(_text(dict(regions)).encode())) // max(1, len(wanted)) - _AROUND_A_PICTURE) * 3 // 4
    # Sources keep the photos that they were last asked for.
    ordered = sorted(wanted, key=lambda digest: pictures.found[digest].picture.photo.id)
    made: dict[str, Json] = {}
    with drawing(len(ordered)) as progress:
        small = thumbnails([pictures.found[digest] for digest in ordered], most, progress)
        for digest, each in zip(ordered, small, strict=True):
            if isinstance(each, Thumbnail):
                made[digest] = _picture(each, regions[digest])
            else:
                pictures.failed.setdefault(digest, each)
    return {digest: made[digest] for digest in pictures.found if digest in made}


def _picture(small: Thumbnail, regions: Json) -> Row:
    return {"uri": small.uri, "width": small.width, "height": small.height, "regions": regions}


def _notes(pictures: _Pictures, too_many: int) -> Iterator[str]:
    for spec in pictures.away:
        yield (
            f"The pictures of {spec} are not shown: the data was not at hand when this page was made. Where it is, "
            "`vqamt report DIR --data SPEC` makes the page anew with them."
        )
    if pictures.failed:
        first = next(iter(sorted(pictures.failed.items())))[1]
        count = len(pictures.failed)
        yield f"{count} picture{'s' if count > 1 else ''} could not be drawn; the first: {first}"
    if too_many:
        yield (
            f"{too_many} pictures are not shown: the page would be too large, or too slow to draw; the pictures of a "
            "case are drawn by `vqamt replay`."
        )


def _text(value: Row | dict[str, Json]) -> str:
    """JSON in which nothing ends a script element, or a line of JavaScript."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    text = text.encode("utf-8", "replace").decode("utf-8")  # half of a pair of characters is none
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
