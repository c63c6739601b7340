"""Blessed cases are asked in place of drawn ones, and compared with what became of them then."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from operator import eq
from pathlib import Path

import pytest

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.case import Case, Outcome, RelationInfo, Verdict
from pytest_vqamt.core.errors import DataError, VqamtError
from pytest_vqamt.core.events import Event, Judged
from pytest_vqamt.core.query import Answer
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.execution.baseline import Baseline
from pytest_vqamt.execution.plan import Sampling
from tests.execution.blessing import SAMPLING, blessed_of, run
from tests.execution.worlds import Model, Rule, Scenes, never
from tests.making import scene_of, thing_of

COUNTS = (
    "cases", "holds", "violated", "unparsed", "errors", "declined", "refused", "flaky", "unread_cases", "unread_holds",
)  # fmt: skip


def numbers(model: Model) -> set[int]:
    """What the model was asked about."""
    return {int(text.rpartition(" ")[2]) for text in model.asked}


def differs_where(differs: Callable[[int], bool]) -> Callable[[str], str]:
    """Gives the two questions about a number other answers where the number is such a one."""

    def reply(text: str) -> str:
        word, _, number = text.partition(" ")
        return word if differs(int(number)) else "same"

    return reply


@pytest.mark.parametrize(
    "sampling", [Sampling(max_cases=1, seed=7), replace(SAMPLING, max_cases=1_000)], ids=["fewer", "more"]
)
def test_exactly_the_blessed_cases_are_asked(tmp_path: Path, sampling: Sampling) -> None:
    then, now = Model(), Model()
    baseline = blessed_of(tmp_path, then)
    result = run(now, baseline=baseline, sampling=sampling, rule=Rule(applies=never))
    assert numbers(now) == numbers(then)
    assert (result.tally.cases, result.scenes_not_applicable) == (10, 0)


def test_old_and_new_verdicts_are_paired_case_by_case(tmp_path: Path) -> None:
    baseline = blessed_of(tmp_path, Model(reply=differs_where(lambda number: number % 2 == 0)))
    heard: list[Event] = []
    result = run(Model(reply=differs_where(lambda number: number % 3 == 0)), baseline=baseline, heard=heard)
    judged = [each for each in heard if isinstance(each, Judged)]
    asked = {each.case.id: int(each.case.queries[0].text.rpartition(" ")[2]) for each in judged}
    expected = {"both": 0, "first_only": 0, "second_only": 0, "neither": 0}
    for each in judged:
        held, holds = asked[each.case.id] % 2 != 0, asked[each.case.id] % 3 != 0
        assert each.before is not None
        assert each.before.outcome is (Outcome.HOLDS if held else Outcome.VIOLATED)
        assert each.verdict.obeys is holds
        outcomes = {(True, True): "both", (True, False): "first_only", (False, True): "second_only"}
        expected[outcomes.get((held, holds), "neither")] += 1
    assert result.change is not None
    assert result.paired == result.change.paired
    assert {name: getattr(result.change.paired, name) for name in expected} == expected
    assert all(expected.values()), "ten numbers that are drawn once for all: some of each kind"
    assert (result.change.gate, result.change.p_holm) == (None, None), "that needs all items"
    assert (result.change.version_before, result.change.other_judgement) == (1, 0)


def test_an_item_that_was_not_blessed_is_drawn_and_compared_with_nothing(tmp_path: Path) -> None:
    @dataclass(frozen=True, slots=True, kw_only=True)
    class Other(Rule):
        @property
        def info(self) -> RelationInfo:
            return replace(Rule().info, name="ours.other")

    baseline = blessed_of(tmp_path, Model())
    heard: list[Event] = []
    result = run(Model(), baseline=baseline, rule=Other(), heard=heard)
    assert (result.tally.cases, result.paired, result.change) == (10, None, None)
    assert {each.before for each in heard if isinstance(each, Judged)} == {None}


def test_presumed_cases_are_compared_apart(tmp_path: Path) -> None:
    rule = Rule(numbers=10, presumes=lambda number: number < 4)  # of one scene: ten cases, one of each number
    baseline = blessed_of(tmp_path, Model(), rule=rule, source=Scenes(1))
    result = run(Model(reply=differs_where(lambda number: number < 2)), baseline=baseline, rule=rule, source=Scenes(1))
    assert result.change is not None
    assert result.presumed is not None
    assert result.presumed.change is not None
    assert (result.change.paired.shared, result.change.paired.first_only) == (6, 0)
    assert (result.presumed.change.paired.shared, result.presumed.change.paired.first_only) == (4, 2)


@dataclass(frozen=True, slots=True, kw_only=True)
class Strict(Rule):
    """The next version of the rule: it takes no answer that is "same"."""

    @property
    def info(self) -> RelationInfo:
        return replace(Rule().info, version=2)

    def judge(self, case: Case, answers: Sequence[Answer]) -> Verdict:
        holds = answers[0].text == answers[1].text != "same"
        return Verdict(outcome=Outcome.HOLDS if holds else Outcome.VIOLATED)


def test_old_answers_are_judged_as_new_ones_are(tmp_path: Path) -> None:
    baseline = blessed_of(tmp_path, Model())
    change = run(Model(reply=lambda _text: "one"), baseline=baseline, rule=Strict()).change
    assert change is not None
    assert (change.paired.first_rate, change.paired.second_rate) == (0, 1), "as they are judged now"
    assert (change.version_before, change.other_judgement) == (1, 10)


@dataclass(frozen=True, slots=True, kw_only=True)
class NeedsFact(Rule):
    """A next version that judges by a fact that older cases lack."""

    def judge(self, case: Case, answers: Sequence[Answer]) -> Verdict:
        return Verdict(outcome=Outcome(str(dict(case.facts)["expected"])))


def test_a_version_that_cannot_judge_the_old_cases_says_so(tmp_path: Path) -> None:
    baseline = blessed_of(tmp_path, Model())
    with pytest.raises(VqamtError, match=r"to judge case \w{16}, but it raised KeyError"):
        run(Model(), baseline=baseline, rule=NeedsFact())


def fails_where(fails: Callable[[int], bool]) -> Callable[[str], str]:
    def reply(text: str) -> str:
        if fails(int(text.rpartition(" ")[2])):
            raise ConnectionError("reset")
        return "same"

    return reply


def test_cases_without_an_answer_then_or_now_are_not_paired(tmp_path: Path) -> None:
    rule, source = Rule(numbers=10), Scenes(1)
    then, now = (Model(reply=fails_where(partial(eq, number))) for number in (3, 5))
    baseline = blessed_of(tmp_path, then, rule=rule, source=source, allow_errors=True)
    heard: list[Event] = []
    result = run(now, baseline=baseline, rule=rule, source=source, heard=heard)
    assert 3 in numbers(now), "it is asked again"
    assert (result.tally.cases, result.tally.errors) == (10, 1)
    assert result.change is not None
    assert (result.change.paired.shared, result.change.paired.both) == (8, 8)
    before = [each.before for each in heard if isinstance(each, Judged)]
    assert sorted(each.outcome for each in before if each) == ["error"] + ["holds"] * 9


def test_waived_cases_are_not_blessed_and_those_waived_since_not_paired(tmp_path: Path) -> None:
    heard: list[Event] = []
    rule, source = Rule(numbers=10), Scenes(1)
    run(Model(), rule=rule, source=source, heard=heard)
    first, second, *_ = sorted(each.case.id for each in heard if isinstance(each, Judged))
    baseline = blessed_of(tmp_path, Model(), rule=rule, source=source, waived={first: "cut off"})
    result = run(Model(), baseline=baseline, rule=rule, source=source, waived={second: "cut off, too"})
    assert (result.tally.cases, result.tally.waived) == (9, 1)
    assert result.change is not None
    assert result.change.paired.shared == 8


def test_shards_share_the_blessed_cases_out(tmp_path: Path) -> None:
    baseline = blessed_of(tmp_path, then := Model())
    models = [Model(), Model(), Model()]
    results = [
        run(model, baseline=baseline, sampling=replace(SAMPLING, shard=(number, 3)))
        for number, model in enumerate(models, start=1)
    ]
    asked = [numbers(model) for model in models]
    assert set().union(*asked) == numbers(then)
    assert sum(map(len, asked)) == 10
    assert [each.change and each.change.paired.shared for each in results] == list(map(len, asked))
    assert all(asked)


def test_what_is_shown_held_before_though_it_is_not_the_simplest(tmp_path: Path) -> None:
    """A scene of index i shows i + 1 dogs; the violations of scene 0 are the simplest, and were there before."""

    def is_small(case: Case) -> bool:
        return len(case.queries[0].picture.scene.objects) == 1

    heard: list[Event] = []
    run(Model(), heard=heard)
    cases = [each.case for each in heard if isinstance(each, Judged)]
    small = {int(case.queries[0].text.split()[1]) for case in cases if is_small(case)}
    assert 0 < len(small) < 10
    always = Model(reply=lambda text: text)
    baseline = blessed_of(tmp_path, Model(reply=differs_where(lambda number: number in small)))
    shown = run(always, baseline=baseline, shrink=100).violation
    assert shown is not None
    assert int(shown.queries[0].text.split()[1]) not in small
    assert len(always.asked) == 20, "no other cases are drawn to make it simpler"
    simplest = run(Model(reply=lambda text: text)).violation
    assert simplest is not None
    assert int(simplest.queries[0].text.split()[1]) in small


class Repainted(Scenes):
    """The same scenes, but one photo is another one now."""

    def scene(self, index: int) -> Scene:
        before = super().scene(index)
        if index != 4:
            return before
        return replace(before, photo=replace(before.photo, digest="another"))


def test_photos_that_have_changed_are_told_in_one_line(tmp_path: Path) -> None:
    baseline = blessed_of(tmp_path, Model())
    with pytest.raises(DataError) as raised:
        run(Model(), baseline=baseline, source=Repainted(5))
    told = str(raised.value)
    assert told.startswith(f"{tmp_path / 'baseline.jsonl.gz'}, line ")
    assert "Expected the pictures that were blessed on made:5, but made:5 does not give them" in told
    assert "photo='scene 4.png'" in told
    assert "\n" not in told


class MoreSaid(Scenes):
    """The same photos; more is known of what they show."""

    def scene(self, index: int) -> Scene:
        before = super().scene(index)
        return scene_of(*before.objects, thing_of("cat", id="new", box=Box(50, 0, 9, 9)), id=before.id)


def test_annotations_may_change(tmp_path: Path) -> None:
    change = run(Model(), baseline=blessed_of(tmp_path, Model()), source=MoreSaid(5)).change
    assert change is not None
    assert change.paired.both == 10


@pytest.mark.parametrize(
    ("models", "data", "asked", "found"),
    [
        (("a",), ("x:1",), ("a", "x:1", "0"), "a x:1"),
        (("among them",), ("x:1",), ("among them", "x:1", "0"), "among them x:1"),
        (("among them",), ("x:1",), ("another", "x:1", "0"), ""),
        (("a",), ("x:1",), ("its next version", "x:1", "0"), "a x:1"),
        (("a", "b"), ("x:1",), ("b", "x:1", "0"), "b x:1"),
        (("a", "b"), ("x:1",), ("c", "x:1", "0"), ""),
        (("a",), ("x:1",), ("a", "x:elsewhere", "digest of x:1"), "a x:1"),
        (("a",), ("x:1", "y:1"), ("a", "y:1", "digest of x:1"), "a y:1"),
        (("a",), ("x:1",), ("a", "z:1", "0"), ""),
    ],
)
def test_models_are_found_by_name_or_alone_and_data_by_spec_or_digest(
    tmp_path: Path, models: Sequence[str], data: Sequence[str], asked: tuple[str, str, str], found: str
) -> None:
    rows = [(model, spec) for model in models for spec in data]
    file = tmp_path / "made.gz"
    pieces = [gzip.compress(b"") for _ in rows]
    head = {
        "baseline": 1,
        "vqamt_version": "1.2.3",
        "seed": 0,
        "settings": {},
        "models": [{"name": model, "fingerprint": "f"} for model in models],
        "data": [{"spec": spec, "digest": f"digest of {spec}"} for spec in data],
        "items": [
            {
                "relation": "ours.rule",
                "version": 1,
                "model": model,
                "data": spec,
                **dict.fromkeys(COUNTS, 0),
                "size_bytes": len(piece),
            }
            for (model, spec), piece in zip(rows, pieces, strict=True)
        ],
    }
    file.write_bytes(b"".join([gzip.compress(json.dumps(head).encode()), *pieces]))
    blessed = Baseline(file).item("ours.rule", *asked, models_run=("among them", asked[0]))
    assert (f"{blessed.item.model} {blessed.item.data}" if blessed else "") == found
    assert Baseline(file).item("ours.other", *asked) is None


def repacked(file: Path, change: Callable[[list[str]], object]) -> None:
    """Changes lines of a baseline of one item; the head goes on telling the size of what follows."""
    lines = gzip.decompress(file.read_bytes()).decode().splitlines()
    change(lines)
    head, *cases = lines
    piece = gzip.compress("".join(f"{line}\n" for line in cases).encode())
    if head.startswith("{") and "items" in head:
        row = json.loads(head)
        row["items"][0]["size_bytes"] = len(piece)
        head = json.dumps(row)
    file.write_bytes(gzip.compress(f"{head}\n".encode()) + piece)


def line(number: int, old: str, new: str) -> Callable[[list[str]], object]:
    """Replaces a text in a line, counted from 1."""

    def change(lines: list[str]) -> None:
        assert old in lines[number - 1]
        lines[number - 1] = lines[number - 1].replace(old, new)

    return change


BROKEN: dict[str, tuple[Callable[[list[str]], object], int, str]] = {
    "no JSON": (
        line(
            4,
            "{",
            "",
        ),
        4,
        "Expected a blessed case",
    ),
    "another item's": (
        line(3, '"relation":"ours.rule"', '"relation":"ours.other"'),
        3,
        "among those of ours.rule-made",
    ),
    "no verdict": (line(11, '"verdict"', '"judgement"'), 11, "it lacks 'verdict'"),
    "no such verdict": (line(2, '"holds"', '"perhaps"'), 2, "'perhaps'"),
    "too few answers": (line(5, '"answers":["same","same"]', '"answers":["same"]'), 5, "1 answer to 2 queries"),
    "twice": (lambda lines: lines.__setitem__(6, lines[5]), 7, "comes after"),
    "one less": (lambda lines: lines.pop(), 2, "Expected 10 cases of ours.rule-made-made:5"),
    "another schema": (
        line(1, '"baseline":1', '"baseline":2'),
        1,
        "Expected a baseline of schema 1, but got baseline=2",
    ),
    "no head": (lambda lines: lines.__setitem__(0, lines[1]), 1, "Expected what `vqamt bless` writes first"),
    "a list": (lambda lines: lines.__setitem__(0, "[]"), 1, "Expected what `vqamt bless` writes first"),
    "no items": (line(1, '"items"', '"things"'), 1, "it lacks 'items'"),
}


@pytest.mark.parametrize("how", BROKEN)
def test_a_broken_file_is_named_with_its_line(tmp_path: Path, how: str) -> None:
    change, number, told = BROKEN[how]
    file = blessed_of(tmp_path, Model()).file
    repacked(file, change)
    with pytest.raises(DataError) as raised:
        Baseline(file).check()
    said = str(raised.value)
    assert told in said
    assert str(file) in said
    assert f"line {number}" in said
    assert "\n" not in said


def test_a_line_that_was_changed_by_hand_is_found_when_it_is_asked(tmp_path: Path) -> None:
    file = blessed_of(tmp_path, Model()).file
    repacked(file, line(3, '"text":"first ', '"text":"firstly '))
    baseline = Baseline(file)
    baseline.check()
    with pytest.raises(DataError, match=r"line 3: .*case_id='\w{16}' is '\w{16}' by its content"):
        run(Model(), baseline=baseline)


def test_what_is_no_baseline_is_refused(tmp_path: Path) -> None:
    whole = blessed_of(tmp_path, Model()).file.read_bytes()
    file = tmp_path / "other.gz"
    for content, told in (
        (b"", "line 1: Expected a file that `vqamt bless` wrote, but it was cut off"),
        (b"not gzip", "line 1: Expected a file that `vqamt bless` wrote, which is gzip, but it is none"),
        (whole[:40], "line 1: Expected a file that `vqamt bless` wrote, but it was cut off"),
        (whole[:-1], f"Expected a baseline of {len(whole)} bytes, as its first line says, but {file} has"),
        (gzip.compress(gzip.decompress(whole)), "Expected"),
    ):
        file.write_bytes(content)
        with pytest.raises(DataError) as raised:
            Baseline(file).check()
        assert told in str(raised.value)
        assert str(file) in str(raised.value)
    damaged = bytearray(whole)
    damaged[-12] ^= 0xFF
    file.write_bytes(damaged)
    with pytest.raises(DataError, match=r"cannot be unpacked from line 2"):
        Baseline(file).check()
    for wrong in (tmp_path, tmp_path / "absent"):
        with pytest.raises(DataError, match=r"Expected a baseline that can be read"):
            Baseline(wrong)


def test_any_tool_that_reads_gzip_reads_the_file(tmp_path: Path) -> None:
    file = blessed_of(tmp_path, Model()).file
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        head, *cases = map(json.loads, lines)
    assert head["items"][0]["cases"] == len(cases) == 10
    assert [case["case_id"] for case in cases] == sorted(case["case_id"] for case in cases)


def test_scores_and_cut_off_questions_come_back(tmp_path: Path) -> None:
    """A relation that judges by scores finds them in the answers that were blessed."""

    class Scoring:
        def answer(self, batch: Sequence[object]) -> list[Answer]:
            return [Answer("a", (("a", 0.75), ("b", 0.25)), truncated=True) for _ in batch]

    seen: list[Answer] = []

    @dataclass(frozen=True, slots=True, kw_only=True)
    class ByScore(Rule):
        def judge(self, case: Case, answers: Sequence[Answer]) -> Verdict:
            seen.extend(answers)
            return Verdict(outcome=Outcome.HOLDS)

    baseline = blessed_of(tmp_path, Scoring(), rule=ByScore())
    seen.clear()
    run(Scoring(), baseline=baseline, rule=ByScore())
    assert len(seen) == 40
    assert set(seen) == {Answer("a", (("a", 0.75), ("b", 0.25)), truncated=True)}


def test_cases_are_read_one_after_the_other(tmp_path: Path) -> None:
    file = blessed_of(tmp_path, Model()).file
    repacked(file, line(11, "{", ""))
    baseline = Baseline(file)
    cases = baseline.cases(baseline.head.items[0], Scenes(5))
    assert len([next(cases) for _ in range(9)]) == 9
    with pytest.raises(DataError, match="line 11: Expected a blessed case"):
        next(cases)
