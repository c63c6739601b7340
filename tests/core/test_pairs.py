"""The metrics of pairs, against figures worked out from their definitions with none of our code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

import pytest

from pytest_vqamt.core.case import Case, Outcome, PairKind, Verdict
from pytest_vqamt.core.codec import Json, replace
from pytest_vqamt.core.meaning import Absent, Annotated, Choice, Count, Exists, Meaning
from pytest_vqamt.core.pairs import PairCounter, Pairs, PairTally
from pytest_vqamt.core.query import Answer, Failure, Query
from pytest_vqamt.core.report_json import metrics_row
from pytest_vqamt.core.tallies import CaseCounter
from pytest_vqamt.relations.expectations import opposite_answer, same_answer
from tests.making import case_of, group_of, scene_of

SCENE = scene_of("red car", "brown dog")
EMPTIED = scene_of("red car")

CAR, DOG, CAT = (group_of(name) for name in ("car", "dog", "cat"))
COLOURS = ("red", "blue", "brown")


@dataclass(frozen=True)
class Asked:
    """A question, its answer, and what may be said to it: the text, and what a person understands."""

    meaning: Meaning
    right: str
    said: tuple[tuple[str, str | None], ...]


YES_NO = (
    ("yes", "yes"), ("Yes", "yes"), (" YES. ", "yes"), ("no", "no"), ("No.", "no"), ("no ", "no"),
    ("purple", None), ("Purple ", None), ("purple  haze", None), ("", None),
)  # fmt: skip
CHOSEN = (
    ("red", "red"), ("Red", "red"), ("it is blue", "blue"), ("blue ", "blue"), ("brown", "brown"),
    ("red or blue", None), ("a horse", None), ("A Horse", None), ("yes", None),
)  # fmt: skip
COUNTED = (("1", "1"), ("one", "1"), ("2", "2"), ("0", "0"), ("none", "0"), ("dogs", None), ("DOGS", None))
FREE = (("tennis", "tennis"), ("Tennis", "tennis"), ("chess", "chess"), ("Chess.", "chess"))

QUESTIONS = {
    "yes": Asked(Exists(group=CAR), "yes", YES_NO),
    "no": Asked(Exists(group=CAT), "no", YES_NO),
    "negated yes": Asked(Absent(group=CAT), "yes", (*YES_NO[:3], ("purple", None))),
    "negated no": Asked(Absent(group=CAR), "no", (*YES_NO[:3], ("Purple", None))),
    "colour": Asked(Choice(what=CAR, options=COLOURS), "red", CHOSEN),
    "other order": Asked(Choice(what=CAR, options=COLOURS[::-1]), "red", CHOSEN),
    "how many": Asked(Count(groups=(DOG,)), "1", COUNTED),
    "free": Asked(Annotated(answers=(("chess", 0.3), ("tennis", 0.7))), "tennis", FREE),
}
PAIRS = {
    PairKind.SAME: (
        ("yes", "yes"),
        ("no", "no"),
        ("colour", "other order"),
        ("how many", "how many"),
        ("free", "free"),
    ),
    PairKind.OPPOSITE: (("yes", "no"), ("no", "yes"), ("yes", "negated no"), ("no", "negated yes")),
    PairKind.IMPLIED: (("yes", "yes"), ("no", "no"), ("colour", "colour")),
}


@dataclass(frozen=True)
class Pair:
    """A case with the answers that a model gave."""

    names: tuple[str, str]
    said: tuple[tuple[str, str | None], tuple[str, str | None]]
    fate: str = "judged"

    @property
    def case(self) -> Case:
        meanings = [QUESTIONS[name].meaning for name in self.names]
        asked = tuple(
            Query(picture=SCENE.picture, text=name, meaning=meaning)
            for name, meaning in zip(self.names, meanings, strict=True)
        )
        return replace(case_of(*meanings), queries=asked, facts=(("question_type", self.names[0]),))

    @property
    def is_binary(self) -> bool:
        return QUESTIONS[self.names[0]].right in ("yes", "no")


def drawn(kind: PairKind, chance: Random, n: int) -> list[Pair]:
    """A set of answers: some models are mostly right, some always say the same, some are random."""
    habit = chance.random()
    pairs = []
    for _ in range(n):
        names = chance.choice(PAIRS[kind])
        said = []
        for name in names:
            question = QUESTIONS[name]
            right = [each for each in question.said if each[1] == question.right]
            said.append(chance.choice(right) if right and chance.random() < habit else chance.choice(question.said))
        fate = chance.choices(("judged", "error", "waived"), (18, 1, 1))[0]
        pairs.append(Pair(names, (said[0], said[1]), fate))
    return pairs


def counted(kind: PairKind, pairs: Sequence[Pair], positions: Sequence[int] | None = None) -> Pairs:
    """What our code makes of it."""
    counts = CaseCounter(pairs=PairCounter(kind))
    judge = opposite_answer if kind is PairKind.OPPOSITE else same_answer
    for position, pair in zip(positions or range(len(pairs)), pairs, strict=True):
        case = pair.case
        answers = [Answer(text) for text, _ in pair.said]
        given: list[Answer | Failure] = [*answers]
        verdict = judge(case, answers)
        if pair.fate == "error":
            given[1] = Failure(reason="gone")
            verdict = Verdict(outcome=Outcome.ERROR, reason="gone")
        waived = pair.fate == "waived"
        counts.add(case, verdict, ("question_type",), waived=waived, answers=given, position=position)
    assert counts.pairs is not None
    return counts.pairs.counted


def defined(kind: PairKind, pairs: Sequence[Pair]) -> dict[str, Json]:
    """The metrics by their definitions in the paper, and those of the authors' scorer, over pairs that were judged."""

    def share(found: Sequence[bool]) -> float | None:
        return sum(found) / len(found) if found else None

    def right(pair: Pair, which: int) -> bool:
        return pair.said[which][1] == QUESTIONS[pair.names[which]].right

    def normal(text: str) -> str:
        return " ".join(text.lower().split())

    def consistent(pair: Pair) -> bool:
        (first_text, first), (second_text, second) = pair.said
        if kind is PairKind.OPPOSITE:
            return (first, second) in (("yes", "no"), ("no", "yes"))
        return (normal(first_text) if first is None else first) == (normal(second_text) if second is None else second)

    def by_authors(pair: Pair) -> bool:
        (first, _), (second, _) = pair.said
        same = first.strip().lower() == second.strip().lower()
        if kind is PairKind.OPPOSITE:
            return not same
        return same or (kind is PairKind.IMPLIED and not right(pair, 0))

    binary = [said for pair in pairs if pair.is_binary for _, said in pair.said]
    return {
        "pairs": len(pairs),
        "acc": share([right(pair, which) for pair in pairs for which in (0, 1)]),
        "acc_original": share([right(pair, 0) for pair in pairs]),
        "acc_perturbed": share([right(pair, 1) for pair in pairs]),
        "cons": share([consistent(pair) for pair in pairs]),
        "c_acc": share([right(pair, 0) and right(pair, 1) for pair in pairs]),
        "cons_authors": share([by_authors(pair) for pair in pairs]),
        "c_acc_authors": share([by_authors(pair) and right(pair, 0) for pair in pairs]),
        "answers": {
            "yes": binary.count("yes") / len(binary),
            "no": binary.count("no") / len(binary),
            "other": binary.count(None) / len(binary),
        }
        if binary
        else None,
    }


