"""Files that are broken by chance, of every format: each is reported in one clear line, soon and in little memory."""

from __future__ import annotations

import io
import json
import os
import re
import resource
import shutil
import signal
from collections.abc import Iterator, Sequence
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import asdict, dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from random import Random
from tempfile import mkdtemp

import pytest

from pytest_vqamt.core.errors import VqamtError
from tests.malformed.formats import FORMATS, Format
from tests.malformed.mutations import MUTATIONS

pytestmark = pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="processes are measured on Linux only")

SEED = 18
FEW = (1, 3, 7, 19, 22, 25, 28, 29, 30, 35)
"""The seeds of the default tier: each kind of mutation but sizes, on formats whose good files take no time to make."""
MOST_S = 20
MOST_BYTES = 500_000_000
MOST_CHARACTERS = 1_100


@dataclass(frozen=True, slots=True)
class Told:
    """What became of one input: the exit status, and the messages; ``error`` is an exception that nobody expects."""

    status: int
    lines: tuple[str, ...] = ()
    error: str = ""


def told_by(read: Format) -> Told:
    """Reads the current folder, and catches what a user would see."""
    output, errors = io.StringIO(), io.StringIO()
    try:
        with redirect_stdout(output), redirect_stderr(errors):
            found = read.read()
    except VqamtError as error:
        return Told(2, (str(error),))
    except BaseException as error:
        return Told(1, (), f"{type(error).__name__}: {error!s:.300}")
    if isinstance(found, int):
        return Told(found, tuple(errors.getvalue().splitlines()))
    return Told(0, found)


@dataclass(frozen=True, slots=True)
class Input:
    """A format, one of its files, how it was broken, and what became of it in a process of its own."""

    format: str
    file: str
    how: str
    told: Told
    grown_bytes: int

    @property
    def wrong(self) -> list[str]:
        wrong = [self.told.error] if self.told.error else []
        if self.told.status not in (0, 2) or (self.told.status == 2 and len(self.told.lines) != 1):
            wrong.append(f"ends with status {self.told.status} and {len(self.told.lines)} lines")
        for line in self.told.lines:
            if not line.isprintable() or len(line) > MOST_CHARACTERS or not re.search("xpected|unknown key", line):
                wrong.append("is no clear line")
        if self.grown_bytes > MOST_BYTES:
            wrong.append(f"takes {self.grown_bytes >> 20} MiB")
        return wrong


def installed() -> tuple[str, ...]:
    """The formats whose package is there."""
    return tuple(name for name, each in FORMATS.items() if not each.needs or find_spec(each.needs))


@cache
def good(name: str) -> Path:
    """A folder with the good files of a format."""
    folder = Path(mkdtemp(prefix="vqamt-formats-"))
    with chdir(folder), redirect_stdout(io.StringIO()):
        FORMATS[name].write()
    return folder


def apart(read: Format, folder: Path) -> tuple[Told, int]:
    """Reads ``folder`` in a process of its own; gives by how much it has grown, too."""
    before = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * resource.getpagesize()
    reading, writing = os.pipe()
    process = os.fork()
    if not process:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(MOST_S)
        try:
            os.chdir(folder)
            os.write(writing, json.dumps(asdict(told_by(read))).encode("ascii")[:60_000])
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        said = pipe.read()
    _, status, usage = os.wait4(process, 0)
    try:
        row = json.loads(said)
    except ValueError:
        what = "took too long" if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGALRM else "died"
        return Told(1, (), f"{what} (status {status})"), usage.ru_maxrss * 1024 - before
    return Told(row["status"], tuple(row["lines"]), row["error"]), usage.ru_maxrss * 1024 - before


def inputs(seeds: Sequence[int], into: Path) -> Iterator[Input]:
    """Inputs over all formats in turn."""
    names = installed()
    for seed in seeds:
        rng = Random(f"{SEED} {seed}")
        name = names[seed % len(names)]
        file = rng.choice(FORMATS[name].files)
        mutation = rng.choice(MUTATIONS)
        folder = into / str(seed)
        shutil.copytree(good(name), folder)
        how = f"{seed}: {mutation.__name__}: {mutation(folder / file, rng)}"
        told, grown_bytes = apart(FORMATS[name], folder)
        shutil.rmtree(folder)
        yield Input(name, file, how, told, grown_bytes)


@pytest.mark.full
@pytest.mark.parametrize("name", installed())
def test_what_is_broken_was_good(name: str, tmp_path: Path) -> None:
    shutil.copytree(good(name), tmp_path, dirs_exist_ok=True)
    with chdir(tmp_path):
        assert told_by(FORMATS[name]) == Told(0)


@pytest.mark.parametrize(
    "seeds",
    [
        FEW,
        pytest.param([seed for seed in range(36) if seed not in FEW], marks=pytest.mark.full),
        *(pytest.param(range(at, at + 247), marks=pytest.mark.full) for at in range(36, 3000, 247)),
    ],
)
def test_each_is_told_in_one_clear_line(seeds: Sequence[int], tmp_path: Path) -> None:
    assert [(each, each.wrong) for each in inputs(seeds, tmp_path) if each.wrong] == []
