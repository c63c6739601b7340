"""The terminal lines of a probe: few and short whatever was found, what decides first."""

from __future__ import annotations

from pathlib import Path
from unicodedata import east_asian_width

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_vqamt.core.text import visible
from pytest_vqamt.probing.asking import Request, Said, SentRequest
from pytest_vqamt.probing.cards import COLOURS, NUMBER, Card, CardFile
from pytest_vqamt.probing.findings import ProbeFinding
from pytest_vqamt.probing.gate import Gate, gate
from pytest_vqamt.probing.kinds import FindingKind
from pytest_vqamt.probing.probe_report import compared_with, evidence
from pytest_vqamt.probing.probe_terminal import MOST_LINES, page_line, probe_lines
from pytest_vqamt.probing.results import Fact, Figure, ProbeResult

WIDTH = 100


def columns(text: str) -> int:
    return sum(2 if east_asian_width(each) in "WF" else 1 for each in text)


TEXTS = st.one_of(
    st.text(max_size=30),
    st.builds(lambda text, times: text * times, st.text(min_size=1, max_size=9), st.integers(1, 400)),
    st.sampled_from(["", " ", "  a", "\n\n", "\x1b[2J", "字" * 300, "x" * 500, "a " * 300, "::error::" * 40]),
)
NAMES = st.one_of(TEXTS.filter(bool), st.text("ab -", min_size=1, max_size=20))
LOG = [
    SentRequest(number=1, request=Request(card=Card(number=417, ground=COLOURS["red"]), text=NUMBER), answer="417"),
    SentRequest(
        number=2,
        request=Request(
            card=Card(number=417, ground=COLOURS["red"]),
            text=NUMBER,
            turns=(Said((Card(number=417, ground=COLOURS["red"]), "字" * 400)), Said((NUMBER,))),
        ),
        answer="字" * 400,
    ),
    SentRequest(
        number=3, request=Request(card=Card(ground=COLOURS["red"]), text="w " * 500), answer="", failure="500\n" * 90
    ),
]
FINDINGS = st.builds(
    ProbeFinding,
    kind=st.sampled_from(FindingKind),
    differing=st.integers(1, 10**6),
    compared=st.integers(1, 10**6),
    p_value=st.floats(0, 1),
    detail=TEXTS,
    requests=st.lists(st.integers(1, len(LOG)), max_size=3).map(tuple),
    ruled_out=st.lists(TEXTS, max_size=2).map(tuple),
)
RESULTS = st.builds(
    ProbeResult,
    model=TEXTS,
    read=st.dictionaries(NAMES, st.tuples(st.integers(0, 99), st.integers(0, 99)), max_size=5),
    findings=st.lists(FINDINGS, max_size=12, unique_by=lambda each: each.kind),
    facts=st.lists(st.builds(Fact, name=NAMES, value=TEXTS, is_minor=st.booleans()), max_size=12),
    figures=st.lists(st.builds(Figure, name=NAMES, value=st.floats(0, 1e9), unit=TEXTS), max_size=8),
    checked=st.lists(NAMES, max_size=40),
    skipped=st.lists(st.tuples(NAMES, TEXTS), max_size=20),
    log=st.just(LOG),
)


@given(
    result=RESULTS,
    allowed=st.dictionaries(st.sampled_from([each.value for each in FindingKind]), TEXTS, max_size=6),
    known=st.sets(st.sampled_from([each.value for each in FindingKind]), max_size=20),
    drops=st.lists(TEXTS, max_size=9),
    has_page=st.booleans(),
    page=NAMES,
)
@settings(max_examples=150, deadline=None)
def test_at_most_25_lines_of_100_columns(
    result: ProbeResult, allowed: dict[str, str], known: set[str], drops: list[str], has_page: bool, page: str
) -> None:
    decided = gate(result, allowed)
    found = Gate(
        new=tuple(each for each in decided.new if each not in known),
        known=tuple(each for each in decided.new if each in known),
        drops=tuple(drops),
        allowed=decided.allowed,
        not_found=decided.not_found,
    )
    lines = [*probe_lines(result, found, has_page=has_page), page_line(Path(page.replace("\0", "")))]

    assert len(lines) <= MOST_LINES
    assert [each for each in lines if columns(each) > WIDTH] == []
    assert lines[0].startswith("failed" if found.fails else ("passed", "nothing was checked"))
    assert [each for each in lines if visible(each) != each] == []
    # The first finding that fails is always told with what to do, unless a text of others' making is cut there.
    if found.new:
        assert any(each.startswith(f"{found.new[0]}: ") for each in lines)
        assert any(each.startswith("  do first: ") for each in lines)


def result(findings: int, *, facts: int = 0, skipped: int = 0) -> ProbeResult:
    made = ProbeResult(model="openai:m@http://x", read={"numbers": (18, 18)}, log=[LOG[0]], checked=["text"])
    kinds = [FindingKind.EXIF, FindingKind.JPEG, FindingKind.SIZE, *FindingKind][:findings]
    made.findings = [
        ProbeFinding(kind=kind, differing=2, compared=3, p_value=1e-6, detail="some", requests=(1,)) for kind in kinds
    ]
    made.facts = [Fact(name=f"fact {number}", value="so") for number in range(facts)]
    made.skipped = [(f"check {number}", f"reason {number}") for number in range(skipped)]
    made.figures = [Figure(name="effective resolution at 1,024 px", value=1024, unit="px")]
    return made


