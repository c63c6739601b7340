"""A case whose contrast is broken is one clear line, whatever reads it: nothing is left out in silence."""

from __future__ import annotations

import gzip
import io
import json
import shutil
from collections.abc import Callable
from contextlib import chdir, redirect_stdout
from pathlib import Path
from typing import Any

import pytest

from tests.malformed.formats import FORMATS
from tests.malformed.outcomes import unclear
from tests.malformed.test_generated import told_by

Row = dict[str, Any]
Damage = Callable[[Row], object]


def put(name: str, value: object) -> Damage:
    return lambda contrast: contrast.__setitem__(name, value)


def gone(name: str) -> Damage:
    return lambda contrast: contrast.pop(name)


def puts(name: str, *values: object) -> dict[str, Damage]:
    return {f"{name} {value!r}": put(name, value) for value in values}


BROKEN: dict[str, Damage] = {
    **{f"no {name}": gone(name) for name in ("of", "query", "scene", "change")},
    **puts("of", -1, 3, 10**30, "0", 0.0, True, None, []),
    **puts("query", None, [], "text", {}, {"text": 1, "picture": {}}),
    **puts("scene", None, 7, {}),
    **puts("change", None, "same", 1, []),
    **puts("names", "dog", [1], {"dog": 1}),
    **puts("presumed", "yes", 1, []),
    **puts("verdict", "grounded", 1, []),
    **puts("before", "grounded", 1, []),
    **puts("answer", 0, 1, ["yes"], {"text": "yes"}),
    **puts("reason", 1, None),
    **puts("reading", 1, None),
}

READERS = {
    "cases.jsonl": "report/cases.jsonl",
    "cases.jsonl.gz": "report/cases.jsonl.gz",
    "shards": "one/cases.jsonl",
    "baseline": "baseline.jsonl.gz",
    "baseline to compare": "report/cases.jsonl",
}


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A folder with the good files of each format."""
    made = {}
    for name in READERS:
        made[name] = tmp_path_factory.mktemp("good")
        with chdir(made[name]), redirect_stdout(io.StringIO()):
            FORMATS[name].write()
    return made


def break_contrast(file: Path, damage: Callable[[Row], object]) -> None:
    """Damages the first case with a contrast; an item of a baseline is a gzip member, whose size its head has."""
    data = file.read_bytes()
    packed = file.suffix == ".gz"
    lines = (gzip.decompress(data) if packed else data).splitlines()
    rows = [json.loads(line) for line in lines]
    damage(next(row for row in rows if row.get("contrast")))
    texts = [json.dumps(row, separators=(",", ":"), ensure_ascii=False).encode() + b"\n" for row in rows]
    if not packed or "baseline" not in rows[0]:
        whole = b"".join(texts)
        file.write_bytes(gzip.compress(whole, mtime=0) if packed else whole)
        return
    members, at = [], 1
    for item in rows[0]["items"]:
        members.append(gzip.compress(b"".join(texts[at : at + item["cases"]]), mtime=0))
        item["size_bytes"], at = len(members[-1]), at + item["cases"]
    head = gzip.compress(json.dumps(rows[0], separators=(",", ":")).encode() + b"\n", mtime=0)
    file.write_bytes(head + b"".join(members))


def failures(name: str, good: dict[str, Path], folder: Path, damages: dict[str, Damage]) -> list[str]:
    found = []
    for number, (how, damage) in enumerate(damages.items()):
        here = folder / str(number)
        shutil.copytree(good[name], here)
        with chdir(here):
            break_contrast(Path(READERS[name]), damage)
            told = told_by(FORMATS[name])
        if told.error or told.status != 2 or len(told.lines) != 1 or unclear(told.lines[0], most=1_100):
            found.append(f"{how}: {told}")
    return found


@pytest.mark.parametrize("every", [len(READERS), pytest.param(1, marks=pytest.mark.full)])
@pytest.mark.parametrize("name", READERS)
def test_a_broken_contrast_is_told_in_one_clear_line(
    name: str, every: int, good: dict[str, Path], tmp_path: Path
) -> None:
    """Each damage is told by one reader in the default tier, and by each in the full one."""

    def of_case(damage: Damage) -> Damage:
        return lambda row: damage(row["contrast"])

    broken = {how: of_case(damage) for how, damage in BROKEN.items()}
    broken |= puts("contrast", [], "dog", 1, True)
    first = list(READERS).index(name) % every
    assert failures(name, good, tmp_path, dict(list(broken.items())[first::every])) == []


@pytest.mark.parametrize("name", READERS)
def test_what_is_broken_was_good(name: str, good: dict[str, Path], tmp_path: Path) -> None:
    (told,) = failures(name, good, tmp_path, {"not at all": lambda _: None})
    assert "error=''" in told
    assert "lines=()" in told
