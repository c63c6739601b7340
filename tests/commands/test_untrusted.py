"""A report, a baseline or a list of a stranger: nothing in it is run, opened as a program, or written to."""

from __future__ import annotations

import gzip
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import pytest_vqamt as vqamt
from pytest_vqamt.cli import main
from pytest_vqamt.core.case import RelationSetting
from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.input_files import check_data, check_id, recorded_settings
from pytest_vqamt.data import catalogue as sources
from pytest_vqamt.imaging import inpainters, inpainting
from pytest_vqamt.relations import catalogue
from tests.reporting.reported import cases_in

ITEM = "metavqa.removal_plus"
WRITES = """
def forward(self, image, mask):
    written = torch.from_file("written", shared=True, size=4)
    return image + written.sum() * 0
"""


@pytest.fixture
def theirs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The id of a case whose picture a TorchScript file beside the report makes, which writes a file when it is run."""
    torch = pytest.importorskip("torch")
    monkeypatch.chdir(tmp_path)
    Path("theirs").mkdir()
    network = type("Network", (torch.jit.ScriptModule,), {})()
    network.define(WRITES)
    network.save("theirs/big-lama.pt")
    made = vqamt.run(
        model=lambda image, text: "yes" if image.size else text,
        data="pictures:12",
        relations=ITEM,
        max_cases=3,
        contrast=0,
        settings={"erase": "inpaint", "inpaint": "lama:theirs/big-lama.pt"},
    )
    made.save("theirs", images="none")
    assert Path("written").is_file(), "the checkpoint does what it is made for"
    Path("written").unlink()
    monkeypatch.setattr(inpainting, "_checkpoints", {})  # as in another process
    inpainters._loaded.cache_clear()
    return str(cases_in(Path("theirs"))[0]["case_id"])


def bless(case_id: str) -> list[str]:
    assert main(["bless", "theirs", "-o", "base.gz"]) == 0
    return ["replay", case_id, "--report", "base.gz"]


def copied(folder: str) -> str:
    """The same report again, as another run: one is not compared with itself."""
    shutil.copytree(folder, "again")
    return "again"


ORDERS: dict[str, Callable[[str], list[str]]] = {
    "replay": lambda case_id: ["replay", case_id, "--report", "theirs"],
    "replay with a model": lambda case_id: ["replay", case_id, "--report", "theirs", "--model", "fault:always-zero"],
    "replay of a baseline": bless,
    "report": lambda _: ["report", "theirs", "--report-images", "all"],
    "merge": lambda _: ["merge", "theirs", "-o", "merged", "--report-images", "all"],
    "audit": lambda _: ["audit", "theirs", "-o", "sheet", "--of", "all"],
    "compare": lambda _: ["compare", copied("theirs"), "theirs"],
    "export": lambda _: ["export", "theirs", "-o", "exported", "--of", "all"],
}


@pytest.mark.parametrize("order", ORDERS)
def test_a_checkpoint_that_a_report_names_is_never_loaded(
    order: str, theirs: str, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ORDERS[order](theirs)
    capsys.readouterr()
    main(words)
    told = capsys.readouterr().err
    assert not Path("written").exists()
    assert "Traceback" not in told
    if order not in ("compare", "export"):
        assert told.count("not taken from the file of that run") == 1
        assert "inpaint='lama:theirs/big-lama.pt'" in told
        assert "--option NAME=VALUE" in told


def test_it_is_loaded_where_the_user_names_it(theirs: str, capsys: pytest.CaptureFixture[str]) -> None:
    option = "--option=inpaint=lama:theirs/big-lama.pt"
    assert main(["replay", theirs, "--report", "theirs", option]) == 0
    assert Path("written").is_file()
    assert "not taken" not in capsys.readouterr().err


def test_a_session_that_replays_a_strangers_case_loads_nothing(pytester: pytest.Pytester, theirs: str) -> None:
    shutil.copytree("theirs", pytester.path / "theirs")
    result = pytester.runpytest_inprocess(
        "--vqamt-model=oracle", "--vqamt-data=pictures:12", "--vqamt-report=theirs",
        f"--vqamt-replay={theirs}",
    )  # fmt: skip
    assert not (pytester.path / "written").exists()
    assert "Expected the LaMa checkpoint that the recipe names" in result.stdout.str()


NAMED = ("PATH", "lama:PATH", "lama:x.pt", "os:system", "../../etc/passwd", "/dev/zero", "telea\0", "", "Telea")


@pytest.mark.parametrize("value", NAMED)
def test_no_setting_of_a_file_is_a_path_or_a_module(value: str) -> None:
    """Every setting that there is, so a new one is covered without anyone thinking of it."""
    every = (*catalogue.RUN_SETTINGS, *catalogue.settings_known())
    assert len(every) > 8
    found = recorded_settings({each.name: value for each in every}, every)
    assert found.used == {}
    assert set(found.left_out) == {each.name for each in every}


def test_settings_of_a_list_are_taken() -> None:
    known = RelationSetting(name="wordnet", values=("bundled", "full", "PATH"), default="bundled", meaning="")
    assert recorded_settings({"wordnet": "full"}, [known]).used == {"wordnet": "full"}
    assert recorded_settings({"wordnet": "x/y", "other": 1}, [known]).left_out == {"wordnet": "x/y", "other": "1"}
    assert recorded_settings({"wordnet": "full"}, [known]).note == ""


IDS = ("../../../0123456", "0123456789ABCDEF", "0123456789abcde", "0123456789abcdef0", "0123456789abcde\n",
       "$(touch written)", "\u0660123456789abcdef", "0123456789abc\u202ef", "", 7, None, ["0" * 16])  # fmt: skip


@pytest.mark.parametrize("made_up", IDS, ids=map(repr, IDS))
def test_an_id_is_sixteen_digits(made_up: object) -> None:
    with pytest.raises(ValueError, match=r"^expected 16 hexadecimal digits, but got case_id="):
        check_id(made_up)


def test_an_id_of_sixteen_digits_is_one() -> None:
    assert check_id("0123456789abcdef") == "0123456789abcdef"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report in ``out``, and its baseline, ``base.gz``."""
    folder = tmp_path_factory.mktemp("made")
    report = vqamt.run(
        model="fault:always-yes", data="pictures:12", relations="carets.negation", max_cases=4, contrast=0
    )
    report.save(folder / "out", images="none")
    assert main(["bless", str(folder / "out"), "-o", str(folder / "base.gz")]) == 0
    return folder


