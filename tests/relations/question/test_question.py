"""Relations on photos of which only questions are known: what they ask, the oracle, and the faults that they find."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

from pytest_vqamt.core.case import Case, NotApplicable, Outcome
from pytest_vqamt.core.corpus import Corpus, gather_corpus
from pytest_vqamt.core.edits import Jpeg, Mirror, Pad, Rescale, Shift, Tilt
from pytest_vqamt.core.query import Answer, Query, Task
from pytest_vqamt.core.scene import Photo, PublishedQuestion, Scene
from pytest_vqamt.data.questions import load
from pytest_vqamt.data.scene_source import SceneSource
from pytest_vqamt.language.questions.free import form_of
from pytest_vqamt.language.questions.lettered import has_letters, is_led
from pytest_vqamt.language.questions.simple import is_drawn
from pytest_vqamt.models.reference.oracle import answer_text, true_answer
from pytest_vqamt.relations import catalogue
from pytest_vqamt.relations.base import Relation
from pytest_vqamt.relations.contradictions import derive_case
from pytest_vqamt.relations.contrasts import judge_contrast, with_contrast
from pytest_vqamt.relations.expectations import judged
from pytest_vqamt.relations.presets import preset
from pytest_vqamt.relations.question import FRAMES
from tests.making import choosers
from tests.rows import each_row

COCO = Path(__file__).parents[3] / "../shared/data/coco"
RUN = tuple(
    (relation, variant)
    for relation, variant in catalogue.select(
        [each for each in preset("questions").relations if not each.startswith("basic_questions")]
    )
    if relation.info.task is Task.VQA
)
"""What runs on photos with questions; ranking basic questions takes minutes, and has its own tests."""

Reply = Callable[[Query], str]


def question(number: int, text: str, answer: str = "", *options: str) -> PublishedQuestion:
    return PublishedQuestion(id=str(number), text=text, answers=(answer,) * bool(answer), options=options)


QUESTIONS = (
    question(1, "Is the umbrella open?", "yes"),
    question(2, "How many people are waiting?", "3"),
    question(3, "What color is the umbrella?", "red"),
    question(4, "Which animal is beside the umbrella?", "horse", "horse", "elephant", "rabbit"),
    question(5, "Is the woman holding something?"),
)
PHOTO = Scene(id="a", photo=Photo(id="a", digest="0" * 16), width=640, height=480, questions=QUESTIONS)


def of(text: str, answer: str = "", *options: str) -> Scene:
    """The photo with one question."""
    return Scene(id="a", photo=PHOTO.photo, width=640, height=480, questions=(question(1, text, answer, *options),))


@cache
def corpus_of(scene: Scene) -> Corpus:
    return gather_corpus((scene,))


def cases(name: str, variant: str = "", scene: Scene = PHOTO, n: int = 30) -> list[Case]:
    relation = catalogue.get(name)
    found = (derive_case(relation, scene, corpus_of(scene), choose, variant) for choose in choosers(n))
    return list({each.id: each for each in found if isinstance(each, Case)}.values())


def outcomes(relation: Relation, some: list[Case], reply: Reply) -> set[Outcome]:
    return {judged(case, [Answer(reply(query)) for query in case.queries], relation.judge).outcome for case in some}


def oracle(query: Query) -> str:
    return answer_text(true_answer(query))


def answered(case: Case) -> bool:
    return all(true_answer(query) is not None for query in case.queries)


@pytest.mark.parametrize(("relation", "variant"), RUN, ids=[each.info.item(variant) for each, variant in RUN])
def test_each_asks_a_question_of_a_photo_and_the_oracle_holds(relation: Relation, variant: str) -> None:
    some = [each for each in cases(relation.info.name, variant) if answered(each)]
    assert some
    assert outcomes(relation, some, oracle) == {Outcome.HOLDS}
    assert not any(case.is_presumed for case in some)


def test_without_questions_there_is_no_case() -> None:
    empty = Scene(id="a", photo=PHOTO.photo, width=640, height=480)
    for relation, variant in RUN:
        for choose in choosers(3):
            found = derive_case(relation, empty, corpus_of(empty), choose, variant)
            # A corruption of the whole picture, and what the others ask, need a thing or a question, too.
            assert isinstance(found, NotApplicable), relation.info.item(variant)


def wrong(query: Query) -> str:
    right = oracle(query)
    return {"yes": "no", "no": "yes"}.get(right, "7" if right.isdigit() else "something else")


def after(*kinds: type) -> Callable[[Query], bool]:
    return lambda query: any(isinstance(edit, kinds) for edit in query.picture.edits)


FAULTS: tuple[tuple[str, tuple[str, ...], Callable[[Query], bool]], ...] = (
    ("is wrong in a frame", ("question.frame[brief]", "question.frame[polite]", "question.frame[form]",
     "question.frame[context]"), lambda query: query.text not in {each.text for each in QUESTIONS}),
    ("does not read capitals", ("question.spelling[upper]",), lambda query: query.text.isupper()),
    ("needs a capital", ("question.spelling[lower]",), lambda query: query.text[0].islower()),
    ("needs a question mark", ("question.spelling[unmarked]",), lambda query: "?" not in query.text),
    ("knows no typing errors", ("question.spelling[swapped]", "question.spelling[doubled]"),
     lambda query: not any(query.text.startswith(each.text) for each in QUESTIONS)),
    ("is wrong about mirrored pictures", ("question.mirror",), after(Mirror)),
    ("is wrong about tilted pictures", ("question.tilt",), after(Tilt)),
    ("is wrong about moved pictures", ("view.shift",), after(Shift)),
    ("is wrong about margins", ("view.pad",), after(Pad)),
    ("is wrong about other sizes", ("view.rescale[down]", "view.rescale[up]"), after(Rescale)),
    ("is wrong about JPEGs", ("view.jpeg",), after(Jpeg)),
    ("follows the asker", ("lead.belief", "lead.authority"), lambda query: is_led(query.text)),
    ("is wrong about drawn questions", ("overlay.question",), lambda query: is_drawn(query.text)),
)  # fmt: skip


@pytest.mark.parametrize(("items", "is_faulty"), [row[1:] for row in FAULTS], ids=[row[0] for row in FAULTS])
def test_a_planted_fault_is_found_by_what_it_is_planted_for_alone(
    items: tuple[str, ...], is_faulty: Callable[[Query], bool]
) -> None:
    def reply(query: Query) -> str:
        return wrong(query) if is_faulty(query) else oracle(query)

    for relation, variant in RUN:
        item = relation.info.item(variant)
        if item in items:
            some = [each for each in cases(relation.info.name, variant) if answered(each)]
            assert outcomes(relation, some, reply) & {Outcome.VIOLATED, Outcome.UNPARSED}, item


def test_a_model_that_says_b_is_found_by_the_order_and_the_labels_of_options() -> None:
    def reply(query: Query) -> str:
        return "B" if has_letters(query.text) else oracle(query)

    for name in ("choice.rotate", "choice.labels", "choice.none"):
        assert Outcome.VIOLATED in outcomes(catalogue.get(name), cases(name), reply), name


def texts(name: str, variant: str = "", scene: Scene = PHOTO, n: int = 60) -> set[str]:
    return {query.text for case in cases(name, variant, scene, n) for query in case.queries}


def test_questions_in_frames_and_other_spellings() -> None:
    scene = of("What color is the umbrella?")
    assert "Answer briefly: What color is the umbrella?" in texts("question.frame", "brief", scene)
    assert "Question: What color is the umbrella? Answer:" in texts("question.frame", "form", scene)
    assert texts("question.spelling", "upper", scene) == {"What color is the umbrella?", "WHAT COLOR IS THE UMBRELLA?"}
    assert "What color is the umberlla?" in texts("question.spelling", "swapped", scene)
    assert "What color is the umbbrella?" in texts("question.spelling", "doubled", scene)
    assert not cases("question.spelling", "swapped", of("Is it a dog?"))
    assert not cases("question.spelling", "lower", of("Is this in the USA?"))


def test_options_that_the_text_does_not_name_follow_it() -> None:
    scene = of("Which animal is it?", "horse", "horse", "rabbit")
    assert texts("control.repeat", scene=scene) == {"Which animal is it? (A) horse (B) rabbit"}
    named = of("Is it a horse or a rabbit?", "horse", "horse", "rabbit")
    assert texts("control.repeat", scene=named) == {"Is it a horse or a rabbit?"}


def test_the_order_of_yes_and_no_is_that_of_two_options() -> None:
    (case, *_) = cases("choice.rotate", scene=of("Is it open?", "yes"))
    first, second = (query.text for query in case.queries)
    assert first.index("Yes") < first.index("No") or second.index("Yes") < second.index("No")
    relation = catalogue.get("choice.rotate")
    letters = ("A", "B") if first.index("Yes") < first.index("No") else ("B", "A")
    assert relation.judge(case, [Answer(each) for each in letters]).outcome is Outcome.HOLDS
    assert relation.judge(case, [Answer("A"), Answer("A")]).outcome is Outcome.VIOLATED
    assert relation.judge(case, [Answer("Yes."), Answer("(A)" if letters[1] == "A" else "(B)")]).obeys


@each_row("options", [("a dog", "all of the above"), ("a dog", "none of these"), ("A and B", "a dog")])
def test_options_that_speak_of_others_keep_their_places(options: tuple[str, ...]) -> None:
    assert not cases("choice.rotate", scene=of("What is it?", "", *options))


def test_a_wrong_answer_is_claimed_or_two_where_the_right_one_is_not_known() -> None:
    assert {len(case.queries) for case in cases("lead.belief", scene=of("Is it open?", "yes"))} == {2}
    claimed = texts("lead.belief", scene=of("Is it open?", "yes"))
    assert not any("answer is yes" in text for text in claimed)
    unknown = cases("lead.belief", scene=of("Is it open?"))
    assert {len(case.queries) for case in unknown} == {3}
    assert not cases("lead.belief", scene=of("What is it?", "a dog"))
    assert not cases("lead.belief", scene=of("Is it beautiful?", "yes"))


def test_left_and_right_in_an_answer_about_a_mirrored_picture_may_be_exchanged() -> None:
    (case, *_) = cases("question.mirror", scene=of("What is the woman holding?"))
    relation = catalogue.get("question.mirror")

    def outcome(*said: str) -> Outcome:
        return relation.judge(case, [Answer(each) for each in said]).outcome

    assert outcome("a cup in her left hand", "a cup in her right hand") is Outcome.HOLDS
    assert outcome("a cup in her left hand", "a cup in her left hand") is Outcome.HOLDS
    assert outcome("a cup in her left hand", "a plate in her right hand") is Outcome.VIOLATED


@each_row(
    ("first", "second", "holds"),
    [
        ("Red", "The umbrella is red.", True),
        ("black and white", "white and black", True),
        ("gray", "grey", True),
        ("a dark red", "red", True),
        ("red", "not red", False),
        ("red", "blue", False),
        ("The umbrella is red.", "The umbrella is blue.", False),
    ],
)
def test_answers_in_free_words_are_compared_by_what_they_add_to_the_question(
    first: str, second: str, holds: bool
) -> None:
    (case, *_) = cases("control.repeat", scene=of("What color is the umbrella?"))
    relation = catalogue.get("question.frame")
    assert relation.judge(case, [Answer(first), Answer(second)]).obeys == holds


class TestContrasts:
    @staticmethod
    def contrasted(text: str, answer: str) -> Iterator[Case]:
        scene = of(text, answer)
        for case in cases("question.frame", "brief", scene, 3):
            yield with_contrast(catalogue.get("question.frame"), case, corpus_of(scene), 1.0)

    @each_row(
        ("text", "answer", "blank"),
        [
            ("Is the umbrella open?", "yes", "no"),
            ("How many people are waiting?", "3", "0"),
            ("What is the woman holding?", "umbrella", "nothing"),
        ],
    )
    def test_a_claim_is_contrasted_with_a_gray_picture(self, text: str, answer: str, blank: str) -> None:
        for case in self.contrasted(text, answer):
            assert case.contrast is not None
            assert oracle(case.contrast.query) == blank
            own = [Answer(answer)] * 2

            def outcome(said: str, case: Case = case, own: list[Answer] = own) -> Outcome:
                return judge_contrast(case, own, Answer(said)).outcome

            assert outcome(blank) is Outcome.HOLDS
            assert outcome("I can't see any image.") is Outcome.HOLDS
            assert outcome("It cannot be determined.") is Outcome.HOLDS
            assert outcome(answer) is Outcome.VIOLATED
            assert outcome("") is Outcome.UNPARSED

    @each_row(
        ("text", "answer"),
        [
            ("Is the umbrella open?", "no"),
            ("Is there no umbrella?", "yes"),
            ("How many people are waiting?", "0"),
            ("What color is the umbrella?", "gray"),
            ("Is it cloudy?", "yes"),
            ("Is this picture blurry?", "yes"),
            ("What is it?", ""),
        ],
    )
    def test_what_a_gray_picture_may_show_as_well_is_not_contrasted(self, text: str, answer: str) -> None:
        assert all(case.contrast is None for case in self.contrasted(text, answer))


# Real photos with the questions of VQA v2; of photos without any, questions that COCO's annotations answer


def rows_of_coco() -> list[dict[str, object]]:
    published = json.loads((COCO / "vqa_v2.json").read_text())
    answers = {each["question_id"]: each["answers"] for each in published["annotations"]}
    rows: list[dict[str, object]] = [
        {
            "image": f"{each['image_id']:012}.jpg",
            "question": each["question"],
            "answer": [row["answer"] for row in answers[each["question_id"]]],
        }
        for each in published["questions"]
    ]
    instances = json.loads((COCO / "instances.json").read_text())
    names = {each["id"]: each["name"] for each in instances["categories"]}
    for image in instances["images"]:
        there = {names[each["category_id"]] for each in instances["annotations"] if each["image_id"] == image["id"]}
        for name, answer in ((min(there, default="person"), "yes" if there else "no"), ("zebra", "no")):
            if answer == "yes" or name not in there:
                question = f"Is there a {name} in the picture?"
                rows.append({"image": image["file_name"], "question": question, "answer": answer})
    return rows


@pytest.fixture(scope="module")
def coco(tmp_path_factory: pytest.TempPathFactory) -> SceneSource:
    if not COCO.is_dir():
        pytest.skip("needs ../shared/data/coco")
    file = tmp_path_factory.mktemp("questions") / "questions.jsonl"
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows_of_coco()))
    return load(f"{file}:{COCO / 'images'}")


def test_the_oracle_holds_on_40_photos_with_questions_and_25_variants_apply(coco: SceneSource) -> None:
    assert len(coco) == 40
    applied = 0
    for relation, variant in RUN:
        some = []
        for index in range(len(coco)):
            for choose in choosers(2):
                found = derive_case(relation, coco.scene(index), coco.corpus, choose, variant)
                if isinstance(found, Case):
                    some.append(with_contrast(relation, found, coco.corpus, 1.0))
        if not some:
            assert relation.info.name == "choice.none"  # no question has options
            continue
        applied += 1
        assert outcomes(relation, some, oracle) == {Outcome.HOLDS}, relation.info.item(variant)
        for case in some:
            if case.contrast is not None:
                own = [Answer(oracle(query)) for query in case.queries]
                assert judge_contrast(case, own, Answer(oracle(case.contrast.query))).outcome is Outcome.HOLDS, case
    assert applied >= 25


def test_a_frame_leaves_the_form_of_the_answer_that_models_are_asked_for() -> None:
    for frame in (frame for frames in FRAMES.values() for frame in frames):
        for each in QUESTIONS:
            assert form_of(frame.format(each.text)) is form_of(each.text), frame
