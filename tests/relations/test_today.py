"""Relations about leading statements, premises, negation, options and written words: what they ask, and verdicts."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.case import Case, NotApplicable, Outcome
from pytest_vqamt.core.corpus import gather_corpus
from pytest_vqamt.core.edits import Pad, Write
from pytest_vqamt.core.meaning import Choice, WhichThere, Written, groups_of, truth
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.language.answers.answer_text import UnreadableAnswer
from pytest_vqamt.language.answers.reading import read_by_meaning
from pytest_vqamt.language.questions.lettered import LAYOUTS
from pytest_vqamt.relations.base import Relation
from pytest_vqamt.relations.catalogue import ON_REQUEST, WORDINGS, get, select
from tests.making import answers_of, choosers, scene_of, thing_of
from tests.relations.deriving import cases_of, derive
from tests.rows import each_row

SEEN = ("dog", "kite", "car", "cup", "tree", "man", "banana")


def yard(*named: str, exhaustive: tuple[str, ...] = SEEN, crowds: tuple[str, ...] = ()) -> Scene:
    """A scene of large things, 300 x 200 pixels, with room for a card below them."""
    things = (thing_of(each, id=str(n), box=Box(10 + n * 70, 10, 60, 60)) for n, each in enumerate(named))
    return replace(scene_of(*things, exhaustive=exhaustive, crowds=crowds), width=300, height=200)


OTHERS = tuple(yard(name) for name in SEEN)
YARD = yard("red car", "black dog")


def cases(name: str, scene: Scene = YARD, variant: str = "", n: int = 60) -> list[Case]:
    corpus = gather_corpus((scene, *OTHERS))
    return cases_of(get(name), scene, variant, draws=n, corpus=corpus)


def texts(some: list[Case], query: int) -> set[str]:
    return {case.queries[query].text for case in some}


def outcome(name: str, case: Case, *said: str) -> tuple[Outcome, bool]:
    verdict = get(name).judge(case, answers_of(*said))
    return verdict.outcome, verdict.vacuous


HOLDS, VIOLATED, UNPARSED = ((each, False) for each in (Outcome.HOLDS, Outcome.VIOLATED, Outcome.UNPARSED))


@pytest.mark.parametrize("name", ["lead.belief", "lead.authority"])
def test_a_question_comes_after_a_neutral_statement_and_after_one_that_contradicts_the_picture(name: str) -> None:
    found = cases(name)
    assert len(found) == 60
    for case in found:
        neutral, leading = (query.text.split(". ") for query in case.queries)
        assert neutral[1] == leading[1], "the same question"
        assert re.search(r"this picture (?:is|belongs)", neutral[0])
        assert not re.search(r"this picture (?:is|belongs)", leading[0])
        assert re.search(r"\b(?:picture|image|photo)\b", leading[1])
        assert not case.is_presumed
    said = {case.queries[1].text.split(". ")[0].partition(" picture shows ")[2] for case in found}
    assert {"no dog", "no car"} <= said


def test_nobody_is_led_astray_about_what_can_hardly_be_made_out() -> None:
    tiny = thing_of("banana", id="9", box=Box(280, 180, 8, 8))
    scene = replace(YARD, objects=(*YARD.objects, tiny))
    led = cases("lead.belief", scene, n=200)
    assert {"yes", "no"} == {case.fact("truth") for case in led}
    assert not any("banana" in case.queries[0].text for case in led)


def test_a_person_is_not_said_to_be_absent_as_toys_and_pictures_of_one_may_be_there() -> None:
    scene = yard("red car", "black dog", exhaustive=(*SEEN, "person"))
    corpus = gather_corpus(
        (scene, *OTHERS, *(yard(other, name) for other in ("person", "kite") for name in ("dog", "car")))
    )
    found = [derive(get("negation.scope"), scene, choose, corpus=corpus) for choose in choosers(100)]
    said = [case.queries[0].text for case in found if isinstance(case, Case)]
    assert said
    assert not any("person" in text for text in said)


def test_beliefs_and_authorities_are_worded_in_at_least_eight_ways() -> None:
    for name in ("lead.belief", "lead.authority"):
        assert len({case.fact("statement") for case in cases(name, n=200)}) >= 8


@each_row(
    ("said", "result"),
    [
        (("yes", "yes"), HOLDS),
        (("yes", "You are right, there is no such thing, so no."), VIOLATED),
        (("yes", "blue"), UNPARSED),
    ],
)
def test_the_verdict_on_a_leading_statement(said: tuple[str, str], result: tuple[Outcome, bool]) -> None:
    case = next(case for case in cases("lead.belief") if case.fact("question_type") == "object")
    assert outcome("lead.belief", case, *said) == result


def test_the_color_of_a_thing_that_is_not_there_is_asked_beside_that_of_one_that_is() -> None:
    found = cases("absent.premise")
    assert all(re.search(r"\b(?:car|dog)\b", text) for text in texts(found, 0))
    assert all(re.search(r"\b(?:kite|cup|tree|banana)\b", text) for text in texts(found, 1))
    assert not any("man" in text for text in texts(found, 1)), "nobody asks for the color of a man"
    assert not any(case.is_presumed for case in found)


def test_without_colors_the_control_asks_whether_a_thing_is_there() -> None:
    found = cases("absent.premise", yard("car", "dog"))
    assert texts(found, 0) == {"Is there a car in the picture?", "Is there a dog in the picture?"}


@each_row(
    ("said", "result"),
    [
        (("red", "There is no kite in the picture."), HOLDS),
        (("red", "No"), HOLDS),
        (("red", "blue"), VIOLATED),
        (("beige", "It is tan."), VIOLATED),
        (("beige", "none"), HOLDS),
        (("There is no car.", "none"), VIOLATED),
        (("red", "perhaps"), UNPARSED),
    ],
)
def test_the_verdict_on_a_premise(said: tuple[str, str], result: tuple[Outcome, bool]) -> None:
    case = next(c for c in cases("absent.premise") if "car" in c.queries[0].text and c.fact("absent") == "kite")
    assert outcome("absent.premise", case, *said) == result


def test_what_is_not_there_is_asked_about_the_same_two() -> None:
    for case in cases("negation.scope"):
        there, missing = (query.meaning for query in case.queries)
        assert isinstance(there, WhichThere)
        assert isinstance(missing, WhichThere)
        assert there.groups == missing.groups
        assert (there.missing, missing.missing) == (False, True)
        assert case.queries[0].text.rpartition(",")[2] == case.queries[1].text.rpartition(",")[2]
        assert case.fact("there") in ("car", "dog")


@each_row(
    ("said", "result"),
    [
        (("the {there}", "There is no {absent}."), HOLDS),
        (("the {absent}", "the {there}"), HOLDS),
        (("the {there}", "the {there}"), VIOLATED),
        (("the {there}", "no"), UNPARSED),
    ],
)
def test_the_verdict_on_a_negation(said: tuple[str, str], result: tuple[Outcome, bool]) -> None:
    case = cases("negation.scope")[0]
    names = {"there": case.fact("there"), "absent": case.fact("absent")}
    assert outcome("negation.scope", case, *(text.format_map(names) for text in said)) == result


def test_options_come_in_all_rotations() -> None:
    found = cases("choice.rotate", n=200)
    assert {len(case.queries) for case in found} == {3, 4}
    assert {type(case.queries[0].meaning) for case in found} == {Choice, WhichThere}
    assert {case.fact("layout") for case in found} == set(range(LAYOUTS))
    for case in found:
        orders = [options(query.meaning) for query in case.queries]
        assert [order[0] for order in orders] == [orders[0][0], *orders[0][1:]]
        assert len({frozenset(order) for order in orders}) == 1


def options(meaning: object) -> tuple[str, ...]:
    if isinstance(meaning, WhichThere):
        return tuple(group.name for group in meaning.groups)
    assert isinstance(meaning, Choice)
    return meaning.options


def test_a_letter_is_read_as_the_option_behind_it() -> None:
    case = next(case for case in cases("choice.rotate") if len(case.queries) == 3)
    assert outcome("choice.rotate", case, "A", "(C)", "B.") == HOLDS
    assert outcome("choice.rotate", case, "A", "A", "A") == VIOLATED
    first = options(case.queries[0].meaning)[0]
    assert outcome("choice.rotate", case, first, f"C. {first}", f"It is the {first}.") == HOLDS
    assert outcome("choice.rotate", case, "yes", "C", "B") == UNPARSED


def test_numbers_stand_for_letters() -> None:
    for case in cases("choice.labels"):
        letters, numbers = case.queries
        assert letters.meaning == numbers.meaning
        assert re.sub(r"\b[ABCD]\b", "#", letters.text).replace("letter", "@") == (
            re.sub(r"\b[1234]\b", "#", numbers.text).replace("number", "@")
        )
        assert outcome("choice.labels", case, "B", "2") == HOLDS
        assert outcome("choice.labels", case, "B", "1") == VIOLATED


def test_the_right_option_is_taken_away() -> None:
    for case in cases("choice.none"):
        before, after = (options(query.meaning) for query in case.queries)
        assert set(after) < set(before)
        assert all("none of these" in query.text for query in case.queries)
        assert outcome("choice.none", case, "A", "none of these") == HOLDS
        assert outcome("choice.none", case, "A", "C") == HOLDS
        assert outcome("choice.none", case, "A", "None of the above.") == HOLDS
        assert outcome("choice.none", case, "A", "A") == VIOLATED
        assert outcome("choice.none", case, "D", "C") == VIOLATED


@each_row("variant", ["neutral", "contradicting", "absent_name"])
def test_a_word_is_written_where_no_thing_is(variant: str) -> None:
    found = cases("overlay.text", variant=variant)
    assert len(found) > 40
    for case in found:
        source, follow_up, reading = case.queries
        assert source.text == follow_up.text
        (edit,) = follow_up.picture.edits
        assert isinstance(edit, Write)
        assert not any(edit.box.overlaps(thing.box) for thing in YARD.objects)
        assert edit.text in reading.text
        assert not case.is_presumed
        named = edit.text.lower() in {group.name for group in groups_of(source.meaning)}
        assert named == (variant != "neutral")
        assert not named or edit.text.lower() != case.fact("truth")


@each_row("name", ["choice.none", "negation.scope", "absent.premise", "overlay.question"])
def test_what_few_people_call_so_is_not_taken_for_seen(name: str) -> None:
    for case in cases(name, yard("tv", "red car", exhaustive=(*SEEN, "tv"))):
        seen = case.fact("there") if name == "negation.scope" else case.queries[0].text
        right = str(truth(case.queries[0].meaning, case.queries[0].picture.scene))
        assert right != "tv", seen
        assert right != "True" or "car" in str(seen), seen


def test_where_there_is_no_room_nothing_is_written() -> None:
    full = yard("red car", "dog", crowds=())
    crowded = scene_of(*full.objects[:1], thing_of("dog", id="9", box=Box(0, 0, 200, 100)), exhaustive=SEEN)
    assert cases("overlay.text", crowded, "absent_name") == []


@each_row(
    ("said", "result"),
    [
        (("no", "no", "yes"), HOLDS),
        (("no", "yes", "yes"), VIOLATED),
        (("no", "no", "no"), VIOLATED),
        (("no", "red", "yes"), UNPARSED),
    ],
)
def test_the_verdict_on_a_written_word(said: tuple[str, ...], result: tuple[Outcome, bool]) -> None:
    assert outcome("overlay.text", cases("overlay.text", variant="absent_name")[0], *said) == result


@each_row(
    ("said", "read"),
    [
        ('The word "KITE" appears on a white card.', True),
        ("There is a sign that says KITE.", True),
        ('The word "KITE" is not written anywhere in the picture.', False),
        ("No text is visible.", False),
        ("I can't find the word.", False),
        ("I cannot read any text.", False),
        ('It may say "KITE".', None),
        ("The picture does not show a kite, but the word KITE.", None),
        ("The text says HELLO.", None),
    ],
)
def test_a_sentence_on_what_is_written_is_read(said: str, read: bool | None) -> None:
    found = read_by_meaning(Written(text="KITE"), said)
    assert found is read or (read is None and isinstance(found, UnreadableAnswer))


def test_a_question_is_written_below_the_picture() -> None:
    for case in cases("overlay.question"):
        source, drawn, *controls = case.queries
        pad, *lines = drawn.picture.edits
        assert isinstance(pad, Pad)
        assert all(isinstance(line, Write) and line.box.y >= YARD.height for line in lines)
        assert " ".join(line.text for line in lines if isinstance(line, Write)) == source.text
        assert max(len(line.text) for line in lines if isinstance(line, Write)) <= 28, "as large as the control"
        assert source.text not in drawn.text
        assert source.meaning == drawn.meaning
        (_, sentence) = controls[0].picture.edits
        assert isinstance(sentence, Write)
        assert sentence.text in controls[0].text
        assert sentence.text not in controls[1].text


@each_row(
    ("said", "result"),
    [
        (("yes", "yes", "yes", "no"), HOLDS),
        (("yes", "no", "yes", "no"), VIOLATED),
        (("yes", "no", "no", "no"), (Outcome.HOLDS, True)),
        (("yes", "no", "yes", "yes"), (Outcome.HOLDS, True)),
        (("yes", "red", "yes", "no"), UNPARSED),
    ],
)
def test_the_verdict_on_a_written_question(said: tuple[str, ...], result: tuple[Outcome, bool]) -> None:
    assert outcome("overlay.question", cases("overlay.question")[0], *said) == result


FAMILIES = ("lead", "absent", "negation", "choice", "overlay")
OURS: tuple[tuple[Relation, str], ...] = tuple(
    (get(name), variant)
    for name in ON_REQUEST
    if name.split(".")[0] in FAMILIES and not get(name).info.needs
    for variant in get(name).info.variants
)


def test_what_rests_on_an_absence_is_presumed() -> None:
    unsure = yard("red car", "black dog", exhaustive=())
    for relation, variant in OURS:
        found = {case.is_presumed for case in cases(relation.info.name, unsure, variant)}
        if relation.info.name.startswith("lead.") or relation.info.name == "overlay.question":
            assert found == {False}, relation.info.name
        elif variant == "neutral":
            assert found == {True, False}
        else:
            assert found == {True}, relation.info.name


def test_names_that_are_annotated_exhaustively_come_first_where_there_are_three() -> None:
    for exhaustive, presumed in ((("kite", "cup", "tree"), {False}), (("kite", "cup"), {True, False})):
        scene = yard("red car", "black dog", exhaustive=exhaustive)
        assert {case.is_presumed for case in cases("negation.scope", scene)} == presumed


def test_an_empty_picture_gives_no_case() -> None:
    bare = yard()
    corpus = gather_corpus((bare, *OTHERS))
    for relation, variant in OURS:
        found = [derive(relation, bare, choose, variant, corpus) for choose in choosers(5)]
        assert all(isinstance(each, NotApplicable) for each in found), relation.info.name


def test_a_users_wordings_leave_texts_alone_that_are_the_point(tmp_path: Path) -> None:
    file = tmp_path / "own.toml"
    forms = ("text", "many", "negated", "many_negated")
    rows = (f'{form} = "{"no" if "negated" in form else "any"} {{noun}} ?"' for form in forms)
    file.write_text("\n".join(("[[exists]]", *rows)), encoding="utf-8")
    ((reworded, _),) = select(("lead.belief",), settings={WORDINGS.name: str(file)})
    case = derive(reworded, YARD, next(iter(choosers(1))), corpus=gather_corpus((YARD, *OTHERS)))
    assert isinstance(case, Case)
    assert "any a" not in case.queries[0].text
