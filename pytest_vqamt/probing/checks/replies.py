"""What is odd in all replies together: reasoning, failures, and empty answers."""

from __future__ import annotations

from pytest_vqamt.probing.findings import FLIPS, FindingKind
from pytest_vqamt.probing.probing import Probing

_MOST_FAILED = 3
"""Failures of ordinary requests from which on they are a finding."""
_LARGE_PX = 1024


def reasoning(probing: Probing) -> None:
    """Thoughts in the answers."""
    wrong = [each for each in probing.sender.log if each.has_reasoning]
    if probing.is_finding(len(wrong), len(probing.sender.log), FLIPS):
        probing.add(FindingKind.REASONING, wrong, len(probing.sender.log), rate=FLIPS)


def failures(probing: Probing) -> None:
    """Failures and empty answers of ordinary requests; a server may refuse large pictures and long texts."""
    log = probing.sender.log
    failed = [each for each in log if each.failure]
    for each in failed[:_MOST_FAILED]:
        probing.note(f"request {each.number} failed", each.failure)
    if len(failed) > _MOST_FAILED:
        probing.note("further requests that failed", f"{len(failed) - _MOST_FAILED}")
    # Of each look and text once: a refusal of one kind of request is one fault.
    plain = [
        each
        for each in failed
        if max(each.card.size) <= _LARGE_PX
        and len(each.text.split()) < 200
        and each.card.file is None
        and not each.request.turns
    ]
    if len(plain) >= _MOST_FAILED:
        probing.add(FindingKind.FAILURES, plain, len(log), rate=FLIPS)
    empty = [each for each in log if not each.failure and not each.reading]
    if probing.is_finding(len(empty), len(log), FLIPS / 2):
        probing.add(FindingKind.EMPTY_ANSWERS, empty, len(log), rate=FLIPS / 2)
    refused = [each for each in log if each.is_refusal]
    if probing.is_finding(len(refused), len(log), FLIPS / 2):
        probing.add(FindingKind.REFUSALS, refused, len(log), rate=FLIPS / 2)


def usage(probing: Probing) -> None:
    """What the adapter has counted beside tokens: retries, and answers of a model of another name."""
    for name, value in sorted(probing.model.used().items()):
        if value and not name.startswith(("tokens", "answers with reasoning")):
            probing.note(name, f"{value:g}")
