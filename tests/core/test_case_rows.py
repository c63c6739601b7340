"""Cases as lines of ``cases.jsonl``, and back."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.case import Case, Outcome, Verdict
from pytest_vqamt.core.codec import Json, replace
from pytest_vqamt.core.conversation import Reply, Role, Turn
from pytest_vqamt.core.edits import Cutout, Fill
from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.meaning import Count, Exists, Group, Related
from pytest_vqamt.core.query import Answer, Failure, Query, Task
from pytest_vqamt.core.report_json import case_from_row, case_line, case_row
from pytest_vqamt.core.scene import Scene
from tests.making import group_of

Row = dict[str, Json]

HOLDS = Verdict(outcome=Outcome.HOLDS, readings=("yes", "yes", "3"))
ANSWERS = (Answer("yes"), Answer("yes"), Answer("3"))


@pytest.fixture
def case(yard: Scene) -> Case:
    """A case with all that a row must carry: edits, related groups, a trial, facts of every type, a tag."""
    on_bench = Group(name="cat", related=(Related(predicate="on", to=Group(name="bench")),))
    cutout = Cutout(photo=yard.photo, thing=yard.objects[3])
    edited = yard.picture.erase(Box(0, 60, 20, 20), Fill.MEAN, (9, 8, 7)).insert(cutout, at=(1.5, 2), size=(20, 20))
    return Case(
        relation="ours.every_part",
        variant="object",
        scene=yard.id,
        queries=(
            Query(picture=yard.picture, text='Is there a "cat" on a bench, 貓?', meaning=Exists(group=on_bench)),
            Query(
                picture=yard.picture, text='Is there a "cat" on a bench, 貓?', meaning=Exists(group=on_bench), trial=1
            ),
            Query(picture=edited, text="", meaning=Count(groups=(group_of("brown dog"),)), task=Task.CAPTIONING),
        ),
        expected="as before",
        facts=(("axis", "x"), ("present_groups", 2), ("share", 0.25), ("negated", True)),
        tags=("presumed",),
    )


def finder(*scenes: Scene) -> Callable[[str], Scene]:
    return {scene.photo.id: scene for scene in scenes}.__getitem__


def row_of(case: Case) -> Row:
    """The row as a reader of the file gets it."""
    line = case_line(case_row(case, ANSWERS, HOLDS, model="tiny", data="pictures:500"))
    assert "\n" not in line
    row: Row = json.loads(line)
    return row


def test_a_case_comes_back_equal_and_with_its_id(case: Case, yard: Scene) -> None:
    again = case_from_row(row_of(case), finder(yard))
    assert again == case
    assert again.id == case.id
    assert [query.id for query in again.queries] == [query.id for query in case.queries]
    # What is no part of a query's identity comes back, too.
    assert [query.meaning for query in again.queries] == [query.meaning for query in case.queries]
    assert [query.picture.scene for query in again.queries] == [query.picture.scene for query in case.queries]


def test_a_case_that_switches_reasoning_comes_back(case: Case, yard: Scene) -> None:
    switched = replace(
        case,
        queries=tuple(
            replace(query, reasoning=reasoning)
            for query, reasoning in zip(case.queries, (False, True, None), strict=True)
        ),
    )
    row = row_of(switched)
    assert [query.get("reasoning") for query in row["queries"]] == [False, True, None]  # type: ignore[union-attr]  # the queries are rows
    assert "reasoning" not in row["queries"][2]  # type: ignore[index, operator]
    assert case_from_row(row, finder(yard)).id == switched.id


def test_a_relation_without_a_variant_comes_back_without_one(case: Case, yard: Scene) -> None:
    plain = replace(case, relation="control.repeat", variant="", tags=(), facts=())
    assert case_from_row(row_of(plain), finder(yard)) == plain


@pytest.fixture
def talk(yard: Scene) -> Case:
    """A conversation of two pictures that quotes the answer to a question before it."""
    meaning = Exists(group=group_of("dog"))
    first = Query(picture=yard.picture, text="Is there a dog?", meaning=meaning)
    turns = (
        Turn(("Be brief.",), Role.SYSTEM),
        Turn((yard.picture, "Is there a dog?")),
        Turn((Reply(0),), Role.ASSISTANT),
        Turn(("Now this one:", yard.picture.mirror(), "Is there a dog in the first picture?")),
    )
    second = Query.of(*turns, meaning=meaning)
    return Case(relation="ours.talk", variant="", scene=yard.id, queries=(first, second), expected="first = second")


def test_a_conversation_comes_back(talk: Case, yard: Scene) -> None:
    again = case_from_row(row_of(talk), finder(yard))
    assert again == talk
    assert [query.turns for query in again.queries] == [query.turns for query in talk.queries]


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        (lambda query: query.update(text="Is there a cat?"), "first picture and its last text"),
        (lambda query: query["turns"].pop(), "end with a question of the user"),
        (lambda query: query["turns"].insert(1, query["turns"].pop(0)), "the first turn, but one comes later"),
        (lambda query: query["turns"][1]["parts"].clear(), "a turn with a tuple of texts and pictures"),
        (lambda query: query["turns"][1].update(role="robot"), "'robot' is not a valid Role"),
        (lambda query: query["turns"][2].update(role="user"), "Expected a Reply in a turn of the assistant"),
        (lambda query: query["turns"][2]["parts"][0].update(reply_to="x"), "invalid literal"),
        (lambda query: query["turns"][2]["parts"][0].update(reply_to=1), "Expected"),
    ],
)
def test_a_damaged_conversation_is_refused(talk: Case, yard: Scene, damage: Callable[[Any], None], told: str) -> None:
    row: Any = row_of(talk)
    damage(row["queries"][1])
    with pytest.raises(DataError, match=f"Expected a whole case, .*{re.escape(told)}"):
        case_from_row(row, finder(yard))


def test_a_row_has_what_the_format_promises(case: Case) -> None:
    row = row_of(case)
    assert {
        "case_id", "relation", "model", "scene", "queries", "answers", "expected", "verdict", "reason", "facts",
    } <= row.keys()  # fmt: skip
    assert row["case_id"] == case.id
    assert row["relation"] == "ours.every_part[object]"
    assert (row["model"], row["data"], row["scene"]) == ("tiny", "pictures:500", "yard")
    assert (row["answers"], row["verdict"], row["reason"]) == (["yes", "yes", "3"], "holds", "")
    assert row["facts"] == {"axis": "x", "present_groups": 2, "share": 0.25, "negated": True}
    assert row["tags"] == ["presumed"]
    assert isinstance(row["queries"], list)
    assert {"picture", "text"} <= row["queries"][0].keys() if isinstance(row["queries"][0], dict) else False


def test_a_row_begins_with_the_id_by_which_a_replay_looks_for_it(case: Case) -> None:
    line = case_line(case_row(case, ANSWERS, HOLDS, model="tiny", data="pictures"))
    assert line.startswith(f'{{"case_id":"{case.id}"')


def test_a_failed_query_has_no_answer_in_the_row(case: Case) -> None:
    answers = (Answer("yes"), Failure(reason="out of memory"), Answer("3"))
    error = Verdict(outcome=Outcome.ERROR, reason="out of memory")
    row = case_row(case, answers, error, model="tiny", data="pictures")
    assert (row["answers"], row["verdict"], row["reason"]) == (["yes", None, "3"], "error", "out of memory")


def test_scores_are_written_where_the_model_gave_any(case: Case) -> None:
    answers = (Answer("yes", scores=(("yes", 0.75), ("no", 0.25))), Answer("yes"), Failure(reason="broken"))
    row = case_row(case, answers, HOLDS, model="tiny", data="pictures")
    assert row["scores"] == [[["yes", 0.75], ["no", 0.25]], None, None]
    assert "scores" not in row_of(case)


def test_a_waived_case_says_so(case: Case) -> None:
    assert case_row(case, ANSWERS, HOLDS, model="tiny", data="pictures", waived=True)["waived"] is True
    assert "waived" not in row_of(case)


def test_a_photo_with_other_pixels_is_refused(case: Case, yard: Scene) -> None:
    repainted = replace(yard, photo=replace(yard.photo, digest="f" * 16))
    with pytest.raises(DataError, match=r"Expected the photo that the picture was made of, but photo='yard\.png'"):
        case_from_row(row_of(case), finder(repainted))


def test_a_photo_that_is_not_there_is_refused(case: Case, bare: Scene) -> None:
    with pytest.raises(DataError, match=r"Expected a whole case, .*yard\.png"):
        case_from_row(row_of(case), finder(bare))


def test_edits_other_than_the_digest_says_are_refused(case: Case, yard: Scene) -> None:
    row = row_of(case)
    queries = row["queries"]
    assert isinstance(queries, list)
    assert isinstance(queries[0], dict)
    picture = queries[0]["picture"]
    assert isinstance(picture, dict)
    picture["edits"] = [{"is": "Mirror"}]
    with pytest.raises(DataError, match="Expected the photo that the picture was made of"):
        case_from_row(row, finder(yard))


@pytest.mark.parametrize("field", ["relation", "scene", "queries", "expected"])
def test_a_row_without_a_field_is_refused_by_its_id(case: Case, yard: Scene, field: str) -> None:
    row = row_of(case)
    del row[field]
    with pytest.raises(DataError, match=f"Expected a whole case, but got case_id='{case.id}'.*{field}"):
        case_from_row(row, finder(yard))


@pytest.mark.parametrize(
    ("field", "value"),
    [("queries", "all"), ("queries", 3), ("queries", None), ("queries", ["one"]), ("facts", ["axis"]), ("tags", 7)],
)
def test_a_field_of_another_type_is_refused(case: Case, yard: Scene, field: str, value: Json) -> None:
    with pytest.raises(DataError, match="Expected a whole case"):
        case_from_row(row_of(case) | {field: value}, finder(yard))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("task", "chat"),
        ("trial", "twice"),
        ("reasoning", "on"),
        ("meaning", None),
        ("meaning", {"is": "Box", "x": 0, "y": 0, "w": 1, "h": 1}),
        ("meaning", {"is": "Exists"}),
        ("picture", {"photo": "yard.png", "digest": "00000000000000a1", "edits": None}),
        ("picture", {"photo": "yard.png", "digest": "00000000000000a1", "edits": [{"is": "Group", "name": "dog"}]}),
        ("picture", {"photo": "yard.png", "edits": []}),
    ],
)
def test_a_broken_query_is_refused(case: Case, yard: Scene, field: str, value: Json) -> None:
    row = row_of(case)
    queries = row["queries"]
    assert isinstance(queries, list)
    assert isinstance(queries[0], dict)
    queries[0][field] = value
    with pytest.raises(DataError, match="Expected "):
        case_from_row(row, finder(yard))