def without_counts(row: Json) -> dict[str, Json]:
    assert isinstance(row, dict)
    return {
        name: value for name, value in row.items() if name not in ("counts", "reference", "by", "right", "unanswered")
    }


@pytest.mark.parametrize("kind", PairKind)
def test_of_any_answers_the_metrics_are_as_they_are_defined(kind: PairKind) -> None:
    chance = Random(f"answers of {kind}")
    some = set()
    for number in range(150):
        pairs = drawn(kind, chance, number % 25)
        judged = [pair for pair in pairs if pair.fate == "judged"]
        row = metrics_row(counted(kind, pairs), None)
        assert without_counts(row) == defined(kind, judged), number
        by = row["by"]
        assert isinstance(by, dict)
        told = by.get("question_type", {})
        assert isinstance(told, dict)
        assert {value: without_counts(each) for value, each in told.items()} == {
            name: defined(kind, [pair for pair in judged if pair.names[0] == name])
            for name in {pair.names[0] for pair in judged}
        }
        some.add(row["cons"] == row["cons_authors"])
    assert some == {True, False}, "the two ways of scoring are told apart by these answers"


@pytest.mark.parametrize("kind", PairKind)
def test_the_parts_added_up_are_the_whole(kind: PairKind) -> None:
    chance = Random(f"parts of {kind}")
    for _ in range(15):
        pairs = drawn(kind, chance, 20)
        share = [chance.random() < 0.5 for _ in pairs]
        parts = [[n for n, ours in enumerate(share) if ours is side] for side in (True, False)]
        first, second = (counted(kind, [pairs[n] for n in part], part) for part in parts)
        assert first + second == second + first == counted(kind, pairs)


