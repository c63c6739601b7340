"""What a run will cost and has cost, and a run that stops before it costs too much."""

from __future__ import annotations

import re
from base64 import b64decode
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from io import BytesIO
from typing import Any

import pytest
from PIL import Image

from tests.models.openai.stub import Reply, Request, Stub, said
from tests.plugin.conftest import Run
from tests.reporting.reported import cases_in, report_in

RELATIONS = "--vqamt-relations=metavqa.partition,metavqa.reorder,carets.negation"
PRICES = ("--vqamt-option=price-in=2", "--vqamt-option=price-out=8")

IN_FLIGHT = "--vqamt-option=in-flight=4"

Charge = Callable[[Request, tuple[int, int]], tuple[int, int]]
"""The tokens in and out of a request with a picture of a size."""


class Till:
    """A server that charges for each request, and remembers what.

    Attributes:
        charged: in the prices above.
    """

    def __init__(self, charge: Charge) -> None:
        self.charge = charge
        self.charged = 0.0
        self.asked = Counter[tuple[str, str]]()

    def __call__(self, request: Request) -> Reply:
        size = Image.open(BytesIO(b64decode(request.picture.partition(",")[2]))).size
        tokens_in, tokens_out = self.charge(request, size)
        self.charged += (2 * tokens_in + 8 * tokens_out) / 1e6
        self.asked[request.prompt, request.picture] += 1
        number = sum(map(ord, request.prompt)) % 3
        usage = {"prompt_tokens": tokens_in, "completion_tokens": tokens_out}
        return said(("yes", "no", str(number))[number], usage=usage)


def pieces(text: str) -> int:
    """Tokens of a text as a tokenizer would cut it: words, the long ones in two, and each mark."""
    return sum(1 + (len(piece) > 9) for piece in re.findall(r"\w+|[^\w\s]|\n", text))


def as_qwen(request: Request, size: tuple[int, int]) -> tuple[int, int]:
    """Qwen2.5-VL: a token for 28 x 28 pixels of a picture between bounds that ours do not reach, and its template."""
    width, height = (round(length / 28) for length in size)
    return width * height + 2 + 20 + pieces(request.prompt), 2