def test_without_findings_it_is_short() -> None:
    assert probe_lines(result(0)) == [
        "passed, 0 findings: openai:m@http://x; 1 check, 1 request",
        "reads 18 of 18 numbers",
        "measured: effective resolution at 1,024 px: 1,024 px",
    ]


def test_a_finding_says_what_was_seen_and_what_to_do() -> None:
    lines = probe_lines(result(1))
    assert lines[:2] == [
        "failed, 1 finding: openai:m@http://x; 1 check, 1 request", "reads 18 of 18 numbers"
    ]  # fmt: skip
    assert lines[2:5] == [
        "",
        f"exif: {FindingKind.EXIF.observed}",
        "  seen in 2 of 3 comparisons (by chance: p = 1.0e-06): some",
    ]
    starts = [line.split(":")[0].strip() for line in lines[5:] if line.startswith("  ") and line[2] != " "]
    assert starts == ["likely cause", "do first", "request 1"]


@pytest.mark.parametrize("findings", [3, 8])
def test_of_several_findings_the_first_is_told_in_full_and_each_is_named(findings: int) -> None:
    made = result(findings, facts=20, skipped=9)
    lines = probe_lines(made)
    text = "\n".join(lines)
    assert len(lines) <= MOST_LINES - 1
    assert lines[3].startswith(f"{made.findings[0].kind.value}: ")
    assert all(each.kind.value in text for each in made.findings)
    assert text.count("do first:") >= 2
    assert "not checked: check 0, check 1" in text
    assert lines[-1].endswith("more facts: --out DIR")
    assert probe_lines(made, has_page=True)[-1].endswith("more facts: on the page")


def test_what_is_allowed_has_a_line_behind_what_fails() -> None:
    made = result(3)
    lines = probe_lines(made, gate(made, {"exif": "ours are upright", "jpeg": "", "webp": "", "usage": "no"}))
    assert lines[0].startswith("failed, 1 finding, 2 allowed:")
    assert lines[3].startswith("size: ")
    assert f"allowed: ours are upright: exif: {FindingKind.EXIF.observed}" in lines
    assert f"allowed: jpeg: {FindingKind.JPEG.observed}" in lines
    assert [each for each in lines if "not found" in each] == ["--allow webp, usage: not found in this probe"]


def test_reasons_of_skipped_checks_are_told_where_they_fit() -> None:
    made = result(1)
    made.skipped = [("turns", "the model takes none"), ("several pictures", "the model takes none")]
    assert "not checked: turns, several pictures: the model takes none" in probe_lines(made)


def test_only_facts_that_may_decide_are_shown() -> None:
    made = result(0)
    made.facts = [
        Fact(name="requests refused", value="12"), Fact(name="requests in flight", value="up to 64", is_minor=True)
    ]  # fmt: skip
    assert probe_lines(made)[-2:] == ["requests refused: 12", "1 more fact: --out DIR"]


@pytest.mark.parametrize("kind", FindingKind)
def test_every_cause_fits_and_names_something_to_do(kind: FindingKind) -> None:
    made = result(1)
    made.findings = [
        ProbeFinding(kind=kind, differing=2, compared=3, p_value=1e-6, detail="", requests=(1,), ruled_out=("a: b",))
    ]
    text = "\n".join(probe_lines(made))
    assert "..." not in text
    assert " ".join(kind.advice.split()) in " ".join(text.split())
    # An option, a command, a setting, or a tool by its name.
    named = (
        "--",
        "vqamt",
        "Pillow",
        "preprocessor_config",
        "curl",
        "keep_alive",
        "PARAMETER",
        "Update",
        "Send ",
        "turn of",
    )
    assert any(each in kind.advice for each in named)
    assert kind.advice.endswith(".")


def test_the_end_of_a_long_path_is_shown() -> None:
    line = page_line(Path("/a" * 90) / "probe.html")
    assert len(line) <= WIDTH
    assert line.startswith("page: .../")
    assert line.endswith("/probe.html")
    assert page_line(Path("out/probe.html")) == "page: out/probe.html"


def sent(number: int, answer: str, card: Card, text: str = NUMBER, *, batch: int = 0) -> SentRequest:
    return SentRequest(number=number, request=Request(card=card, text=text), answer=answer, batch=batch)


def test_a_wrong_answer_is_compared_with_the_most_alike_right_one() -> None:
    card = Card(number=417, ground=COLOURS["red"])
    exif = Card(number=417, ground=COLOURS["red"], file=CardFile(orientation=6))
    other = Card(number=925, ground=COLOURS["blue"])
    log = [
        sent(1, "417", Card(number=417, ground=COLOURS["red"], size=(96, 96))),
        sent(2, "417", card),
        sent(3, "925", other),
        sent(4, "none", exif),
        sent(5, "none", Card(number=333, ground=COLOURS["red"])),
    ]
    assert compared_with(log, log[3]) is log[1]
    assert compared_with(log, log[4]) is None
    assert compared_with(log, log[1]) is None


def test_evidence_shows_wrong_answers_of_every_way_first() -> None:
    card = Card(number=417, ground=COLOURS["red"])
    exif = Card(number=417, ground=COLOURS["red"], file=CardFile(orientation=6))
    log = [sent(1, "417", card), sent(2, "x", card), sent(3, "x", card), sent(4, "x", exif)]
    assert [each.number for each in evidence(log, (1, 2, 3, 4))] == [2, 4, 3, 1]
