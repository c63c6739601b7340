"""``report.html``: one self-contained file that loads nothing."""

from __future__ import annotations

import hashlib
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, cast

from pytest_vqamt.core.codec import Json
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.report_json import Row
from pytest_vqamt.core.results import ModelUse, RelationResult, Report
from pytest_vqamt.core.text import count_noun, visible
from pytest_vqamt.data.scene_source import SceneSource
from pytest_vqamt.reporting.audit.audit_results import audit_tables, earlier_audit
from pytest_vqamt.reporting.html.case_cards import (
    PictureRequest,
    Thumbnail,
    by_use,
    case_pictures,
    edit_regions,
    make_card,
    thumbnails,
)
from pytest_vqamt.reporting.html.case_selection import WRONG, CaseSelector
from pytest_vqamt.reporting.html.charts import MARKS, breakdowns, charts, histograms, legend_entries, mosaics
from pytest_vqamt.reporting.item_messages import describe_queries, describe_utilisation
from pytest_vqamt.reporting.paper_tables import own_figures_table, paper_tables
from pytest_vqamt.reporting.view.format import axis_percent, format_percent, format_percents, format_usage
from pytest_vqamt.reporting.view.headline import headline, report_warnings, weakness
from pytest_vqamt.reporting.view.overview import overview_table
from pytest_vqamt.reporting.view.rankings import difference_tables, summary_tables
from pytest_vqamt.reporting.view.rows import by_paper, case_link, result_rows

if TYPE_CHECKING:
    from jinja2 import Template
    from jinja2.runtime import Macro

    from pytest_vqamt.reporting.html.case_cards import PageCases


_OPEN_AT_MOST = 24
"""With more small tables, they are folded by paper."""

_STYLES = ("page.css", "chart.css", "mosaic.css", "cards.css", "print.css")
# In this order: what runs at once uses constants of the files before it.
_SCRIPTS = ("elements", "facets", "address", "regions", "cards", "enlarge", "filters", "sorting", "start")

_LISTED = {"bad records": 100, "waived": 500}
"""The most that are listed; ``report.json`` has all."""

_ROWS_SHOWN = 12
"""The weakest relations in a notebook."""

_CASES_SHOWN = 3
"""The violations in a notebook."""

_BYTES_OF_A_PICTURE = 6_000
"""The most of a picture in a notebook, if a thumbnail can be so small."""


def report_html(report: Report, cases: PageCases, *, audit: Mapping[str, Json] | None = None) -> str:
    """The HTML page of a report; the same report and cases give the same bytes.

    Values that differ between equal runs (times, query counts, usage) are in elements of class "varies".
    """
    from markupsafe import Markup

    rows = result_rows(report)
    plots, answers, parts = charts(report, rows), histograms(rows), breakdowns(rows)
    squares = mosaics(report, rows)
    return page_template("pytest_vqamt.reporting.html", "page.html.j2").render(
        report=report,
        cases=cases,
        # Nothing in the cases may close the script element.
        cases_json=Markup(cases.json.replace("<", "\\u003c")),
        policy=content_policy(),
        styles=Markup(styles()),
        theme_script=Markup(theme_script()),
        page_script=Markup(page_script()),
        head=headline(report, rows),
        warnings=tuple(report_warnings(report, rows, cases.left_out)),
        percent=format_percent,
        percents=format_percents,
        axis=axis_percent,
        marks=MARKS,
        charts=plots,
        drawn=legend_entries(plots),
        overview=overview_table(report, rows),
        mosaics=by_paper(squares),
        are_mosaics_open=len(squares) <= _OPEN_AT_MOST,
        summary_tables=tuple(summary_tables(report, in_full=True)),
        differences=difference_tables(report),
        histograms=by_paper(answers),
        are_answers_open=len(answers) <= _OPEN_AT_MOST,
        breakdowns=by_paper(parts),
        are_breakdowns_open=len(parts) <= _OPEN_AT_MOST,
        own_figures=own_figures_table(report),
        tables=paper_tables(report),
        inapplicable=inapplicable(report),
        waived=sum(line.counted.tally.waived for line in rows),
        listed=_LISTED,
        link=case_link,
        facts=tuple(run_facts(report)),
        audit=audit_tables(audit) if audit else (),
        earlier_audit=earlier_audit(audit) if audit else "",
    )


