"""The styles and scripts of the page, and the policy that lets the browser run these and load nothing at all."""

from __future__ import annotations

import hashlib
from base64 import b64encode
from functools import cache
from importlib.resources import files

_STYLES = ("page.css", "chart.css", "cards.css", "print.css")
_THEME = "theme.js"
_SCRIPTS = (
    "elements.js",
    "facets.js",
    "address.js",
    "regions.js",
    "cards.js",
    "enlarge.js",
    "filters.js",
    "sorting.js",
    "start.js",
)


@cache
def styles() -> str:
    """All styles."""
    return "\n".join(map(_read, _STYLES))


@cache
def theme_script() -> str:
    """What must run before anything is shown: the choice of light or dark."""
    return _closed(_THEME)


@cache
def page_script() -> str:
    """All else that runs, as one function without a global name."""
    return _closed(*_SCRIPTS)


@cache
def content_policy() -> str:
    """Pictures that stand in the page itself, its styles and its scripts by their digests, and nothing else.

    >>> content_policy().split("; ")[:2]
    ["default-src 'none'", 'img-src data:']
    """
    scripts = " ".join(map(_digest, (theme_script(), page_script())))
    return (
        f"default-src 'none'; img-src data:; style-src {_digest(styles())}; script-src {scripts}; "
        "base-uri 'none'; form-action 'none'"
    )


def _closed(*names: str) -> str:
    return '(() => {\n"use strict";\n' + "\n".join(map(_read, names)) + "})();\n"


def _digest(text: str) -> str:
    return f"'sha256-{b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _read(name: str) -> str:
    return (files("pytest_vqamt.reporting.html") / "assets" / name).read_text(encoding="utf-8")
