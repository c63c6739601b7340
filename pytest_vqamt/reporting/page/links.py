"""Links that choose cases: the state of the page's filters, as the part of the address after "#"."""

from __future__ import annotations

from urllib.parse import urlencode


def chosen(**facets: str) -> str:
    """The link to the cases with these values.

    >>> chosen(relation="metavqa.partition[object]", model="tiny")
    '#relation=metavqa.partition%5Bobject%5D&model=tiny'
    """
    return f"#{urlencode(facets)}"
