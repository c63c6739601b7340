"""The whole of ``report.html``: one file that loads nothing and says nothing of what it was not given."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from pytest_vqamt.core.codec import Json
from pytest_vqamt.core.results import Report
from pytest_vqamt.reporting.html.charts import charts, drawn
from pytest_vqamt.reporting.page.about import bad_records, facts, inapplicable, waivers
from pytest_vqamt.reporting.page.assets import content_policy, page_script, styles, theme_script
from pytest_vqamt.reporting.page.audit import audit_tables, earlier_audit
from pytest_vqamt.reporting.page.breakdowns import breakdowns
from pytest_vqamt.reporting.page.cautions import cautions
from pytest_vqamt.reporting.page.head import head
from pytest_vqamt.reporting.page.histograms import histograms
from pytest_vqamt.reporting.page.lanes import MARKS
from pytest_vqamt.reporting.page.papers import by_paper
from pytest_vqamt.reporting.page.ranking import differences, rankings
from pytest_vqamt.reporting.page.tables import paper_tables
from pytest_vqamt.reporting.view.lines import lines
from pytest_vqamt.reporting.view.overview import overview

if TYPE_CHECKING:
    from pytest_vqamt.reporting.page_cases import PageCases


_OPEN_AT_MOST = 24
"""So many small tables are shown at once; more are folded, paper by paper."""


def page_html(report: Report, cases: PageCases, *, audit: Mapping[str, Json] | None = None) -> str:
    """The page of a report. The same report and cases give the same page, to the byte.

    What differs between two runs that found the same (times, queries asked and cached, usage) stands in elements of
    class "varies", and nowhere else.
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=PackageLoader("pytest_vqamt.reporting.html"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    told = lines(report)
    plots, answers, parts = charts(report, told), histograms(told), breakdowns(told)
    return environment.get_template("page.html.j2").render(
        report=report,
        cases=cases,
        # What closes a script element cannot stand in it, whoever has written the cases.
        cases_json=Markup(cases.json.replace("<", "\\u003c")),
        policy=content_policy(),
        styles=Markup(styles()),
        theme_script=Markup(theme_script()),
        page_script=Markup(page_script()),
        head=head(report, told),
        cautions=tuple(cautions(report, told, cases.left_out)),
        marks=MARKS,
        charts=plots,
        drawn=drawn(plots),
        overview=overview(report, told),
        rankings=rankings(report),
        differences=differences(report),
        histograms=by_paper(answers),
        are_answers_open=len(answers) <= _OPEN_AT_MOST,
        breakdowns=by_paper(parts),
        are_breakdowns_open=len(parts) <= _OPEN_AT_MOST,
        tables=paper_tables(report),
        inapplicable=inapplicable(report),
        bad_records=bad_records(report),
        waivers=waivers(report, told),
        facts=tuple(facts(report)),
        audit=audit_tables(audit) if audit else (),
        earlier_audit=earlier_audit(audit) if audit else "",
    )
