"""The ``vqamt`` command finds its commands, and a user's mistake is one line and status 2."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.metadata import entry_points, version
from pathlib import Path

import pytest

from pytest_vqamt.cli import main
from pytest_vqamt.commands.main import COMMANDS


def test_the_console_script_is_this_function() -> None:
    [script] = entry_points(group="console_scripts", name="vqamt")
    assert script.value == "pytest_vqamt.cli:main"


def test_help_lists_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--help"])
    assert ended.value.code == 0
    printed = capsys.readouterr().out
    for name, purpose in COMMANDS.items():
        assert name in printed
        assert purpose in " ".join(printed.split())


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


@pytest.mark.parametrize("typed", [[], ["lst"], ["list", "--jsn"], ["describe"], ["merge", "out"]])
def test_a_wrong_call_is_told_the_usage(typed: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(typed)
    assert ended.value.code == 2
    assert "usage: vqamt" in capsys.readouterr().err


def test_a_mistake_is_one_line_and_status_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["describe", "metavqa.partitoin"]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.count("\n") == 1
    assert printed.err.startswith("vqamt: Expected a relation")
    assert "did you mean 'metavqa.partition'?" in printed.err


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