@cache
def page_template(package: str, name: str) -> Template:
    """A template of a package, compiled once, which escapes all values."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader(package),
        autoescape=True,
        # A name that is misspelt in a template fails its tests rather than leave a gap on the page.
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_visible,
    )
    return environment.get_template(name)


def _visible(value: object) -> object:
    """A text that is no markup of ours, made visible."""
    # Not isinstance: Markup is a str, too, and stays as it is.
    return visible(value, keep="\n") if type(value) is str else value


@cache
def styles() -> str:
    """All styles."""
    return "\n".join(map(_read, _STYLES))


@cache
def theme_script() -> str:
    """The script that sets the theme before anything is shown."""
    return _closed("theme.js")


@cache
def page_script() -> str:
    """All other scripts, in one function without global names."""
    return _closed(*(f"{name}.js" for name in _SCRIPTS))


@cache
def content_policy() -> str:
    """The policy that allows embedded pictures, and the page's styles and scripts by their digests.

    >>> content_policy().split("; ")[:2]
    ["default-src 'none'", 'img-src data:']
    """
    scripts = " ".join(map(inline_source, (theme_script(), page_script())))
    return (
        f"default-src 'none'; img-src data:; style-src {inline_source(styles())}; script-src {scripts}; "
        "base-uri 'none'; form-action 'none'"
    )


def _closed(*names: str) -> str:
    return '(() => {\n"use strict";\n' + "\n".join(map(_read, names)) + "})();\n"


def inline_source(text: str) -> str:
    """The source expression of an inline style or script in a content policy."""
    # The browser runs this very text and no other, not even one that a model's answer smuggles in.
    return f"'sha256-{b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _read(name: str) -> str:
    return (files("pytest_vqamt.reporting.html") / "assets" / name).read_text(encoding="utf-8")


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFact:
    """A fact about the run."""

    name: str
    """Such as "seed" or "model tiny"."""
    value: str
    """As a text."""
    varies: bool = False
    """True if equal runs may differ in it, such as times."""


def inapplicable(report: Report) -> list[RelationResult]:
    """The items with scenes that gave no case, items without any case first.

    The reasons do not depend on the model, so only the first model's are listed.
    """
    # Reversed, so that the first model's result is the one left in the dict.
    first = {(result.item, result.data.name): result for result in reversed(report.relations)}
    found = [each for each in report.relations if first[each.item, each.data.name] is each]
    return sorted(
        (each for each in found if each.scenes_not_applicable or not each.all_cases),
        key=lambda each: each.all_cases > 0,
    )


def run_facts(report: Report) -> Iterator[RunFact]:
    """Settings, models, data, resources and cost of the run."""
    yield RunFact(name="pytest-vqamt", value=report.vqamt_version)
    yield RunFact(name="started", value=report.started, varies=True)
    yield RunFact(name="duration", value=f"{report.duration_s:,.1f} s", varies=True)
    yield RunFact(name="seed", value=str(report.seed))
    yield RunFact(name="sampler", value=report.sampler)
    yield RunFact(name="cases at most", value=f"{report.max_cases:,} of each relation variant, model and data source")
    if report.shard != "1/1":
        yield RunFact(name="shard", value=report.shard)
    for name, value in report.settings:
        yield RunFact(name=f"setting {name}", value=value)
    for model in report.models:
        yield RunFact(name=f"model {model.name}", value=f"{', '.join(model.tasks)}; fingerprint {model.fingerprint}")
        yield from _cost(model)
    for source in report.data:
        yield RunFact(
            name=f"data {source.typed}", value=f"{count_noun(source.scenes, 'scene')}; digest {source.digest}"
        )
    # Items share resources such as WordNet: each is named once.
    drawn_on = dict.fromkeys(each for result in report.relations if result.all_cases for each in result.resources)
    for name, which in drawn_on:
        yield RunFact(name=name, value=which)
    if report.baseline:
        yield RunFact(name="baseline", value=f"{report.baseline.file}; digest {report.baseline.digest}")
        for name, fingerprint in report.baseline.models:
            yield RunFact(name=f"baseline model {name}", value=f"fingerprint {fingerprint}")


def _cost(model: ModelUse) -> Iterator[RunFact]:
    yield RunFact(name="queries", value=describe_queries(model), varies=True)
    yield RunFact(name="model utilisation", value=describe_utilisation(model) or "-", varies=True)
    for name, value in model.usage:
        yield RunFact(name=f"usage: {name}", value=format_usage(value), varies=True)


def report_fragment(report: Report, folder: Path, source_of: Callable[[str], SceneSource | None]) -> str:
    """The headline, the weakest relation variants as a chart, and three violations with their pictures.

    ``folder`` has the cases; ``source_of`` finds data by its spec, None where it is not available.
    """
    rows = result_rows(report)
    ordered = sorted((line for line in rows if line.counted.tally.judged), key=weakness)
    most = 2 * max(len(rows), _CASES_SHOWN)  # one of each; cases that hold without their contrast have a share, too
    chosen = by_use(report, CaseSelector(folder, most, holding=False).chosen(most).rows)
    wrong = [row for row in chosen if row["verdict"] in WRONG][:_CASES_SHOWN]
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
    """A picture of a card."""

    number: int
    """From 1 up, by which the texts name it."""
    edits: str
    """In words; "original" for none."""
    thumbnail: Thumbnail | None
    """None if the picture cannot be drawn, or the data is not available."""
    regions: list[Row]
    """Of its edits, then of what the queries ask about."""


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
