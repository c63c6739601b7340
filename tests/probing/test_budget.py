"""What a probe's requests go to: several in flight, more where a check is undecided, none for nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import pytest
from scipy.stats import fisher_exact  # type: ignore[import-untyped]  # its stubs are a package of their own

from pytest_vqamt.core.query import ModelInput
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.wrapped import wrap_model
from pytest_vqamt.probing.asking import Request, RequestSender, SentRequest
from pytest_vqamt.probing.cards import COLOURS, Card
from pytest_vqamt.probing.checks import reading, replies, sameness
from pytest_vqamt.probing.gate import ProbeBaseline, gate
from pytest_vqamt.probing.kinds import FindingKind
from pytest_vqamt.probing.probe import MOST_REQUESTS, probe
from pytest_vqamt.probing.probe_report import figure_words
from pytest_vqamt.probing.probing import CARDS, TOGETHER, Probing
from pytest_vqamt.stats.binomial import exact_test
from tests.probing.direct import direct
from tests.probing.simulation import FlippingModel

MOST_OF_A_SANE_PROBE = 330


def sane_model(flips: float = 0.0, seed: int = 0) -> FlippingModel:
    return FlippingModel(flips, seed)


def probing_of(model: object, limit: int = MOST_REQUESTS) -> Probing:
    probing = Probing(RequestSender(wrap_model("m", model, ModelOptions()), limit), 0)
    assert reading.calibrate(probing)
    reading.measure_reading(probing)
    return probing


@pytest.mark.full
def test_a_probe_of_a_sane_server_takes_at_most_330_requests_many_of_them_in_flight() -> None:
    result = probe(direct(None))

    assert result.findings == []
    assert result.skipped == []
    assert len(result.log) <= MOST_OF_A_SANE_PROBE
    # At 100 ms each: a round for each that is alone, and one for each batch.
    assert len([each for each in result.log if not each.batch]) + len({each.batch for each in result.log}) <= 190


def test_requests_are_only_sent_at_once_to_a_server_that_answers_them_as_alone() -> None:
    cards = [Card(number=number, ground=COLOURS["red"]) for number in range(123, 143)]
    requests = [Request(card=card, text="Which number is written in this picture?") for card in cards]

    def batches(probing: Probing) -> list[int]:
        return [each.batch for each in probing.at_once(requests)]

    server = Probing(RequestSender(direct(None), MOST_REQUESTS), 0)
    assert batches(server) == [0] * 20
    server.result.checked.append(TOGETHER)
    # 16 in flight at most.
    assert batches(server) == [1] * 16 + [2] * 4
    here = Probing(RequestSender(wrap_model("m", sane_model(), ModelOptions()), MOST_REQUESTS), 0)
    here.result.checked.append(TOGETHER)
    assert batches(here) == [0] * 20


@pytest.mark.parametrize(
    ("first", "second"), [((3, 4), (1, 4)), ((8, 40), (0, 90)), ((14, 128), (1, 70)), ((0, 5), (2, 9))]
)
def test_the_exact_test_is_that_of_scipy(first: tuple[int, int], second: tuple[int, int]) -> None:
    table = [[found, tries - found] for found, tries in (first, second)]

    assert exact_test(first, second) == pytest.approx(fisher_exact(table, alternative="greater")[1])


def _empty(probing: Probing, count: int, of: int) -> None:
    log = probing.sender.log
    some = [replace(log[0], answer="", number=place + 1) for place in range(count)]
    log[:] = [*some, *(replace(log[-1], number=place + 1) for place in range(count, of))]


def test_what_is_undecided_is_told_with_its_p_value() -> None:
    probing = probing_of(sane_model())
    # A rate of 1 % is sane: 60 times the chance of 8 and more of 150 is about 0.01.
    _empty(probing, 8, 150)

    replies.answers(probing)
    replies.budget(probing)

    facts = {each.name: each.value for each in probing.result.facts}
    assert probing.result.findings == []
    assert facts["undecided: empty-answers"].startswith("8 of 150, p = ")
    assert 0.001 < probing.undecided[FindingKind.EMPTY_ANSWERS].p_value <= 0.05
    assert facts["requests"] == "150 of at most 400"


@pytest.mark.parametrize(("count", "is_open"), [(4, False), (8, True), (12, False)])
def test_neither_what_chance_explains_nor_a_finding_is_undecided(count: int, is_open: bool) -> None:
    probing = probing_of(sane_model())
    _empty(probing, count, 150)

    replies.answers(probing)

    assert (FindingKind.EMPTY_ANSWERS in probing.undecided) == is_open
    assert bool(probing.result.findings) == (count == 12)


def test_a_check_that_is_made_again_adds_up_what_it_saw() -> None:
    probing = probing_of(sane_model())
    log = probing.sender.log[:3]
    # 100 x C(12, 2) x 0.0027 ** 2 is 0.048, and 100 x C(24, 4) x 0.0027 ** 4 is 0.00006.
    assert not probing.add(FindingKind.EMPTY_PICTURE, log[:2], 12, rate=0.0027)
    assert probing.undecided.keys() == {FindingKind.EMPTY_PICTURE}
    probing.is_second_look = True

    assert probing.add(FindingKind.EMPTY_PICTURE, log[:2], 12, rate=0.0027)

    (finding,) = probing.result.findings
    assert (finding.differing, finding.compared) == (4, 24)
    assert probing.undecided == {}


def _wrong(probing: Probing, count: int) -> Iterator[tuple[SentRequest | None, bool]]:
    for _ in range(count):
        yield probing.send(probing.cards[0], probing.subject), False


@pytest.mark.parametrize(
    ("limit", "rate", "taken"),
    [
        # 100 x 0.02 ** 3 is 0.0008: three are a finding, and no more are asked for.
        (400, 0.02, 3),
        # 100 x 0.25 ** 6 is 0.024, which is open: the ninth makes 0.0004.
        (400, 0.25, 9),
        # The same with no request to spare.
        (300, 0.25, 6),
        # 100 x 0.5 ** 6 is 1.6: nothing that a few more would decide.
        (400, 0.5, 6),
    ],
)
def test_more_cards_are_asked_about_only_while_it_is_undecided(limit: int, rate: float, taken: int) -> None:
    probing = probing_of(sane_model(), limit)
    before = len(probing.sender.log)

    probing.until_right(_wrong(probing, 18), rate)

    assert len(probing.sender.log) - before == taken
    assert probing.spent_on_undecided == max(0, taken - CARDS)


def test_repeats_give_a_rate_with_its_interval_which_no_baseline_fails() -> None:
    probing = probing_of(sane_model())
    replies.repeated(probing)

    # 6 numbers three times, and 6 colours twice, which have no majority. Wilson's interval of 0 of 18 ends at 17.6 %.
    (figure,) = probing.result.figures
    assert figure_words(figure) == "answers that differ from the majority: 0 of 18 (0 to 18 %)"
    worse = replace(figure, value=50.0)
    probing.measure(worse)
    baseline = ProbeBaseline(kinds=frozenset(), read={}, figures={figure.name: 0.0})
    assert not gate(probing.result, {}, baseline).fails


def test_noise_that_the_references_did_not_show_is_measured_before_the_first_finding(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    probing = probing_of(sane_model())
    sameness.repeats(probing)
    assert probing.flips == 0.02
    # From here on the server errs in four of ten.
    noisy: Callable[[Sequence[ModelInput]], list[str]] = FlippingModel(0.4, 1).answer
    monkeypatch.setattr(probing.sender, "model", wrap_model("m", noisy_model(noisy), ModelOptions()))

    found = probing.add(FindingKind.TEXT_FIRST, probing.sender.log[:3], rate=probing.flips)

    assert not found
    assert probing.flips > 0.1
    # Eighteen requests are too few for a finding of their own: only the rate is known.
    assert probing.result.findings == []


def noisy_model(answers: Callable[[Sequence[ModelInput]], list[str]]) -> object:
    class Noisy:
        def answer(self, batch: Sequence[ModelInput]) -> list[str]:
            return answers(batch)

    return Noisy()
