"""The ``vqamt`` command finds its commands, and a user's mistake is one line and status 2."""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points, version
from pathlib import Path
from tempfile import mkdtemp

import pytest

from pytest_vqamt.cli import main
from pytest_vqamt.commands import main as main_module
from pytest_vqamt.commands.main import COMMANDS, GROUPS
from tests.reporting.running import run_into


def test_the_console_script_is_this_function() -> None:
    [script] = entry_points(group="console_scripts", name="vqamt")
    assert script.value == "pytest_vqamt.cli:main"


def test_help_lists_every_command_in_its_group_on_one_screen(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--help"])
    assert ended.value.code == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) <= 42
    assert max(map(len, lines)) <= 80
    for group, commands in GROUPS.items():
        first = lines.index(f"{group}:") + 1
        shown = [line.split(maxsplit=1) for line in lines[first : first + len(commands)]]
        assert shown == [[name, purpose] for name, purpose in commands.items()]


def test_every_module_of_a_command_is_listed() -> None:
    folder = Path(main_module.__file__).parent
    modules = {
        file.stem.replace("_", "-") for file in folder.glob("*.py") if "def add_arguments(" in file.read_text("utf-8")
    }
    assert modules == set(COMMANDS)


def _options(command: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=command)
    import_module(f"pytest_vqamt.commands.{command.replace('-', '_')}").add_arguments(parser)
    return parser


@pytest.mark.parametrize("command", COMMANDS)
def test_an_option_has_one_name_in_all_commands(command: str) -> None:
    """What pytest has, too, is called the same without the prefix."""
    names = {name for action in _options(command)._actions for name in action.option_strings}
    assert not [name for name in names if name.startswith("--vqamt-")]
    assert ("--out" in names) == ("-o" in names)


@pytest.mark.parametrize(
    ("typed", "now"),
    [
        ("serve --vqamt-model=tiny --vqamt-data pictures", "serve --model=tiny --data pictures"),
        ("describe view.shift --vqamt-max-cases 3", "describe view.shift --max-cases 3"),
        ("merge a b -o out --vqamt-report-images=none", "merge a b -o out --report-images=none"),
        ("export out --relations a=b", "export out --relations a=b"),
        ("list -- --vqamt-model", "list -- --vqamt-model"),
    ],
)
def test_names_of_pytest_are_taken(typed: str, now: str) -> None:
    assert main_module._without_prefix(typed.split()) == tuple(now.split())


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_of_its_own(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([command, "--help"])
    assert ended.value.code == 0
    assert f"usage: vqamt {command}" in capsys.readouterr().out


def test_version_is_that_of_the_distribution(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--version"])
    assert capsys.readouterr().out == f"vqamt {version('pytest-vqamt')}\n"


@pytest.mark.parametrize("typed", [[], ["list", "--jsn"], ["describe"], ["merge", "out"]])
def test_a_wrong_call_is_told_the_usage(typed: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(typed)
    assert ended.value.code == 2
    assert "usage: vqamt" in capsys.readouterr().err


def test_a_misspelt_command_gets_a_hint(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reprot", "out"]) == 2
    assert capsys.readouterr().err == (
        "vqamt: Expected a command, but got 'reprot'; did you mean 'report'? (vqamt --help)\n"
    )


def test_a_mistake_is_one_line_and_status_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["describe", "metavqa.partitoin"]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.count("\n") == 1
    assert printed.err.startswith("vqamt: Expected a relation")
    assert "did you mean 'metavqa.partition'?" in printed.err


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        (["report", "out", "--latex", ""], "a value, but got --latex='': give one, or leave --latex off"),
        (["report", "out", "--csv-tables="], "a value, but got --csv-tables='': give one, or leave --csv-tables off"),
        (["merge", "out", "-o", ""], "a value, but got -o='': give one, or leave -o off"),
        (["merge", "", "-o", "out"], "a value for each argument, but got '' after 'merge': give one"),
        (["open", ""], "a value for each argument, but got '' after 'open': give one"),
    ],
)
def test_an_empty_value_is_a_mistake_and_not_the_current_folder(
    typed: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(typed) == 2
    assert capsys.readouterr().err == f"vqamt: Expected {told}\n"


def test_an_option_may_have_an_equals_sign_at_its_end() -> None:
    main_module._check_none_is_empty(["describe", "x", "--option", "severity=", "--seed=0"])


@pytest.mark.parametrize("option", ["--junitxml", "--csv", "--latex", "--csv-tables", "--out"])
def test_a_path_that_cannot_be_written_is_named_as_it_was_given(
    option: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run_into(tmp_path / "out")
    taken = tmp_path / "taken"
    if option in ("--junitxml", "--csv"):
        taken.mkdir()
    else:
        taken.write_text("a file")
    assert main(["report", str(tmp_path / "out"), "--report-images=none", option, str(taken)]) == 2
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    assert repr(str(taken)) in told
    assert ".part" not in told
    assert "--vqamt-report" not in told


@pytest.mark.parametrize("text", ["", "hello", '{"schema": 1,', "[1]", '{"a": 1}', '{"schema": 1}'])
@pytest.mark.parametrize(
    "command",
    [
        "merge out -o merged", "report out", "compare out good", "compare good out", "bless out -o base.gz",
        "trend good out", "power --report out", "audit out -o sheet", "export out -o set", "replay ID --report out",
    ],
)  # fmt: skip
def test_a_report_that_is_no_whole_one_is_named(
    command: str, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copytree(_report(), "good")
    shutil.copytree("good", "out")
    Path("out/report.json").write_text(text)
    case_id = json.loads(Path("out/cases.jsonl").read_text().splitlines()[0])["case_id"]
    assert main(command.replace("ID", case_id).split()) == 2
    told = capsys.readouterr().err.splitlines()[-1]
    assert "'out/report.json'" in told
    assert ": Expected a " in told
    assert re.search(r"copy it anew|name the folder of a finished run|run the tests again", told)
    assert "Expecting" not in told


@cache
def _report() -> Path:
    folder = Path(mkdtemp())
    run_into(folder)
    return folder


def test_a_reader_who_has_seen_enough_ends_it_without_a_word() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as closed:
        finished = subprocess.run(
            [sys.executable, "-c", "from pytest_vqamt.cli import main; raise SystemExit(main(['list']))"],
            stdout=closed,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert (finished.returncode, finished.stderr) == (0, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device here that is always full")
def test_a_full_disk_is_told_in_one_line() -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-c", "import sys; from pytest_vqamt.cli import main; sys.exit(main(['list']))"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 2
    assert done.stderr.startswith("vqamt: Expected an output that can be written to, but got ")
    assert done.stderr.count("\n") == 1


_INTERRUPTED = """
import signal, sys
from pytest_vqamt.cli import main

class Interrupts:
    def find_spec(self, name, *_):
        if name == sys.argv[1]:
            signal.raise_signal(signal.SIGINT)

signal.signal(signal.SIGINT, signal.default_int_handler)
sys.meta_path.insert(0, Interrupts())
sys.exit(main(["list"]))
"""


@pytest.mark.parametrize("importing", ["pytest_vqamt.commands.main", "pytest_vqamt.commands.list"])
def test_ctrl_c_is_told_in_one_line(importing: str) -> None:
    done = subprocess.run([sys.executable, "-c", _INTERRUPTED, importing], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (130, "vqamt: interrupted\n")
