"""``audit.html``: the sheet as one self-contained page to fill in in the browser."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import TYPE_CHECKING

from pytest_vqamt.core.identity import digest
from pytest_vqamt.reporting.audit.judgements import Judgement
from pytest_vqamt.reporting.audit.sample import Sample
from pytest_vqamt.reporting.audit.sheet import COLUMNS, SHEET, SheetCase, SheetPicture, SheetRow

if TYPE_CHECKING:
    from jinja2 import Environment


PAGE = "audit.html"


def audit_html(sample: Sample, shown: Sequence[SheetCase], rows: Sequence[SheetRow]) -> str:
    """The page of the sample's cases; ``rows`` are their rows of the sheet.

    Values from data or a model are escaped. The content policy allows this script only, and loads nothing.
    """
    from markupsafe import Markup

    script, style = _file("audit.js"), _file("audit.css")
    policy = (
        "default-src 'none'; img-src data:; "
        f"script-src {_source_of(script)}; style-src {_source_of(style)}; base-uri 'none'; form-action 'none'"
    )
    return (
        _environment()
        .get_template(PAGE)
        .render(
            sample=sample,
            cases=shown,
            judgements=tuple(Judgement),
            policy=policy,
            script=Markup(script),
            style=Markup(style),
            sheet=Markup(_sheet(rows)),
            uri=_uri,
        )
    )


def _sheet(rows: Sequence[SheetRow]) -> str:
    """The sheet as JSON that is safe in a script element."""
    sheet = {
        # The browser keeps judgements under this name, for exactly these cases and answers.
        "name": f"vqamt audit {digest(*(row[name] for row in rows for name in COLUMNS))}",
        "file": SHEET,
        "columns": COLUMNS,
        "rows": [[row[name] for name in COLUMNS] for row in rows],
    }
    text = json.dumps(sheet, ensure_ascii=False)
    for letter in "<>&\u2028\u2029":
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    return text


def _uri(shown: SheetPicture) -> str:
    return f"data:image/{shown.kind};base64,{b64encode(shown.image).decode('ascii')}"


def _source_of(text: str) -> str:
    """The source expression of an inline element in a content policy."""
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode('ascii')}'"


@cache
def _file(name: str) -> str:
    return (files(__package__) / "templates" / name).read_text(encoding="utf-8")


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader("pytest_vqamt.reporting.audit"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
