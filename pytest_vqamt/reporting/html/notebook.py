"""A report and its cases as HTML fragments for a notebook: no script, no request, styles that stay inside."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

from pytest_vqamt.core.codec import Json
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.report_json import Row
from pytest_vqamt.core.results import Report
from pytest_vqamt.data.base import SceneSource
from pytest_vqamt.reporting.html.cards import (
    PictureRequest,
    Thumbnail,
    by_use,
    case_pictures,
    edit_regions,
    make_card,
    thumbnails,
)
from pytest_vqamt.reporting.html.case_selection import CaseSelector
from pytest_vqamt.reporting.html.page import page_template
from pytest_vqamt.reporting.view.format import axis_percent, format_percent, format_percents
from pytest_vqamt.reporting.view.headline import headline, weakness
from pytest_vqamt.reporting.view.rows import result_rows

if TYPE_CHECKING:
    from jinja2.runtime import Macro

_ROWS_SHOWN = 12
_CASES_SHOWN = 3
_BYTES_OF_A_PICTURE = 6_000


def report_fragment(report: Report, folder: Path, source_of: Callable[[str], SceneSource | None]) -> str:
    """The headline, the weakest relation variants as a chart, and three violations with their pictures.

    ``folder`` has the cases; ``source_of`` finds data by its spec, None where it is not available.
    """
    rows = result_rows(report)
    ordered = sorted((line for line in rows if line.counted.tally.judged), key=weakness)
    most = 2 * max(len(rows), _CASES_SHOWN)  # one of each; cases that hold without their contrast have a share, too
    chosen = by_use(report, CaseSelector(folder, most, holding=False).chosen(most).rows)
    wrong = [row for row in chosen if row["verdict"] in ("violated", "unparsed")][:_CASES_SHOWN]
    return page_template("pytest_vqamt.reporting.html", "notebook.html.j2").render(
        head=headline(report, rows),
        rows=ordered[:_ROWS_SHOWN],
        left_out=max(0, len(ordered) - _ROWS_SHOWN),
        several=len(report.models) > 1,
        cards=_cards([(row, source_of(str(row["data"]))) for row in wrong]),
        percent=format_percent,
        percents=format_percents,
        axis=axis_percent,
    )


def cases_html(cases: Sequence[tuple[Row, SceneSource | None]]) -> str:
    """Cases with their pictures; without its source a case has none."""
    template = page_template("pytest_vqamt.reporting.html", "notebook.html.j2")
    show = cast("Macro", template.make_module({"head": None}).cases)  # type: ignore[attr-defined]  # a macro of ours
    return str(show(_cards(cases)))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shot:
    """A picture of a card, with all that is outlined on it."""

    number: int
    edits: str
    thumbnail: Thumbnail | None
    regions: list[Row]


def _cards(cases: Sequence[tuple[Row, SceneSource | None]]) -> list[Row]:
    return [_card(row, source) for row, source in cases]


def _card(row: Row, source: SceneSource | None) -> Row:
    found = case_pictures(row, source) if source else {}
    pictures = {digest: each for digest, each in found.items() if isinstance(each, Picture)}
    card = make_card(row, pictures)
    small: dict[str, Thumbnail | str] = {}
    if source:
        wanted = [PictureRequest(each, source) for each in pictures.values()]
        small = dict(zip(pictures, thumbnails(wanted, _BYTES_OF_A_PICTURE), strict=True))
    shots: dict[str, _Shot] = {}
    queries = cast("list[Row]", card["queries"])
    for query in queries:
        digest = str(query["picture"])
        if digest not in shots:
            made = small.get(digest)
            regions = cast("list[Row]", edit_regions(pictures[digest], source)) if digest in pictures and source else []
            shots[digest] = _Shot(
                number=len(shots) + 1,
                edits=str(query["edits"]) or "original",
                thumbnail=made if isinstance(made, Thumbnail) else None,
                regions=regions,
            )
        shots[digest].regions.extend(cast("list[Row]", query["asked"]))
    numbered = [{**query, "number": shots[str(query["picture"])].number} for query in queries]
    return {**card, "queries": cast("Json", numbered), "shots": cast("Json", list(shots.values()))}