def as_nobody(request: Request, size: tuple[int, int]) -> tuple[int, int]:
    """A formula that is documented nowhere, of a model that says much."""
    return 900 + size[0] * size[1] // 2000 + 2 * pieces(request.prompt), 10 + len(request.prompt) % 5


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("VQAMT_OPENAI_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def serve() -> Iterator[Callable[[Callable[[Request], Reply]], Stub]]:
    pytest.importorskip("httpx2")
    with ExitStack() as servers:
        yield lambda script: servers.enter_context(Stub(script))


Serve = Callable[[Callable[[Request], Reply]], Stub]


def forecast(run: Run, model: str, *arguments: str) -> tuple[float, str]:
    """The forecast cost, and the whole output."""
    text = run(RELATIONS, "--vqamt-plan", *PRICES, *arguments, model=model, max_cases=12).stdout.str()
    found = re.search(r"^cost: ([\d.,]+) ", text, re.MULTILINE)
    assert found, text
    return float(found[1]), text


def report(pytester: pytest.Pytester) -> dict[str, Any]:
    read: dict[str, Any] = report_in(pytester.path / "out")
    return read


def test_a_plan_forecasts_the_cost_by_the_formula_of_the_family(
    pytester: pytest.Pytester, run: Run, serve: Serve
) -> None:
    till = Till(as_qwen)
    model = f"openai:Qwen/Qwen2.5-VL-7B-Instruct@{serve(till).url}"
    cost, text = forecast(run, model)
    assert not till.asked
    assert "tokens in by the documented formula of Qwen2-VL and Qwen2.5-VL" in text
    run(RELATIONS, "--vqamt-report=out", *PRICES, model=model, max_cases=12)
    assert cost == pytest.approx(till.charged, rel=0.05)
    (used,) = report(pytester)["models"]
    assert used["usage"]["cost"] == pytest.approx(till.charged, rel=1e-9)
    assert f"cost {till.charged:,.6g}" in (pytester.path / "out" / "summary.md").read_text().replace("\\", "")


def test_a_run_that_stops_for_its_cost_loses_nothing_and_goes_on(
    pytester: pytest.Pytester, run: Run, serve: Serve
) -> None:
    till = Till(as_nobody)
    model = f"openai:ours@{serve(till).url}"
    most = 0.2
    stopped = run(
        RELATIONS, "--vqamt-report=out", f"--vqamt-max-cost={most}", IN_FLIGHT, *PRICES, model=model, max_cases=12
    )
    assert stopped.ret == pytest.ExitCode.TESTS_FAILED
    assert "Expected another query to fit into --vqamt-max-cost=0.2, but 0.19" in stopped.stdout.str()
    assert 0.9 * most < till.charged <= most
    first = report(pytester)
    assert first["complete"] is False
    spent, answered = till.charged, till.asked.total()

    cost, text = forecast(run, model)
    assert f"tokens in by measured on {answered:,} answers" in text
    assert f"{answered:,} cached" in text
    run(RELATIONS, "--vqamt-report=out", *PRICES, model=model, max_cases=12).assert_outcomes(passed=5)
    assert max(till.asked.values()) == 1, "nothing that was answered is asked again"
    assert cost == pytest.approx(till.charged - spent, rel=0.05)
    about = first["models"][0]["usage"]["cost of all items, about"]
    assert spent < about < 2 * till.charged, "going by one item of five"
    resumed = cases_in(pytester.path / "out")
    run(RELATIONS, "--vqamt-report=whole", "--vqamt-cache=other", *PRICES, model=model, max_cases=12)
    assert resumed == cases_in(pytester.path / "whole")


def test_money_needs_prices_and_a_cache(run: Run, serve: Serve) -> None:
    server = serve(Till(as_nobody))
    model = f"openai:ours@{server.url}"
    text = run(RELATIONS, "--vqamt-max-cost=1", model=model, max_cases=12).stdout.str()
    assert "tells none: give --vqamt-option price=FILE, or price-in and price-out" in text
    assert len(server.requests) <= 2, "one for each of the two batches"
    silent = serve(lambda _: said("yes"))
    text = run(RELATIONS, "--vqamt-max-cost=1", *PRICES, model=f"openai:ours@{silent.url}", max_cases=12).stdout.str()
    assert "counts no tokens (usage in its replies), which the prices are for" in text
    refused = run(RELATIONS, "--vqamt-max-cost=1", "--vqamt-no-cache", *PRICES, model=model, max_cases=12)
    assert refused.ret == pytest.ExitCode.USAGE_ERROR
    assert "Expected an answer cache with --vqamt-max-cost" in refused.stderr.str()
    free = run(RELATIONS, "--vqamt-max-cost=1", model="oracle", max_cases=12)
    assert free.ret == pytest.ExitCode.USAGE_ERROR
    assert "a model that tells what its answers cost with --vqamt-max-cost" in free.stderr.str()


@pytest.mark.full
def test_workers_share_the_money(pytester: pytest.Pytester, run: Run, serve: Serve) -> None:
    till = Till(as_nobody)
    model = f"openai:ours@{serve(till).url}"
    run(RELATIONS, "--vqamt-report=out", "--vqamt-max-cost=0.12", "-n", "2", *PRICES, model=model, max_cases=12)
    each = 0.0022  # about; what the other worker has under way is not seen
    assert 0.08 < till.charged <= 0.12 + each
    assert report(pytester)["models"][0]["usage"]["cost of all items, about"] > 1.5 * till.charged
    run(RELATIONS, "-n", "2", *PRICES, model=model, max_cases=12).assert_outcomes(passed=5)
    assert max(till.asked.values()) == 1
