"""Relations of a user's own: plain texts, follow-ups in short, expectations of a function."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from random import Random
from typing import Any

import pytest

import pytest_vqamt as vqamt
from pytest_vqamt.language.answers.reading import plain_meaning
from pytest_vqamt.relations import catalogue
from pytest_vqamt.relations.user import FollowUp, UserRelation
from pytest_vqamt.sampling.chooser import RandomChooser
from tests.making import answers_of, case_of, scene_of, thing_of
from tests.relations.deriving import derive

DOG = vqamt.Group(name="dog")
CAT = vqamt.Group(name="cat")


@pytest.fixture(autouse=True)
def _of_this_test_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalogue, "_registered", {})


def made(question: vqamt.Question | str, follow_up: FollowUp | Sequence[FollowUp], task: str = "vqa") -> UserRelation:
    @vqamt.relation("ours.test", task=task, expect=vqamt.same_answer)
    def ours(scene: vqamt.Scene, corpus: vqamt.Corpus, choose: vqamt.Chooser) -> vqamt.Draft:
        return vqamt.case(scene.picture, question, follow_up=follow_up)

    return ours


def derived(relation: UserRelation, scene: vqamt.Scene) -> vqamt.Case:
    found = derive(relation, scene, RandomChooser(Random(0)))
    assert isinstance(found, vqamt.Case)
    return found


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("Is there a dog?", vqamt.Exists(group=DOG)),
        ("Are there no dogs in the picture?", vqamt.Absent(group=DOG)),
        ("How many dogs are there?", vqamt.Count(groups=(DOG,))),
        ("How many dogs and cats can you see in the image?", vqamt.Count(groups=(DOG, CAT))),
        ("Is there a dog on the bench?", None),
        ("How many dogs are sitting?", None),
        ("How many legs does the dog have?", None),
        ("Is the dog brown?", None),
        ("What is the dog doing?", None),
    ],
)
def test_only_a_text_that_names_things_and_no_more_has_a_meaning(text: str, meaning: vqamt.Exists | None) -> None:
    assert plain_meaning(text) == meaning


def test_a_plain_text_has_the_meaning_that_the_data_know(yard: vqamt.Scene) -> None:
    texts = ["How many brown dogs are there?", "Is there a zebra?", "How many zebras are there?", "Is it late?"]
    meanings = [each.meaning for each in derived(made("Is there a dog?", list(texts)), yard).queries]
    assert meanings == [
        vqamt.Exists(group=DOG),
        vqamt.Count(groups=(vqamt.Group(name="dog", attributes=("brown",)),)),
        vqamt.Annotated(answers=(), options=("yes", "no")),
        vqamt.Annotated(answers=(), is_count=True),
        vqamt.Annotated(answers=(), options=("yes", "no")),
    ]


def test_texts_of_the_other_tasks(yard: vqamt.Scene) -> None:
    caption, hypothesis = ("captioning", ""), ("entailment", "A dog is sitting.")
    for (task, text), meaning in (
        (caption, vqamt.Describe()),
        (hypothesis, vqamt.Annotated(answers=(), options=("entailment", "neutral", "contradiction"))),
    ):
        assert [each.meaning for each in derived(made(text, yard.picture.mirror(), task), yard).queries] == [
            meaning
        ] * 2


def test_a_follow_up_is_what_is_new_in_it(yard: vqamt.Scene) -> None:
    mirrored, other = yard.picture.mirror(), vqamt.ask.exists("cat")
    several: list[FollowUp] = [mirrored, other, "Is it day?", (mirrored, "Is it day?")]
    queries = derived(made("Is it late?", several), yard).queries
    assert [(each.picture, each.text) for each in queries] == [
        (yard.picture, "Is it late?"),
        (mirrored, "Is it late?"),
        (yard.picture, other.text),
        (yard.picture, "Is it day?"),
        (mirrored, "Is it day?"),
    ]
    one = derived(made("Is it late?", (mirrored, "Is it day?")), yard).queries
    assert [(each.picture, each.text) for each in one[1:]] == [(mirrored, "Is it day?")]


@pytest.mark.parametrize(
    ("text", "kind", "options", "read"),
    [
        ("Would you cross here?", None, (), {"Yes, I would.": True, "No.": False}),
        ("How many wheels has it?", None, (), {"There are four wheels.": 4}),
        ("What is he doing?", None, ("running", "standing"), {"He is running.": "running", "(B)": "standing"}),
        ("What is he doing?", "text", (), {"He is running.": "he is running"}),
    ],
)
def test_a_free_question_is_read_by_its_kind(
    text: str, kind: str | None, options: tuple[str, ...], read: dict[str, object]
) -> None:
    meaning = vqamt.Question.free(text, kind, options).meaning  # type: ignore[arg-type]  # a plain str here
    assert {answer: vqamt.read(meaning, answer) for answer in read} == read
    assert {answer: vqamt.read(meaning, vqamt.Answer(answer)) for answer in read} == read


@pytest.mark.parametrize(
    ("text", "kind", "options", "line"),
    [
        ("What is he doing?", None, (), "vqamt.Question.free('What is he doing?', kind='text'), or options=(...)"),
        ("Is it red or blue?", None, (), "give options=('red', 'blue')"),
        ("Is it red?", "yes_no", ("yes",), "Expected the possible answers for kind='choice', and for no other"),
        ("Is it red?", "yesno", (), "did you mean 'yes_no'?"),
        (" ", "text", (), "but got text=' '"),
    ],
)
def test_a_free_question_that_cannot_be_read(text: str, kind: str | None, options: tuple[str, ...], line: str) -> None:
    with pytest.raises(vqamt.VqamtError) as told:
        vqamt.Question.free(text, kind, options)  # type: ignore[arg-type]  # as above
    assert line in str(told.value)


def test_the_mistake_in_a_text_names_the_relation_and_its_place(yard: vqamt.Scene) -> None:
    with pytest.raises(
        vqamt.VqamtError, match=r"\(in relation 'ours.test', tests.relations.test_user_relation.py:\d+\)"
    ):
        derived(made("What is the dog doing?", yard.picture.mirror()), yard)


@pytest.mark.parametrize("follow_up", [3, [3], [("Is it day?", 3)], None])
def test_a_follow_up_that_is_none(yard: vqamt.Scene, follow_up: object) -> None:
    with pytest.raises(vqamt.VqamtError, match=r"Expected a (follow-up to be|picture and a question)"):
        derived(made("Is it late?", follow_up), yard)  # type: ignore[arg-type]  # what mypy would find


def test_an_expectation_of_a_function() -> None:
    @vqamt.expectation
    def agree(count: int, there: bool) -> bool:
        """The count must be above 0 just where the second answer is yes.

        More is said below.
        """
        return (count > 0) == there

    case = case_of(vqamt.Count(groups=(DOG,)), vqamt.Exists(group=DOG))
    verdicts = [agree(case, answers_of(*each)) for each in (("2", "yes"), ("0", "yes"), ("many", "no"), ("2", "dunno"))]
    assert [(each.outcome.value, each.vacuous) for each in verdicts] == [
        ("holds", False), ("violated", False), ("holds", True), ("unparsed", False),
    ]  # fmt: skip
    assert verdicts[1].reason == "The count must be above 0 just where the second answer is yes, but got 0, yes"


def test_an_expectation_must_return_a_verdict() -> None:
    def agree(_case: vqamt.Case, _answers: object) -> bool:
        return True

    @vqamt.relation("ours.odd", expect=agree)  # type: ignore[arg-type]  # the mistake
    def odd(scene: vqamt.Scene, corpus: vqamt.Corpus, choose: vqamt.Chooser) -> vqamt.NotApplicable:
        return vqamt.NotApplicable(reason="never")

    with pytest.raises(vqamt.VqamtError, match=r"but got True: put @vqamt\.expectation on a function"):
        odd.judge(case_of(vqamt.Exists(group=DOG)), answers_of("yes"))


def test_the_oracle_declines_what_nobody_knows_and_is_held_to_the_rest() -> None:
    made("Is there a person?", ["Is it late?"])
    [result] = vqamt.run(model="oracle", data="pictures:20", relations="ours.*", max_cases=5).relations
    assert (result.tally.declined, result.tally.violated, result.tally.cases) == (5, 0, 5)
    made("Is there a dog?", ["Is there a dog in the picture?"])
    [result] = vqamt.run(model="oracle", data="pictures:20", relations="ours.*", max_cases=5).relations
    assert (result.tally.declined, result.tally.holds) == (0, 5)


def test_pairs_and_breakdown_of_a_relation() -> None:
    @vqamt.relation("ours.pairs", expect=vqamt.same_answer, pairs="same", breakdown=("size",))
    def ours(scene: vqamt.Scene, corpus: vqamt.Corpus, choose: vqamt.Chooser) -> vqamt.Draft:
        """The same twice."""
        question = vqamt.ask.exists(choose.one(scene.objects))
        return vqamt.case(scene.picture, question, follow_up=scene.picture.mirror(), facts={"size": "any"})

    [result] = vqamt.run(model="oracle", data="pictures:20", relations="ours.*", max_cases=5).relations
    assert result.pairs is not None
    assert (result.pairs.tally.acc, result.pairs.tally.cons, result.pairs.tally.c_acc) == (1, 1, 1)
    assert list(result.pairs.by) == ["size"]
    with pytest.raises(vqamt.VqamtError, match="did you mean 'same'"):
        vqamt.relation("ours.pairs", expect=vqamt.same_answer, pairs="sam")


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("def r(scene, corpus, choose, variant): ...", "but it takes (scene, corpus, choose, variant)"),
        ("def r(draw): ...", "but it takes (draw)"),
        ("def r(): ...", "but it takes ()"),
        ("def r(scene, choose, corpus): ...", "but it takes (scene, choose, corpus)"),
        ("def r(scene, corpus, choose, *, more): ...", "but it takes (scene, corpus, choose, *, more)"),
        ("def r(scene, corpus, choose): yield 1", "that returns one vqamt.case(...), but it yields or is async"),
        ("async def r(scene, corpus, choose): ...", "that returns one vqamt.case(...), but it yields or is async"),
        ("class r: ...", "Expected a function (scene, corpus, choose) as relation 'ours.r', but got <class"),
        ("r = 3", "Expected a function (scene, corpus, choose) as relation 'ours.r', but got 3"),
    ],
)
def test_a_function_that_can_be_no_relation_is_refused_where_it_stands(source: str, told: str) -> None:
    found: dict[str, Any] = {}
    exec(source, found)
    with pytest.raises(vqamt.VqamtError) as error:
        vqamt.relation("ours.r", expect=vqamt.same_answer)(found["r"])
    assert told in str(error.value)
    assert "relation 'ours.r'" in str(error.value)
    assert "ours.r" not in catalogue.names()


@pytest.mark.parametrize(
    "source",
    [
        "def r(picture, known, pick): ...",
        "def r(*anything): ...",
        "def r(scene, corpus, choose, more=1): ...",
        "class R:\n    def __call__(self, scene, corpus, choose): ...\nr = R()",
        "from functools import partial\nr = partial(lambda more, scene, corpus, choose: None, 1)",
    ],
)
def test_any_function_of_a_scene_a_corpus_and_a_chooser_is_taken(source: str) -> None:
    found: dict[str, Any] = {}
    exec(source, found)
    assert vqamt.relation("ours.r", expect=vqamt.same_answer)(found["r"]).info.name == "ours.r"


def test_a_class_that_derives_as_before_is_refused_where_it_is_registered() -> None:
    class Old:
        info = vqamt.relation("ours.any", expect=vqamt.same_answer)(lambda _scene, _corpus, _choose: None).info  # type: ignore[arg-type, return-value]  # only its info is used

        def derive(self, scene: object, corpus: object, choose: object, variant: str) -> None: ...

    with pytest.raises(vqamt.VqamtError) as error:
        catalogue.register(Old())  # type: ignore[arg-type]  # the mistake
    assert str(error.value) == (
        "Expected derive of relation 'ours.any' to take (draw), but it takes (scene, corpus, choose, variant): "
        "draw.scene, draw.corpus, draw.choose and draw.variant are its parts"
    )


@pytest.mark.parametrize(
    ("argument", "value", "told"),
    [
        ("version", "2", "Expected a whole number from 1 up, but got version='2'"),
        ("version", 0, "Expected a whole number from 1 up, but got version=0"),
        ("contrast", "no", "Expected True, False or the number of a question, from 0, but got contrast='no'"),
        ("contrast", -1, "Expected True, False or the number of a question, from 0, but got contrast=-1"),
        ("tags", "baseline", "Expected names in a tuple, such as ('size',), but got tags='baseline'"),
        ("breakdown", "size", "Expected names in a tuple, such as ('size',), but got breakdown='size'"),
        ("task", None, "Expected a task, but got task=None; known: vqa, entailment, captioning"),
        ("pairs", 3, "Expected a kind of pairs, but got pairs=3; known: same, opposite, implied"),
        ("breakdown", (3,), "Expected names in a tuple, such as ('size',), but got breakdown=(3,)"),
    ],
)
def test_an_argument_that_cannot_be_used_is_refused(argument: str, value: object, told: str) -> None:
    given: dict[str, Any] = {argument: value}
    with pytest.raises(vqamt.VqamtError) as error:
        vqamt.relation("ours.r", expect=vqamt.same_answer, **given)
    assert str(error.value) == told


def test_the_question_of_a_contrast_is_one_of_the_case(yard: vqamt.Scene) -> None:
    @vqamt.relation("ours.r", expect=vqamt.same_answer, contrast=2)
    def ours(scene: vqamt.Scene, corpus: vqamt.Corpus, choose: vqamt.Chooser) -> vqamt.Draft:
        return vqamt.case(scene.picture, "Is it late?", follow_up=scene.picture.mirror())

    with pytest.raises(vqamt.VqamtError, match=r"one of its questions, from 0, but got contrast=2 for a case of 2$"):
        derived(ours, yard)


def test_facts_are_texts_and_numbers(yard: vqamt.Scene) -> None:
    numpy = pytest.importorskip("numpy")
    given = {"size": "small", "things": numpy.int64(2), "share": numpy.float32(0.5), "day": True}
    draft = vqamt.case(yard.picture, "Is it late?", follow_up=yard.picture.mirror(), facts=given)
    assert draft.facts == (("size", "small"), ("things", 2), ("share", 0.5), ("day", True))
    assert [type(value) for _, value in draft.facts] == [str, int, float, bool]


@pytest.mark.parametrize("facts", [{"a": None}, {"a": float("nan")}, {"a": [1]}, {3: "x"}, [1], "abc", 3])
def test_other_facts_are_refused(yard: vqamt.Scene, facts: Any) -> None:
    with pytest.raises(vqamt.VqamtError, match=r"^Expected .*facts of vqamt\.case.* but got .*facts="):
        vqamt.case(yard.picture, "Is it late?", follow_up=yard.picture.mirror(), facts=facts)


@pytest.mark.parametrize("expected", [3, None])
def test_what_is_expected_is_a_text(yard: vqamt.Scene, expected: Any) -> None:
    with pytest.raises(vqamt.VqamtError, match=rf"^Expected a text, but got expected={expected}: leave it off"):
        vqamt.case(yard.picture, "Is it late?", follow_up=yard.picture.mirror(), expected=expected)


def test_a_reason_is_a_text(yard: vqamt.Scene) -> None:
    @vqamt.relation("ours.r", expect=vqamt.same_answer)
    def ours(scene: vqamt.Scene, corpus: vqamt.Corpus, choose: vqamt.Chooser) -> vqamt.NotApplicable:
        return vqamt.NotApplicable(reason=3)  # type: ignore[arg-type]  # the mistake

    with pytest.raises(vqamt.VqamtError, match=r"NotApplicable\(reason=\.\.\.\), but got NotApplicable\(reason=3\)"):
        derived(ours, yard)


@pytest.mark.parametrize(
    "source",
    [
        "def rule(a, b): assert a == b",
        "def rule(a, b): return 'why'",
        "def rule(a, b): return True, 'why'",
        "def rule(a, b): yield True",
        "async def rule(a, b): return True",
    ],
)
def test_an_expectation_says_true_or_false(source: str) -> None:
    found: dict[str, Any] = {}
    exec(source, found)
    case = case_of(vqamt.Exists(group=DOG), vqamt.Exists(group=DOG))
    with pytest.raises(
        vqamt.VqamtError, match=r"^Expected the expectation rule \(.*\) to return True or False, but got "
    ):
        vqamt.expectation(found["rule"])(case, answers_of("yes", "yes"))


def test_numpy_says_true_or_false_too() -> None:
    numpy = pytest.importorskip("numpy")
    case = case_of(vqamt.Exists(group=DOG), vqamt.Exists(group=DOG))
    expect = vqamt.expectation(lambda first, second: numpy.bool_(first == second))
    verdicts = [expect(case, answers_of("yes", each)).outcome.value for each in ("yes", "no")]
    assert verdicts == ["holds", "violated"]


@pytest.mark.parametrize(
    ("field", "value", "told"),
    [
        ("outcome", "holds", "whose outcome is a vqamt.Outcome, but got outcome='holds'"),
        ("outcome", None, "whose outcome is a vqamt.Outcome, but got outcome=None"),
        ("reason", 3, "whose reason is a text, but got reason=3"),
        ("vacuous", 1, "whose vacuous is True or False, but got vacuous=1"),
        ("readings", [1, 2], "whose readings is a tuple of texts, but got readings=[1, 2]"),
        ("figures", {"x": 0.5}, "whose figures is a tuple of names with finite numbers, but got figures={'x': 0.5}"),
        (
            "figures",
            (("x", float("nan")),),
            "whose figures is a tuple of names with finite numbers, but got figures=(('x', nan),)",
        ),
    ],
)
def test_a_verdict_is_one_that_a_report_can_hold(field: str, value: Any, told: str) -> None:
    def expect(_case: vqamt.Case, _answers: object) -> vqamt.Verdict:
        return vqamt.Verdict(**{"outcome": vqamt.Outcome.HOLDS, field: value})

    @vqamt.relation("ours.odd", expect=expect)
    def odd(scene: vqamt.Scene, corpus: vqamt.Corpus, choose: vqamt.Chooser) -> vqamt.NotApplicable:
        return vqamt.NotApplicable(reason="never")

    with pytest.raises(vqamt.VqamtError) as error:
        odd.judge(case_of(vqamt.Exists(group=DOG)), answers_of("yes"))
    assert str(error.value).endswith(told)


def test_a_blank_docstring_is_none() -> None:
    def blank(scene: vqamt.Scene, corpus: vqamt.Corpus, choose: vqamt.Chooser) -> vqamt.NotApplicable:
        return vqamt.NotApplicable(reason="never")

    blank.__doc__ = "  "
    made_of_it = vqamt.relation("ours.blank", expect=vqamt.same_answer)(blank)
    assert made_of_it.info.claim == (vqamt.same_answer.__doc__ or "").splitlines()[0]


def test_an_expectation_may_be_anything_that_is_called() -> None:
    class Equal:
        def __call__(self, first: bool, second: bool) -> bool:
            return first == second

    case = case_of(vqamt.Exists(group=DOG), vqamt.Exists(group=DOG))
    by_partial = partial(lambda wanted, first, second: (first == second) is wanted, True)
    for rule, name in ((Equal(), "Equal"), (by_partial, "<lambda>")):
        verdict = vqamt.expectation(rule)(case, answers_of("yes", "no"))
        assert verdict.reason == f"{name} must be true, but got yes, no"


def test_a_name_is_a_text() -> None:
    with pytest.raises(vqamt.VqamtError, match=r"to look like 'ours\.mirror', but got name=3$"):
        vqamt.relation(3, expect=vqamt.same_answer)  # type: ignore[arg-type]  # the mistake


def conversing(*queries: vqamt.Query, needs: tuple[str, ...] = (), contrast: bool | int = False) -> UserRelation:
    @vqamt.relation("ours.talk", expect=vqamt.same_answer, needs=needs, contrast=contrast)
    def ours(scene: vqamt.Scene, corpus: vqamt.Corpus, choose: vqamt.Chooser) -> vqamt.Draft:
        return vqamt.case_of(*queries, facts={"turns": 3})

    return ours


PICTURE = scene_of(thing_of("dog")).picture
FIRST = vqamt.Turn((PICTURE, "Is there a dog?"))
ASKED = vqamt.Query.of(FIRST, meaning=vqamt.Exists(group=DOG))
ASKED_AGAIN = vqamt.Query.of(
    FIRST,
    vqamt.Turn((vqamt.Reply(0),), vqamt.Role.ASSISTANT),
    vqamt.Turn(("Is there really a dog?",)),
    meaning=vqamt.Exists(group=DOG),
)


def test_a_relation_of_conversations() -> None:
    relation = conversing(ASKED, ASKED_AGAIN, needs=("turns",))
    case = derived(relation, scene_of(thing_of("dog")))
    assert case.queries == (ASKED, ASKED_AGAIN)
    assert (case.facts, case.expected) == ((("turns", 3),), relation.info.claim)
    assert relation.judge(case, answers_of("yes", "Yes.")).outcome is vqamt.Outcome.HOLDS
    assert relation.judge(case, answers_of("yes", "no")).outcome is vqamt.Outcome.VIOLATED


def test_a_relation_of_conversations_says_what_they_need() -> None:
    with pytest.raises(vqamt.VqamtError, match=r"ours.talk.*needs=\(\): give needs=\('turns',\)"):
        derived(conversing(ASKED, ASKED_AGAIN), scene_of(thing_of("dog")))
    with pytest.raises(vqamt.VqamtError, match=r"needs=\('turn',\); did you mean 'turns'\?"):
        conversing(needs=("turn",))
    with pytest.raises(vqamt.VqamtError, match="contrast=2 for a case of 2"):
        derived(conversing(ASKED, ASKED_AGAIN, needs=("turns",), contrast=2), scene_of(thing_of("dog")))


@pytest.mark.parametrize("queries", [(), (ASKED,), (ASKED, "Is there a dog?")])
def test_case_of_takes_two_queries_or_more(queries: tuple[Any, ...]) -> None:
    with pytest.raises(vqamt.VqamtError, match=r"Expected two queries or more in vqamt\.case_of"):
        vqamt.case_of(*queries)
