"""``audit.html``: the sheet as one self-contained page to fill in in the browser."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Sequence
from importlib.resources import files

from pytest_vqamt.core.identity import digest
from pytest_vqamt.reporting.audit.judgements import Judgement
from pytest_vqamt.reporting.audit.sample import Sample
from pytest_vqamt.reporting.audit.sheet import COLUMNS, SHEET, SheetCase, SheetPicture, SheetRow, sheet_cell
from pytest_vqamt.reporting.html.page import inline_source, page_template

PAGE = "audit.html"


def audit_html(sample: Sample, shown: Sequence[SheetCase], rows: Sequence[SheetRow]) -> str:
    """The page of the sample's cases; ``rows`` are their rows of the sheet.

    Values from data or a model are escaped. The content policy allows this script only, and loads nothing.
    """
    from markupsafe import Markup

    script, style = ((files(__package__) / "templates" / f"audit.{kind}").read_text("utf-8") for kind in ("js", "css"))
    policy = (
        f"default-src 'none'; img-src data:; script-src {inline_source(script)}; style-src {inline_source(style)}; "
        "base-uri 'none'; form-action 'none'"
    )
    return page_template("pytest_vqamt.reporting.audit", PAGE).render(
        sample=sample,
        cases=shown,
        judgements=tuple(Judgement),
        policy=policy,
        script=Markup(script),
        style=Markup(style),
        sheet=Markup(_sheet(rows)),
        uri=_uri,
    )


def _sheet(rows: Sequence[SheetRow]) -> str:
    """The sheet as JSON that is safe in a script element."""
    sheet = {
        # The browser keeps judgements under this name, for exactly these cases and answers.
        "name": f"vqamt audit {digest(*(row[name] for row in rows for name in COLUMNS))}",
        "file": SHEET,
        "columns": COLUMNS,
        "rows": [[sheet_cell(name, row[name]) for name in COLUMNS] for row in rows],
    }
    text = json.dumps(sheet)  # in ASCII: what changes the direction of a text is escaped, too
    for letter in "<>&":
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    return text


def _uri(shown: SheetPicture) -> str:
    return f"data:image/{shown.kind};base64,{b64encode(shown.image).decode('ascii')}"