def test_the_bits_say_which_cases_are_right_and_which_had_no_answer() -> None:
    pairs = drawn(PairKind.SAME, Random(3), 60)
    found = counted(PairKind.SAME, pairs)

    def bits(number: int) -> list[int]:
        return [n for n in range(number.bit_length()) if number >> n & 1]

    both = [
        all(said == QUESTIONS[name].right for (_, said), name in zip(each.said, each.names, strict=True))
        for each in pairs
    ]
    assert bits(found.right) == [n for n, each in enumerate(pairs) if each.fate == "judged" and both[n]]
    assert bits(found.unanswered) == [n for n, each in enumerate(pairs) if each.fate == "error"]
    assert bits(found.right)
    assert bits(found.unanswered)


def said(kind: PairKind, first: str, second: str, *names: str) -> PairTally:
    one, two = names or ("yes", "no" if kind is PairKind.OPPOSITE else "yes")
    understood = [dict(QUESTIONS[name].said)[text] for name, text in ((one, first), (two, second))]
    return counted(kind, [Pair((one, two), ((first, understood[0]), (second, understood[1])))]).tally


def test_two_answers_that_cannot_be_read_are_consistent_where_they_are_equal_but_never_right() -> None:
    assert said(PairKind.SAME, "purple", "Purple ") == PairTally(pairs=1, consistent=1, consistent_authors=1, other=2)
    assert said(PairKind.SAME, "purple", "") == PairTally(pairs=1, other=2)
    assert said(PairKind.OPPOSITE, "purple", "") == PairTally(pairs=1, consistent_authors=1, other=2)


def test_the_authors_compare_raw_answers() -> None:
    # To "is there a car" and a paraphrase, both times yes: only a reader sees that " YES. " is "yes".
    both = PairTally(pairs=1, right_first=1, right_second=1, both_right=1, consistent=1, yes=2)
    assert said(PairKind.SAME, "yes", " YES. ") == both
    assert said(PairKind.SAME, "yes", "Yes") == replace(both, consistent_authors=1, both_right_authors=1)


def test_an_implied_answer_needs_a_right_premise() -> None:
    wrong = PairTally(pairs=1, right_second=1, consistent_authors=1, yes=1, no=1)
    assert said(PairKind.IMPLIED, "no", "yes") == wrong
    assert said(PairKind.SAME, "no", "yes") == replace(wrong, consistent_authors=0)


def test_the_truth_is_that_about_the_picture_that_was_asked_of() -> None:
    # The dog is in the first picture and not in the second: yes and then no are both right.
    asked = tuple(Query(picture=scene.picture, text="dog?", meaning=Exists(group=DOG)) for scene in (SCENE, EMPTIED))
    case = replace(case_of(), queries=asked)
    tally = PairTally.of(PairKind.SAME, case, (Answer("yes"), Answer("no")), ("yes", "no"))
    assert tally == PairTally(pairs=1, right_first=1, right_second=1, both_right=1, yes=1, no=1)


def test_a_case_can_be_of_another_kind_than_its_relation() -> None:
    pair = Pair(("yes", "no"), (("yes", "yes"), ("no", "no")))
    counts = PairCounter(PairKind.SAME)
    for kind in ("opposite", "same"):
        case = replace(pair.case, facts=(("pairs", kind),))
        answers = (Answer("yes"), Answer("no"))
        counts.add(case, answers, Verdict(outcome=Outcome.HOLDS, readings=("yes", "no")), (), 0)
    assert (counts.counted.tally.pairs, counts.counted.tally.consistent) == (2, 1)


def test_a_case_of_three_queries_is_no_pair() -> None:
    counts = PairCounter(PairKind.SAME)
    case = case_of(*[Exists(group=CAR)] * 3)
    answers = [Answer("yes")] * 3
    counts.add(case, answers, Verdict(outcome=Outcome.HOLDS, readings=("yes",) * 3), (), 0)
    assert counts.counted == Pairs()


def test_a_million_positions_are_marked_in_place() -> None:
    case = Pair(("yes", "yes"), (("yes", "yes"), ("yes", "yes"))).case
    counts = PairCounter(PairKind.SAME)
    answers, verdict = (Answer("yes"), Answer("yes")), Verdict(outcome=Outcome.HOLDS, readings=("yes", "yes"))
    for position in range(0, 1_000_000, 500):
        counts.add(case, answers, verdict, (), position)
    found = counts.counted
    assert found.right.bit_count() == found.tally.both_right == 2_000
    assert found.right.bit_length() == 999_501
