"""Answers survive the process that got them, and several processes share one file."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from threading import Timer

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vqamt.core.errors import VqamtError
from pytest_vqamt.core.query import CANNOT_SWITCH, Answer, Declined
from pytest_vqamt.execution import answer_cache
from pytest_vqamt.execution.answer_cache import AnswerStore, AnswerStores
from tests.execution.worlds import Model, loaded

MODEL = "weights of Friday"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "below" / "answers.sqlite"


@pytest.fixture
def store(file: Path) -> Iterator[AnswerStore]:
    with AnswerStore(file) as opened:
        yield opened


def test_what_is_kept_is_there_for_whoever_opens_the_file_next(file: Path) -> None:
    scored = Answer("yes", (("yes", 0.75), ("no", 0.25)))
    with AnswerStore(file) as store:
        store.put(MODEL, {"a": Answer("two"), "b": scored, "c": Answer("")})
    with AnswerStore(file) as store:
        assert store.get(MODEL, ("c", "b", "nobody asked this")) == {"b": scored, "c": Answer("")}


def test_answers_of_another_model_are_not_found(store: AnswerStore) -> None:
    store.put(MODEL, {"a": Answer("two")})
    assert store.get("weights of Monday", ("a",)) == {}


def test_a_model_and_a_query_are_never_taken_for_another_pair(store: AnswerStore) -> None:
    store.put("x", {"yz": Answer("one")})
    store.put("xy", {"z": Answer("two")})
    assert store.get("x", ("yz", "z")) == {"yz": Answer("one")}


def test_the_first_answer_stays(store: AnswerStore) -> None:
    store.put(MODEL, {"a": Answer("first")})
    store.put(MODEL, {"a": Answer("second"), "b": Answer("third")})
    assert store.get(MODEL, ("a", "b")) == {"a": Answer("first"), "b": Answer("third")}


def test_that_an_adapter_cannot_switch_is_never_kept_as_an_answer(store: AnswerStore) -> None:
    other = Declined("too long", words=("a",)).answer
    store.put(MODEL, {"a": CANNOT_SWITCH.answer, "b": other})
    assert store.get(MODEL, ("a", "b")) == {"b": other}


def test_a_file_of_another_version_is_refused(file: Path) -> None:
    file.parent.mkdir()
    with closing(sqlite3.connect(file, isolation_level=None)) as db:
        db.execute("create table answers (key text primary key, text text not null, scores text) without rowid")
    with (
        AnswerStore(file) as store,
        pytest.raises(VqamtError, match=r"but got file='.*' \(.*no column named truncated\): delete it, name another"),
    ):
        store.put(MODEL, {"a": Answer("yes")})


@pytest.mark.parametrize("n", [0, 1, 899, 900, 901, 2000])
def test_any_number_is_looked_up_at_once(store: AnswerStore, n: int) -> None:
    answers = {f"query {number}": Answer(str(number)) for number in range(n)}
    store.put(MODEL, answers)
    assert store.get(MODEL, (*answers, "one more")) == answers


@given(st.lists(st.text(st.characters(codec="utf-8"))))
def test_any_text_comes_back(answers: list[str]) -> None:
    ids = {str(number): text for number, text in enumerate(answers)}
    with AnswerStore(None) as store:
        store.put(MODEL, {name: Answer(text) for name, text in ids.items()})
        assert {name: answer.text for name, answer in store.get(MODEL, tuple(ids)).items()} == ids


def test_a_case_is_kept_as_its_line_and_the_latest_counts(store: AnswerStore) -> None:
    assert store.cases("0123") == {}
    store.keep_case("0123", '{"case_id":"0123"}')
    store.keep_case("0123", '{"case_id":"0123","seen":"again"}')
    assert store.cases("01") == {"0123": '{"case_id":"0123","seen":"again"}'}


def test_without_a_file_nothing_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with AnswerStore(None) as store:
        store.put(MODEL, {"a": Answer("two")})
        assert store.get(MODEL, ("a",)) == {"a": Answer("two")}
    with AnswerStore(None) as store:
        assert store.get(MODEL, ("a",)) == {}
    assert list(tmp_path.iterdir()) == []


def test_garbage_is_refused_with_what_to_do(file: Path) -> None:
    file.parent.mkdir()
    file.write_bytes(b"certainly not a database\n" * 99)
    with pytest.raises(VqamtError) as refused:
        AnswerStore(file)
    assert str(refused.value) == (
        f"Expected an answer cache that can be read and written, but got file={str(file)!r} (file is not a database): "
        "delete it, name another with --vqamt-cache, or do without by --vqamt-no-cache"
    )


def test_where_the_disk_is_full_nobody_is_told_to_delete_the_answers(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with AnswerStore(file) as store:
        store.put(MODEL, {"a": Answer("two")})
    connect = sqlite3.connect

    def on_a_full_disk(*place: object, **how: object) -> sqlite3.Connection:
        db: sqlite3.Connection = connect(*place, **how)  # type: ignore[call-overload]  # as it was called
        db.execute("pragma max_page_count = 1")  # no less than there are
        return db

    monkeypatch.setattr(sqlite3, "connect", on_a_full_disk)
    with AnswerStore(file) as store:
        with pytest.raises(VqamtError, match=r"database or disk is full\): free some space, name another"):
            store.put(MODEL, {str(n): Answer("x" * 4096) for n in range(100)})
        assert store.get(MODEL, ("a",)) == {"a": Answer("two")}


def test_where_another_process_keeps_the_file_locked_nobody_is_told_to_delete_it(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answer_cache, "_BUSY_TIMEOUT_S", 0.05)
    with AnswerStore(file) as store, closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("begin immediate")
        with pytest.raises(VqamtError, match=r"is locked\): end the process that keeps it locked, name another"):
            store.put(MODEL, {"a": Answer("two")})


def test_where_nothing_may_be_written_nobody_is_told_to_delete_it(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with AnswerStore(file) as store:
        store.put(MODEL, {"a": Answer("two")})
    connect = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda place, **how: connect(f"file:{place}?mode=ro", uri=True, **how))
    with pytest.raises(VqamtError, match=r"readonly database\): check its permissions, name another"):
        AnswerStore(file).put(MODEL, {"b": Answer("two")})
    for kept in (file.with_name("none"), file / "file in place of a folder"):
        with pytest.raises(VqamtError, match=r"\): check its permissions, name another"):
            AnswerStore(kept)


def test_a_folder_in_its_place_is_refused(file: Path) -> None:
    file.mkdir(parents=True)
    with pytest.raises(VqamtError, match="unable to open database file"):
        AnswerStore(file)


def test_a_file_in_place_of_its_folder_is_refused(file: Path) -> None:
    file.parent.write_text("a file")
    with pytest.raises(VqamtError, match="Expected an answer cache that can be read and written"):
        AnswerStore(file)


def test_a_table_of_something_else_is_refused_wherever_it_is_touched(file: Path) -> None:
    file.parent.mkdir()
    with closing(sqlite3.connect(file)) as db:
        db.execute("create table answers (question text)")
        db.execute("create table cases (number int)")
    with AnswerStore(file) as store:
        for touch in (
            lambda: store.get(MODEL, ("a",)),
            lambda: store.put(MODEL, {"a": Answer("two")}),
            lambda: store.keep_case("0123", "{}"),
            lambda: store.cases("0123"),
        ):
            with pytest.raises(VqamtError, match="Expected an answer cache that can be read and written"):
                touch()


def test_one_that_opens_it_waits_for_another_that_is_writing(file: Path) -> None:
    # By itself SQLite does not wait here: as long as another process writes, the switch to WAL mode fails at once.
    file.parent.mkdir()
    with closing(sqlite3.connect(file, isolation_level=None, check_same_thread=False)) as other:
        other.execute("create table others (number int)")
        other.execute("begin immediate")
        done = Timer(0.2, other.execute, ["commit"])
        done.start()
        with AnswerStore(file) as store:
            store.put(MODEL, {"a": Answer("two")})
            assert store.get(MODEL, ("a",)) == {"a": Answer("two")}
        done.join()


def test_two_that_have_it_open_find_each_others_answers(file: Path) -> None:
    with AnswerStore(file) as one, AnswerStore(file) as other:
        one.put(MODEL, {"a": Answer("two")})
        other.put(MODEL, {"b": Answer("three")})
        assert one.get(MODEL, ("a", "b")) == other.get(MODEL, ("b", "a")) == {"a": Answer("two"), "b": Answer("three")}


DECLARED = loaded(Model(fingerprint="weights of Friday"))
UNDECLARED = loaded(Model())


def test_a_declared_model_has_the_store_that_lasts(tmp_path: Path) -> None:
    stores = AnswerStores(tmp_path)
    stores.of(DECLARED).put("x", {"a": Answer("yes")})
    stores.close()
    assert (tmp_path / "answers.sqlite").is_file()
    later = AnswerStores(tmp_path)
    assert later.of(DECLARED).get("x", ("a",)) == {"a": Answer("yes")}
    later.close()


def test_an_undeclared_model_has_one_for_the_run(tmp_path: Path) -> None:
    stores = AnswerStores(tmp_path)
    stores.of(UNDECLARED).put("x", {"a": Answer("yes")})
    assert stores.of(UNDECLARED).get("x", ("a",)) == {"a": Answer("yes")}, "for all items of it"
    stores.close()
    assert list(tmp_path.iterdir()) == []


def test_shown_cases_last_whatever_the_model(tmp_path: Path) -> None:
    stores = AnswerStores(tmp_path)
    stores.of_shown_cases.keep_case("0123", "{}")
    stores.close()
    later = AnswerStores(tmp_path)
    assert later.of_shown_cases.cases("0123") == {"0123": "{}"}
    later.close()


def test_without_a_cache_all_is_for_the_run() -> None:
    stores = AnswerStores(None)
    assert stores.of(DECLARED) is stores.of(UNDECLARED) is stores.of_shown_cases
    stores.close()


def test_nothing_is_opened_before_it_is_needed(tmp_path: Path) -> None:
    AnswerStores(tmp_path / "never").close()
    assert list(tmp_path.iterdir()) == []
