"""``@pytest.mark.vqamt(fail_under=...)``: pass rates that a test of the user's own demands of its items."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import pytest

from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.core.identity import matches
from pytest_vqamt.relations.catalogue import check
from pytest_vqamt.stats.gates import Threshold

MARKER = "vqamt"
_WANTED = '@pytest.mark.vqamt(fail_under=RATE), of {"GLOB": RATE}, or of a list of RATE and "GLOB=RATE"'


def check_markers(items: Sequence[pytest.Item]) -> None:
    """Checks the markers of tests before any of them runs.

    Raises:
        OptionError: one demands no rate, or names no relation.
    """
    for node in items:
        for mark in node.iter_markers(MARKER):
            patterns = [each.pattern for each in _thresholds(mark, node)]
            check(patterns, f"fail_under of @pytest.mark.vqamt on {node.nodeid} to name a relation or a glob")


def thresholds_for(node: pytest.Item, item: str, ini: tuple[Threshold, ...]) -> tuple[Threshold, ...]:
    """What the closest marker of ``node`` demands of the relation variant ``item``, else what the ini file does.

    Closest is that of the test, then that of its class, then that of its module.

    Raises:
        OptionError: a marker demands no rate.
    """
    for mark in node.iter_markers(MARKER):
        marked = tuple(_thresholds(mark, node))
        if any(matches(each.pattern, item) for each in marked):
            return marked
    return ini


def _thresholds(mark: pytest.Mark, node: pytest.Item) -> Iterator[Threshold]:
    demanded = mark.kwargs.get("fail_under")
    if mark.args or set(mark.kwargs) != {"fail_under"}:
        shown = ", ".join([*map(repr, mark.args), *(f"{name}={value!r}" for name, value in mark.kwargs.items())])
        raise OptionError(f"Expected {_WANTED}, but got @pytest.mark.vqamt({shown}) on {node.nodeid}")
    try:
        for text in _texts(demanded):
            yield Threshold.parse(text)
    except (OptionError, TypeError) as error:
        raise OptionError(
            f"Expected {_WANTED} with rates from 0 to 1, but got fail_under={demanded!r} on {node.nodeid}"
        ) from error


def _texts(demanded: object) -> Iterator[str]:
    """The thresholds as ``--vqamt-fail-under`` takes them."""
    if isinstance(demanded, Mapping):
        yield from (f"{pattern}={rate}" for pattern, rate in demanded.items())
    elif isinstance(demanded, list | tuple):
        yield from map(str, demanded)
    elif isinstance(demanded, int | float | str):
        yield str(demanded)
    else:
        raise TypeError(f"expected a rate, got {demanded!r}")
