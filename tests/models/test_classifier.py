"""Lists of answers come from the checkpoint or the user, and answers from finite logits."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
import torch

from pytest_vqamt.core.errors import ModelError, OptionError
from pytest_vqamt.core.query import Answer
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.transformers.checkpoint import Checkpoint
from pytest_vqamt.models.transformers.classifier import (
    AnswerLists,
    PublishedList,
    answers_from_logits,
    check_finite,
    check_step_scores,
    read_answers,
)
from tests.rows import each_row

LISTS = AnswerLists(
    kind="small",
    file_names=("first.json", "second.txt"),
    published={4: PublishedList(address="http://nowhere.invalid/list.json", begins=("", "woods"))},
)


@pytest.fixture
def checkpoint(tmp_path: Path) -> Checkpoint:
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "config.json").write_text("{}")
    return Checkpoint(folder=tmp_path / "model", name=str(tmp_path / "model"))


def options(**settings: str) -> ModelOptions:
    return ModelOptions(settings=settings)


def test_what_the_user_names_comes_before_what_lies_beside_and_that_before_labels(
    checkpoint: Checkpoint, tmp_path: Path
) -> None:
    config = {"id2label": {"0": "by", "1": "label"}}
    (checkpoint.folder / "config.json").write_text(json.dumps(config))
    assert LISTS.of(checkpoint, 2, options()) == ("by", "label")
    (checkpoint.folder / "second.txt").write_text("lies\nbeside\n")
    assert LISTS.of(checkpoint, 2, options()) == ("lies", "beside")
    (checkpoint.folder / "first.json").write_text('["lies", "first"]')
    assert LISTS.of(checkpoint, 2, options()) == ("lies", "first")
    (tmp_path / "named.json").write_text('["is", "named"]')
    assert LISTS.of(checkpoint, 2, options(answers=str(tmp_path / "named.json"))) == ("is", "named")


def test_labels_count_in_the_order_of_their_numbers(checkpoint: Checkpoint) -> None:
    labels = {str(number): f"answer {number}" for number in sorted(range(12), key=str)}
    (checkpoint.folder / "config.json").write_text(json.dumps({"id2label": labels}))
    assert LISTS.of(checkpoint, 12, options())[9:] == ("answer 9", "answer 10", "answer 11")


@each_row(
    "labels, told",
    [
        ({}, "none"),
        ({"id2label": {"0": "LABEL_0", "1": "LABEL_1"}}, "none"),
        ({"id2label": {"0": "yes", "2": "no"}}, "none"),
        ({"id2label": {"0": "yes", "1": 7}}, "none"),
        ({"id2label": {"0": "yes", "1": "no", "2": "maybe"}}, "one of 3"),
    ],
)
def test_labels_that_are_no_answers_are_not_taken(checkpoint: Checkpoint, labels: object, told: str) -> None:
    (checkpoint.folder / "config.json").write_text(json.dumps(labels))
    with pytest.raises(
        ModelError, match=rf"Expected a list of the 2 answers .* has {told}: give .*answers=FILE, or put"
    ):
        LISTS.of(checkpoint, 2, options())


def test_the_published_list_is_offered_where_there_is_one(checkpoint: Checkpoint) -> None:
    with pytest.raises(ModelError, match=r"answers=download for the one .* \(http://nowhere\.invalid/list\.json\)"):
        LISTS.of(checkpoint, 4, options())
    with pytest.raises(ModelError) as raised:
        LISTS.of(checkpoint, 5, options())
    assert "download" not in str(raised.value)


def test_a_list_of_another_length_is_refused(checkpoint: Checkpoint) -> None:
    (checkpoint.folder / "first.json").write_text('["yes", "no", "maybe"]')
    with pytest.raises(ModelError, match=r"Expected 2 answers, .*first\.json has 3: take the list"):
        LISTS.of(checkpoint, 2, options())


@pytest.mark.parametrize("name", ["first.json", "elsewhere.json"])
def test_a_list_as_long_as_the_published_one_has_to_begin_like_it(checkpoint: Checkpoint, name: str) -> None:
    (checkpoint.folder / name).write_text('["net", "pitcher", "orange", "yes"]')
    named = {} if name == "first.json" else {"answers": str(checkpoint.folder / name)}
    with pytest.raises(ModelError, match=r"which begin \('', 'woods'\), but those in .* begin \('net', 'pitcher'\)"):
        LISTS.of(checkpoint, 4, options(**named))
    (checkpoint.folder / name).write_text('["", "woods", "trash can", "hanging"]')
    assert LISTS.of(checkpoint, 4, options(**named))[1] == "woods"


def test_labels_may_have_an_order_of_their_own(checkpoint: Checkpoint) -> None:
    """They come with the weights: so a model says that it was trained with another list."""
    labels = dict(enumerate(("net", "pitcher", "orange", "yes")))
    (checkpoint.folder / "config.json").write_text(json.dumps({"id2label": labels}))
    assert LISTS.of(checkpoint, 4, options())[3] == "yes"


@each_row(
    "name, content, message",
    [
        (
            "config.json",
            '{"model_type": "vilt", "id2label": {"0": "net"}}',
            "but got dict; the id2label of another model",
        ),
        ("some.json", '["yes", 1]', "but got a list of other things"),
        ("some.json", '["yes", ', "Expected a file of answers that can be read"),
        ("some.json", '["", " "]', "but all of it is empty"),
        ("some.txt", "", "but all of it is empty"),
        ("some.txt", b"\xff\xfe", "Expected a file of answers that can be read"),
    ],
)
def test_what_is_no_list_of_answers_is_an_error_of_the_setting(
    tmp_path: Path, name: str, content: str | bytes, message: str
) -> None:
    file = tmp_path / name
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(OptionError, match=message):
        read_answers(file)


def test_a_file_that_is_not_there_is_an_error_of_the_setting(checkpoint: Checkpoint) -> None:
    with pytest.raises(OptionError, match=r"answers=FILE or download, but there is no file 'nowhere\.json'"):
        LISTS.of(checkpoint, 2, options(answers="nowhere.json"))


def test_lines_keep_their_order_and_the_empty_one_its_place(tmp_path: Path) -> None:
    (tmp_path / "some.txt").write_text("\nyes\r\n  no\nbaby's breath\n")
    assert read_answers(tmp_path / "some.txt") == ("", "yes", "no", "baby's breath")


@pytest.fixture
def asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[AnswerLists, list[str]]]:
    """Lists that a local server has, and the paths that were asked of it."""
    paths: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            paths.append(self.path)
            found = self.path == "/list.json"
            self.send_response(200 if found else 404)
            self.end_headers()
            if found:
                self.wfile.write(b'["", "woods", "trash can", "hanging"]')

        def log_message(self, *_: object) -> None:
            """Says nothing."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    address = f"http://127.0.0.1:{server.server_port}"
    monkeypatch.setenv("VQAMT_CACHE_HOME", str(tmp_path / "home"))
    published = {
        4: PublishedList(address=f"{address}/list.json", begins=("", "woods")),
        5: PublishedList(address=f"{address}/gone.json", begins=()),
    }
    yield replace(LISTS, published=published), paths
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_list_is_fetched_only_where_the_user_says_so_and_once(
    checkpoint: Checkpoint, asked_for: tuple[AnswerLists, list[str]], tmp_path: Path
) -> None:
    lists, paths = asked_for
    with pytest.raises(ModelError):
        lists.of(checkpoint, 4, options())
    assert paths == []
    for _ in range(2):
        assert lists.of(checkpoint, 4, options(answers="download"))[2] == "trash can"
    assert paths == ["/list.json"]
    assert [path.name for path in (tmp_path / "home" / "answers").iterdir()] == ["small-4.json"]