@pytest.fixture
def crafted(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, Any], str]:
    """Puts a value into the first case of a report, in ``out``, and of a baseline, ``base.gz``."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)

    def craft(name: str, value: Any) -> str:
        file = Path("out/cases.jsonl")
        first, *others = file.read_text(encoding="utf-8").splitlines()
        line = json.dumps({**json.loads(first), name: value}, ensure_ascii=False, separators=(",", ":"))
        file.write_text("\n".join([line, *others, ""]), encoding="utf-8")
        packed = Path("base.gz").read_bytes()
        (head,) = gzip.decompress(packed).splitlines(keepends=True)[:1]
        item = gzip.compress("\n".join([line, *others, ""]).encode(), mtime=0)
        row = json.loads(head)
        row["items"][0]["size_bytes"] = len(item)
        Path("base.gz").write_bytes(gzip.compress(f"{json.dumps(row)}\n".encode(), mtime=0) + item)
        return line

    return craft


COMMANDS = (
    ["replay", "ID", "--report", "out"],
    ["replay", "ID", "--report", "base.gz"],
    ["report", "out"],
    ["report", "out", "--csv", "cases.csv"],
    ["merge", "out", "-o", "merged"],
    ["audit", "out", "-o", "sheet", "--of", "all"],
    ["compare", "again", "out"],
    ["compare", "base.gz", "out"],
    ["bless", "out", "-o", "new.gz"],
    ["export", "out", "-o", "exported", "--of", "all"],
)


MADE_UP = ("../../../outside", "$(touch written)", "/tmp/0123456789", "0123456789abcde\u202e")


def files_of(folder: Path) -> set[str]:
    return {str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file()}


@pytest.mark.parametrize(
    ("command", "case_id"),
    [
        # Each command with one of the ids, and each id with one of the commands; the rest in the full tier.
        pytest.param(command, case_id, marks=() if (row - column) % len(MADE_UP) == 0 else pytest.mark.full)
        for row, command in enumerate(COMMANDS)
        for column, case_id in enumerate(MADE_UP)
    ],
)
def test_a_crafted_id_is_one_line_and_nothing_is_written(
    case_id: str,
    command: list[str],
    crafted: Callable[[str, Any], str],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    crafted("case_id", case_id)
    copied("out")
    before = files_of(tmp_path.parent)
    capsys.readouterr()
    status = main([case_id if word == "ID" else word for word in command])
    told = capsys.readouterr().err
    assert status == 2
    assert told.count("\n") == 1
    assert "16 hexadecimal digits" in told
    assert "\u202e" not in told
    assert files_of(tmp_path.parent) - before <= {"cases.csv"}


def test_data_of_a_file_is_of_a_kind_that_is_read_as_data(
    crafted: Callable[[str, Any], str], capsys: pytest.CaptureFixture[str]
) -> None:
    case_id = json.loads(crafted("data_spec", "theirs:x"))["case_id"]
    capsys.readouterr()
    assert main(["replay", case_id, "--report", "out"]) == 2
    assert "Expected data of a kind that comes with pytest-vqamt" in capsys.readouterr().err
    for spec in ("python:os:system", "theirs:x", "", "x=python:os"):
        with pytest.raises(DataError, match=r"name it on the command line$"):
            check_data(spec, sources.TABLE)
    for spec in ("pictures:20", "mine=coco:DIR"):
        assert check_data(spec, sources.TABLE) == spec


def test_a_picture_of_a_list_is_written_under_its_digest_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    picture = {"photo": "pictures-0-0", "digest": "../../outside", "edits": []}
    row = {"id": "0" * 16, "photo": "pictures-0-0", "picture": picture, "text": "Is it?", "task": "vqa", "answer": None}
    Path("a.todo.jsonl").write_text(json.dumps(row) + "\n")
    assert main(["replay", "--render", "made", "a.todo.jsonl"]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert list(tmp_path.rglob("*.png")) == []


def test_a_made_up_number_of_cases_or_shards_ends_at_once(
    crafted: Callable[[str, Any], str], capsys: pytest.CaptureFixture[str]
) -> None:
    crafted("scene", "pictures-0-0")
    file = Path("out/report.json")
    report = json.loads(file.read_text())
    report["relations"][0]["cases"] = report["relations"][0]["holds"] = 10**12
    file.write_text(json.dumps(report))
    assert main(["compare", copied("out"), "out"]) == 2
    file.write_text(json.dumps({**report, "shard": "1/999999999999"}))
    assert main(["merge", "out", "-o", "merged"]) == 2
    assert capsys.readouterr().err.count("\n") == 2


def test_the_sheet_of_an_audit_shows_what_turns_a_text_around(
    crafted: Callable[[str, Any], str], tmp_path: Path
) -> None:
    crafted("reason", "yes \u202e\u2066 on")
    assert main(["audit", "out", "-o", "sheet", "--of", "violations"]) in (0, 2)
    for file in (tmp_path / "sheet").rglob("audit.*"):
        assert not {"\u202e", "\u2066"} & set(file.read_text(encoding="utf-8"))
