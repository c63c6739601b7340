"""The comparison of two deployments on a terminal: at most 25 lines of 100 columns, what decides first."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_vqamt.core.text import count_noun, quoted, shortened
from pytest_vqamt.probing.against.comparison import AgainstResult, StageResult
from pytest_vqamt.probing.against.schedule import Stage
from pytest_vqamt.probing.outputs import mean
from pytest_vqamt.probing.probe_report import brief
from pytest_vqamt.probing.probe_terminal import folded

_EXAMPLES = 2
_MOST_STAGES = 5


def against_lines(result: AgainstResult) -> list[str]:
    """The comparison as lines for a terminal."""
    return [line for text, most in _texts(result) for line in folded(text, most)]


def _texts(result: AgainstResult) -> Iterator[tuple[str, int]]:
    """Each text with the most lines that it may take."""
    first, second = result.models
    yield verdict(result), 2
    yield f"A = {first}", 1
    yield f"B = {second}", 1
    told = sorted((each for each in result.stages if each.is_finding or each.differing), key=_is_alike)
    for each in told[:_MOST_STAGES]:
        yield stage_words(each), 1
    if more := told[_MOST_STAGES:]:
        yield f"and {count_noun(len(more), 'more stage')}: {', '.join(each.stage.value for each in more)}", 1
    alike = [each for each in result.stages if not each.differing and not each.is_finding]
    if alike:
        most = max(alike, key=lambda each: each.apart)
        most_apart = f", apart by at most {most.apart:.2g} ({most.stage.value})" if result.has_scores else ""
        yield (
            f"alike: {count_noun(len(alike), 'stage')}, {sum(each.compared for each in alike)} requests{most_apart}",
            2,
        )
    if scored := mean(each.divergence for each in result.stages):
        flips, compared = (sum(getattr(each, name) for each in result.stages) for name in ("flips", "compared"))
        yield f"over all: KL {scored:.2g} nats; the likeliest first token flips in {flips} of {compared}", 1
    if not result.complete:
        yield "not all stages were compared: the requests were spent (--max-requests)", 1
    yield f"compared by {result.scale}; {tokens(result)}", 2
    if result.figures:
        yield f"measured: {'; '.join(map(str, sorted(result.figures, key=lambda each: not each.has_dropped)))}", 2
    elif result.unmeasured:
        yield f"effective resolution: not measured, as {result.unmeasured}", 1
    if result.explanation is not None:
        sent = count_noun(result.explanation.requests, "request")
        smallest = result.explanation.smallest or "none of one picture"
        yield f"smallest picture that separates them: {smallest} (looking for the cause took {sent})", 2
    examples = [pair for each in result.stages if each.is_finding for pair in each.differing]
    for one, other in examples[:: max(1, len(examples) // _EXAMPLES)][:_EXAMPLES]:
        answers = f"A {quoted(shortened(one.answer))}, B {quoted(shortened(other.answer))}"
        yield f"{brief(one.look)}; {quoted(brief(one.text))}: {answers}", 2


def _is_alike(stage: StageResult) -> bool:
    return not stage.is_finding


def verdict(result: AgainstResult) -> str:
    """What was found, in words."""
    if result.parted:
        return f"they part at {result.parted}"
    part = "" if result.complete else " in what was compared: the requests were spent"
    return f"no difference beyond chance{part}"


def stage_words(stage: StageResult) -> str:
    """A stage in one line: how many pairs differ, and by how much."""
    mark = "DIFFERENT" if stage.is_finding else "alike"
    once = f" ({stage.wavering} once)" if stage.wavering else ""
    told = f"{stage.stage.value}: {mark}, {len(stage.differing)} of {stage.compared}{once}"
    if not stage.has_scores and stage.stage is Stage.PHOTOS:
        return told
    if not stage.has_scores:
        return f"{told}; right: A {stage.right[0]}, B {stage.right[1]}"
    divergence = "" if stage.divergence is None else f", KL {stage.divergence:.2g}"
    return f"{told}; apart by {stage.apart:.2g}, later {stage.apart_later:.2g}{divergence}"


def tokens(result: AgainstResult) -> str:
    """How the counts of tokens differ, in words."""
    return f"tokens in: {result.tokens or 'the same, or not counted'}"