def test_a_list_that_cannot_be_fetched_says_from_where_and_leaves_nothing(
    checkpoint: Checkpoint, asked_for: tuple[AnswerLists, list[str]], tmp_path: Path
) -> None:
    lists, _ = asked_for
    with pytest.raises(
        OptionError, match=r"from http://127\.0\.0\.1:\d+/gone\.json, but: HTTP Error 404.*answers=FILE"
    ):
        lists.of(checkpoint, 5, options(answers="download"))
    assert not [path for path in tmp_path.rglob("*") if "small-5" in path.name]


def test_a_head_of_an_unpublished_length_has_nothing_to_fetch(checkpoint: Checkpoint) -> None:
    with pytest.raises(OptionError, match=r"Expected a model with 4 answers .*answers=download, but this one has 7"):
        LISTS.of(checkpoint, 7, options(answers="download"))


IDS = torch.zeros((2, 1), dtype=torch.int64)
NONE, MOST, LEAST = float("nan"), float("inf"), float("-inf")


def test_numbers_pass_and_so_do_words_that_are_never_to_be_said() -> None:
    scores = torch.tensor([[1.0, LEAST, 2.0], [LEAST, LEAST, 0.0]])
    assert check_step_scores(IDS, scores) is scores
    check_finite(torch.tensor([[1.0, -2.0]]))


