"""What of a report differs from run to run: times, and what it took to get the answers."""

from __future__ import annotations

from typing import Any

COSTS = ("queries_needed", "queries_asked", "queries_cached", "queries_saved", "busy_s", "items_s")


def without_costs(report: dict[str, Any]) -> dict[str, Any]:
    """The report without them, in place."""
    for field in ("started", "duration_s"):
        del report[field]
    for model in report["models"]:
        for field in COSTS:
            del model[field]
    return report
