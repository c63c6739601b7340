"""Pools of every format; what is wrong with a file is said in one line, with the file and the line."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.core.identity import digest
from pytest_vqamt.language.english.nouns import plural
from pytest_vqamt.language.question_ranking import pool
from pytest_vqamt.language.question_ranking.pool import POOL, normalise_question, open_pool, places, pool_of, words_of
from pytest_vqamt.language.questions.free import QuestionForm, form_of
from pytest_vqamt.picture_world import looks
from tests.language.question_ranking.real_pool import VQA_V2, real_data

# A yes/no question by its words, one by its answers alone, and one of neither.
ASKED = ("Is there a dog?", "Cat or no cat?", "What is it?")
TYPES = ("yes/no", "yes/no", "other")
BY_WORDS, BY_ANSWERS = ASKED[:1], ASKED[:2]


def vqa_rows() -> dict[str, object]:
    return {"questions": [{"question_id": 7 + n, "image_id": 1, "question": text} for n, text in enumerate(ASKED)]}


def vqa_answers() -> dict[str, object]:
    return {"annotations": [{"question_id": 7 + n, "answer_type": each} for n, each in enumerate(TYPES)]}


def write(path: Path, value: object) -> Path:
    data = json.dumps(value).encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


def test_a_text_file_has_one_question_a_line(tmp_path: Path) -> None:
    file = tmp_path / "mine.txt"
    file.write_bytes("\ufeffIs there a dog?\r\n\r\n What is\u2028it? \nis there a DOG\nWo ist es?".encode())
    assert open_pool(str(file)).questions == ("Is there a dog?", "What is it?", "Wo ist es?")
    assert open_pool(f"{file}:yes-no").questions == ("Is there a dog?",)


@pytest.mark.parametrize("end", ["jsonl", "ndjson", "jsonl.gz"])
def test_json_lines_have_a_question_each(tmp_path: Path, end: str) -> None:
    file = tmp_path / f"mine.{end}"
    data = b'{"question": "Is there a dog?", "id": 3}\n\n{"question": "What is it?"}\n'
    file.write_bytes(gzip.compress(data) if end.endswith("gz") else data)
    assert open_pool(str(file)).questions == ("Is there a dog?", "What is it?")


def test_a_compressed_text_file(tmp_path: Path) -> None:
    file = tmp_path / "mine.txt.gz"
    file.write_bytes(gzip.compress(b"Is it?\nWho?\n"))
    assert open_pool(str(file)).questions == ("Is it?", "Who?")


def test_vqa_v2_by_file_with_the_answers_beside_it(tmp_path: Path) -> None:
    file = write(tmp_path / "v2_OpenEnded_mscoco_val2014_questions.json", vqa_rows())
    assert open_pool(f"vqa-v2:{file}").questions == ASKED
    assert open_pool(f"vqa-v2:{file}:yes-no").questions == BY_WORDS
    write(tmp_path / "v2_mscoco_val2014_annotations.json.gz", vqa_answers())
    assert open_pool(f"vqa-v2:{tmp_path}:yes-no").questions == BY_ANSWERS


def test_vqa_v2_by_folder_leaves_test_splits_out(tmp_path: Path) -> None:
    write(tmp_path / "v2_OpenEnded_mscoco_train2014_questions.json", {"questions": [{"question": "Who?"}]})
    write(tmp_path / "v2_OpenEnded_mscoco_val2014_questions.json.gz", {"questions": [{"question": "Where?"}]})
    write(tmp_path / "v2_OpenEnded_mscoco_test2015_questions.json", {"questions": [{"question": "When?"}]})
    write(tmp_path / "v2_mscoco_train2014_annotations.json", vqa_answers())
    assert open_pool(f"vqa-v2:{tmp_path}").questions == ("Who?", "Where?")
    named = tmp_path / "v2_OpenEnded_mscoco_test2015_questions.json"
    assert open_pool(f"vqa-v2:{named}").questions == ("When?",)


def test_vqa_v2_with_questions_and_answers_in_one_file(tmp_path: Path) -> None:
    write(tmp_path / "vqa_v2.json", vqa_rows() | vqa_answers())
    assert open_pool(f"vqa-v2:{tmp_path}").questions == ASKED
    assert open_pool(f"vqa-v2:{tmp_path}:yes-no").questions == BY_ANSWERS


@real_data
def test_the_real_questions_and_their_answers() -> None:
    pool, yes_no = open_pool(f"vqa-v2:{VQA_V2}"), open_pool(f"vqa-v2:{VQA_V2}:yes-no")
    answers = json.loads(gzip.decompress((VQA_V2 / "annotations.json.gz").read_bytes()))["annotations"]
    share = sum(row["answer_type"] == "yes/no" for row in answers) / len(answers)
    assert 3500 < len(pool) < 4000  # some are asked of several pictures
    assert set(yes_no.questions) < set(pool.questions)
    assert abs(len(yes_no) / len(pool) - share) < 0.05


def test_a_pool_is_opened_once() -> None:
    assert open_pool("pictures") is open_pool("pictures")


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        (
            "a.jsonl",
            b'{"question": "Who?"}\n{"question"\n',
            "a.jsonl, line 2: expected a JSON object, but it is no JSON",
        ),
        ("b.jsonl", b'{"question": "Who?"}\n\n["Who?"]\n', 'b.jsonl, line 3: expected {"question": "..."}, but got'),
        ("c.jsonl", b'{"question": " "}\n', "c.jsonl, line 1: expected"),
        ("d.txt", b"Who?\nWho\xff?\n", "expected d.txt to be text in UTF-8, but line 2 is not"),
        ("e.txt.gz", b"Who?\n", "expected e.txt.gz to be text in UTF-8 and whole, but it cannot be decompressed"),
        ("f.txt", b" \n?\n", "expected at least one question, but it has none"),
        ("g.json", b"{}", "name a file or a folder of VQA v2 with pool=vqa-v2:"),
    ],
)
def test_a_wrong_file_is_told_in_one_line(tmp_path: Path, name: str, content: bytes, said: str) -> None:
    (tmp_path / name).write_bytes(content)
    refused(str(tmp_path / name), said)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "line 1: expected JSON"),
        (b'{"questions":\n [{"question": }]}', "line 2: expected JSON"),
        (b"[" * 100_000, "nested more than 100 deep"),
        (b'{"rows": []}', 'an object with a list of "questions", but it has none'),
        (b'{"questions": [{"question": "Who?"}, 3]}', 'record 2 of "questions": expected an object, but got 3'),
        (b'{"questions": [{"question_id": 5, "question": 4}]}', "question_id=5: expected a text as question"),
        (
            b'{"questions": [{"question_id": 5, "question": "Wh\\udc36o?"}]}',
            "question_id=5: expected a text as question",
        ),
        (b'{"questions": []}', "expected at least one question"),
    ],
)
def test_a_wrong_file_of_vqa_v2_is_told_in_one_line(tmp_path: Path, content: bytes, said: str) -> None:
    (tmp_path / "questions.json").write_bytes(content)
    refused(f"vqa-v2:{tmp_path}", said)


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        (lambda path: str(path / "none.txt"), "there is no such path"),
        (lambda _: "picture", "expected pictures, vqa-v2:PATH or the path of a text file"),
        (lambda _: "vqa-v2:", "there is no such path"),
        (lambda path: f"vqa-v2:{path}", "there is none (test splits are left out of a pool)"),
        (lambda path: str(path), "name a file or a folder of VQA v2"),
    ],
)
def test_no_pool_is_told_in_one_line(tmp_path: Path, setting: Callable[[Path], str], said: str) -> None:
    refused(setting(tmp_path), said)


def refused(setting: str, said: str) -> None:
    with pytest.raises(OptionError) as told:
        open_pool(setting)
    assert said in str(told.value)
    assert f"pool={setting!r}" in str(told.value)
    assert "\n" not in str(told.value)


def test_the_setting_takes_what_can_be_opened() -> None:
    for setting in ("pictures", "pictures:yes-no", "vqa-v2:folder:yes-no", "some/file.txt", "some/file.txt:yes-no"):
        assert POOL.takes(setting)
    assert not POOL.takes("")


def test_the_words_are_those_of_the_picture_world() -> None:
    assert pool.NAMES == looks.FAMILIES
    assert looks.CATEGORIES["colour"] == pool.COLOURS
    assert looks.CATEGORIES["pattern"] == pool.PATTERNS
    assert looks.CATEGORIES["stature"] == pool.STATURES
    actions = {action for actions in pool.ACTIONS.values() for action in actions}
    assert actions == {*looks.CATEGORIES["posture"], *looks.CATEGORIES["gesture"]}


def test_it_has_thousands_of_questions_of_every_form() -> None:
    pool = open_pool("pictures")
    forms = Counter(map(form_of, pool.questions))
    assert 2_000 <= len(pool) <= 4_000
    assert forms[QuestionForm.YES_NO] > len(pool) / 2
    assert forms[QuestionForm.COUNT] > 500
    assert forms[QuestionForm.CHOICE] > 100
    assert all(question[0].isupper() and question.endswith("?") for question in pool.questions)
    assert max(len(question.split()) for question in pool.questions) <= 10


def test_every_name_is_asked_about_and_in_many_ways() -> None:
    questions = [" ".join(words_of(question)) for question in open_pool("pictures").questions]
    for name in looks.NAMES:
        about = [text for text in questions if f" {name} " in f" {text} " or f" {plural(name)} " in f" {text} "]
        assert len(about) >= 25, name


def test_its_yes_no_questions() -> None:
    yes_no = open_pool("pictures:yes-no").questions
    assert yes_no == tuple(each for each in open_pool("pictures").questions if form_of(each) is QuestionForm.YES_NO)


def test_it_is_mixed_and_the_same_everywhere() -> None:
    questions = open_pool("pictures").questions
    assert questions == tuple(sorted(questions, key=digest))


def test_the_first_of_those_written_alike_stays_and_order_is_kept() -> None:
    pool = pool_of("p", ["Is it red?", "what is it", "IS  it red ?", "What is it?", "Is it red, or blue?", "  ", "?!"])
    assert pool.questions == ("Is it red?", "what is it", "Is it red, or blue?")
    assert len(pool) == 3
    assert places(pool) == {"is it red": 0, "what is it": 1, "is it red, or blue": 2}


def test_the_packages_own_has_no_question_twice() -> None:
    pool = open_pool("pictures")
    assert len({normalise_question(question) for question in pool.questions}) == len(pool)


def test_the_digest_names_the_questions_in_their_order() -> None:
    pool = pool_of("p", ["a b?", "c?"])
    assert pool.digest == pool_of("another name", ["a b?", "A B", "c?"]).digest
    assert len({pool.digest, pool_of("p", ["c?", "a b?"]).digest, pool_of("p", ["a b?"]).digest}) == 3


def test_only_case_spaces_and_the_final_question_mark_are_put_aside() -> None:
    assert normalise_question(" Is it\tRED ??") == "is it red"
    assert normalise_question("Is it red? Or blue?") == "is it red? or blue"
    assert normalise_question("Is it red") != normalise_question("Is it, red")