@each_row("row", [[NONE, 1.0], [1.0, NONE], [MOST, 1.0], [LEAST, LEAST]])
@each_row("dtype", [torch.float32, torch.float16])
def test_an_input_with_no_number_to_choose_is_no_answer(row: list[float], dtype: torch.dtype) -> None:
    with pytest.raises(ArithmeticError, match="--vqamt-dtype=float32"):
        check_step_scores(IDS, torch.tensor([[1.0, 2.0], row], dtype=dtype))


@each_row("wrong", [NONE, MOST, LEAST])
def test_all_scores_of_given_answers_are_numbers(wrong: float) -> None:
    with pytest.raises(ArithmeticError, match="--vqamt-dtype=float32"):
        check_finite(torch.tensor([[1.0, 2.0], [wrong, 1.0]]))


LABELS = ("a", "b", "c", "d", "e", "f", "g")


def test_the_highest_wins_and_five_are_told_in_order() -> None:
    probabilities = torch.tensor([[0.1, 0.9, 0.2, 0.3, 0.05, 0.8, 0.12345]])
    (said,) = answers_from_logits(probabilities.logit(), probabilities, LABELS, [False])
    assert said.text == "b"
    assert said.scores == (("b", 0.9), ("f", 0.8), ("d", 0.3), ("c", 0.2), ("g", 0.123))
    assert not said.truncated


def test_fewer_labels_are_all_told_and_each_input_has_its_own_answer() -> None:
    logits = torch.tensor([[2.0, 1.0], [0.0, 1.0]])
    said = answers_from_logits(logits, torch.tensor([[0.75, 0.25], [0.25, 0.75]]), ("yes", "no"), [False, True])
    assert said == (
        Answer("yes", (("yes", 0.75), ("no", 0.25))),
        Answer("no", (("no", 0.75), ("yes", 0.25)), truncated=True),
    )


def test_logits_decide_where_probabilities_are_equal() -> None:
    """Above 17 or so, 1 / (1 + exp(-x)) is 1 in 32 bits."""
    logits = torch.tensor([[20.0, 25.0, 22.0]])
    assert set(logits.sigmoid()[0].tolist()) == {1.0}
    (said,) = answers_from_logits(logits, logits.sigmoid(), ("a", "b", "c"), [False])
    assert said.scores is not None
    assert [name for name, _ in said.scores] == ["b", "c", "a"]


def test_scores_that_are_no_numbers_are_no_answer() -> None:
    logits = torch.tensor([[1.0, 2.0], [float("nan"), 1.0]])
    with pytest.raises(ArithmeticError, match=r"--vqamt-dtype=float32"):
        answers_from_logits(logits, logits.sigmoid(), ("a", "b"), [False, False])
