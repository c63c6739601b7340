"""Writes what a refactoring must not move, and compares it with what was written before.

    python -m tools.golden write DIR     runs the sessions below and writes their normalised results to DIR
    python -m tools.golden compare A B   lists every file and every record that differs; exits with 1 where any does
    python -m tools.golden check         runs the sessions and compares them with the digests in ``golden.json``
    python -m tools.golden record DIR    writes the digests of DIR to ``golden.json``

Results (``report.json`` without times and costs, cases, baselines, todo files, merges) must be equal byte for byte.
Texts (terminal, Markdown, the page) may change where a commit says so; they have digests of their own. All sessions
run in subprocesses by the public options, so the script does not depend on where the code lies.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
DIGESTS = HERE / "golden.json"
REAL = HERE.parent.parent / "shared" / "data"

TIMES = ("started", "duration_s")
COSTS = ("queries_needed", "queries_asked", "queries_cached", "queries_saved", "busy_s", "items_s")
MODEL = '''
from zlib import crc32


class Model:
    """Answers by the pixels and the text."""

    fingerprint = "pixels and text"

    def answer(self, batch):
        return [("yes", "no", "2", "1")[crc32(each.image.tobytes() + each.text.encode()) % 4] for each in batch]
'''
RELATIONS = '''
import pytest_vqamt as vqamt


@vqamt.relation("ours.mirror", task="vqa", expect=vqamt.same_answer)
def mirror(scene, corpus, choose):
    """The mirrored picture has the same things."""
    if not scene.objects:
        return vqamt.NotApplicable("there is nothing")
    question = vqamt.ask.exists(choose.one(scene.objects))
    return vqamt.case(scene.picture, question, follow_up=(scene.picture.mirror(), question))
'''


RUN = "sys.exit(main(sys.argv[1:]))"

SCRIPTS = {
    "readings": """
import json, pathlib, sys
from pytest_vqamt import read, read_choice, read_count, read_yes_no
from pytest_vqamt.core.meaning import meaning_from_row

for file in sorted(pathlib.Path(sys.argv[1], "tests/language/answers").glob("*.jsonl")):
    for row in map(json.loads, file.read_text("utf-8").splitlines()):
        question, answer, options = row["question"], row["answer"], row.get("options", ())
        found = [read(question, answer, options), read_yes_no(answer, question), read_count(answer, question)]
        found += [read_choice(answer, options, question)] if options else []
        found += [read(meaning_from_row(row["meaning"]), answer)] if "meaning" in row else []
        print(json.dumps({"relation": file.name, "answer": answer, "readings": list(map(repr, found))}))
""",
    "pixels": """
import hashlib, itertools, json, pathlib, sys
import pytest_vqamt

for folder in sorted(pathlib.Path().glob("*/report.json")):
    report = pytest_vqamt.Report.read(folder.parent)
    for name, cases in itertools.groupby(report.cases(), lambda case: case.relation):
        edited = (case for case in cases if any(query.edits for query in case.queries))
        for case in itertools.islice(edited, 1):
            for query in case.queries if case.data.partition(":")[0] not in ("gqa", "snli-ve", "vqa-v2") else ():
                pixels = hashlib.sha256(query.picture.tobytes()).hexdigest()[:16]
                print(json.dumps({"relation": f"{folder.parent} {name}", "edits": query.edits, "pixels": pixels}))
""",
    "describe": """
from pytest_vqamt.cli import main
from pytest_vqamt.relations.catalogue import names

for name in names():
    print(f"# {name}")
    main(["describe", name])
""",
    "help": """
import contextlib
from pytest_vqamt.cli import main
from pytest_vqamt.commands.main import COMMANDS

for name in ("", *COMMANDS):
    print(f"# {name}")
    with contextlib.suppress(SystemExit):
        main([*name.split(), "--help"])
""",
}
"""What is run in the folder of the sessions, for files that no session writes; by the name of the file."""
TEXTS = ("describe", "help")


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """One pytest session.

    Attributes:
        name: the folder of its report.
        options: what follows ``--vqamt-``.
        needs: folders of ``../shared/data`` without which it is left out.
    """

    name: str
    options: tuple[str, ...]
    needs: tuple[str, ...] = ()


BOTH = ("model=oracle", "model=tiny")
FEW = "relations=metavqa.*,carets.negation,carets.visual*,veglue.mr*,metaic.object_appearance*,control.*,ours.*"
SESSIONS: tuple[Session, ...] = (
    Session(
        name="pictures",
        options=(*BOTH, "data=pictures:200", "max-cases=20", "fail-under=0.5", "shrink=10", "report-images=all"),
    ),
    Session(
        name="random",
        options=("model=oracle", "data=pictures:200", "max-cases=60", "sampler=random", "seed=3", "shrink=0"),
    ),
    Session(name="pixels", options=("model=python:kept:Model", "data=pictures:60", "max-cases=20", "shrink=10")),
    Session(name="coco", options=(*BOTH, "data=coco:data/coco", "max-cases=20", "shrink=0"), needs=("coco",)),
    Session(
        name="graphs",
        options=(
            *("model=oracle", "data=gqa:data/gqa", "data=visual-genome:data/visual_genome", "data=vqa-v2:data/coco"),
            *("data=vqa-v2:data/vqa_v2", "data=snli-ve:data/snli_ve", "max-cases=20", "shrink=0"),
        ),
        needs=("gqa", "visual_genome", "vqa_v2", "snli_ve", "coco"),
    ),
    Session(name="carets", options=("model=oracle", "data=carets:data/carets"), needs=("carets",)),
    Session(name="shard1", options=(*BOTH, "data=pictures:100", "max-cases=20", FEW, "shard=1/2", "fail-under=0.9")),
    Session(name="shard2", options=(*BOTH, "data=pictures:100", "max-cases=20", FEW, "shard=2/2", "fail-under=0.9")),
    Session(
        name="todo",
        options=("model=answers:answers.jsonl", "data=pictures:50", "max-cases=5", "relations=metavqa.*,carets.order*"),
    ),
    Session(
        name="metavqa_preset", options=("model=tiny", "data=pictures:100", "max-cases=20", "preset=metavqa", "shrink=5")
    ),
)
FAULTS = ("model=oracle", "model=fault:ignores-negation", "model=fault:speck-blind", "model=fault:order-sensitive")
SESSIONS += tuple(
    Session(
        name=f"faults_{name}",
        options=(*FAULTS, f"data={data}", "relations=*", "max-cases=2", "shrink=0", "report-images=none"),
        needs=needs,
    )
    for name, data, needs in (
        ("pictures", "pictures:60", ()),
        ("coco", "coco:data/coco", ("coco",)),
        ("gqa", "gqa:data/gqa", ("gqa",)),
        ("snli_ve", "snli-ve:data/snli_ve", ("snli_ve",)),
        ("questions", "questions:questions.jsonl:data/coco/images", ("coco",)),
    )
)
"""Every relation on five kinds of data, by a model that is right and three that are wrong in one way."""
AGAINST_BASELINE = Session(
    name="against_baseline",
    options=(*BOTH, "data=pictures:200", "seed=9", "baseline=baseline.gz", "max-drop=0.05", "relations=metavqa.*"),
)
COMMANDS: tuple[tuple[str, str], ...] = (
    ("list", "list"),
    ("describe_partition", "describe metavqa.partition"),
    ("describe_mr1", "describe veglue.mr1_joint_erase"),
    ("describe_metaic", "describe metaic.object_appearance"),
    ("describe_tiny", "describe tiny"),
    ("compare", "compare pictures against_baseline"),
    ("power", "power --report pictures"),
)


def write(folder: Path) -> None:
    """Runs all sessions and writes their normalised results into ``folder``."""
    folder.mkdir(parents=True)
    with tempfile.TemporaryDirectory(prefix="vqamt-golden-") as name:
        work = Path(name)
        _prepare(work)
        here = [each for each in SESSIONS if all((REAL / need).is_dir() for need in each.needs)]
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(lambda session: _run(work, session), here))
        _vqamt(work, "bless", "pictures", "-o", "baseline.gz")
        _run(work, AGAINST_BASELINE)
        _vqamt(work, "merge", "shard1", "shard2", "-o", "merged")
        for name, line in COMMANDS:
            (work / f"{name}.txt").write_text(_vqamt(work, *line.split()), encoding="utf-8")
        for name, script in SCRIPTS.items():
            (work / f"{name}.{'txt' if name in TEXTS else 'jsonl'}").write_text(_python(work, script), encoding="utf-8")
        _collect(work, folder)


def _prepare(work: Path) -> None:
    (work / "kept.py").write_text(MODEL, encoding="utf-8")
    (work / "conftest.py").write_text(RELATIONS, encoding="utf-8")
    (work / "answers.jsonl").write_text("", encoding="utf-8")
    if REAL.is_dir():
        (work / "data").symlink_to(REAL, target_is_directory=True)
        _write_questions(work / "questions.jsonl")


def _write_questions(file: Path) -> None:
    """Two questions about each photo, with answers."""
    coco = json.loads((REAL / "coco" / "instances.json").read_text(encoding="utf-8"))
    names = {each["id"]: each["name"] for each in coco["categories"]}
    things: dict[int, list[str]] = {}
    for each in coco["annotations"]:
        things.setdefault(each["image_id"], []).append(names[each["category_id"]])
    rows: list[dict[str, object]] = []
    for image in coco["images"]:
        found, photo = things.get(image["id"], ["dog"]), image["file_name"]
        rows.append({"image": photo, "question": f"Is there a {found[0]}?", "answer": "yes"})
        options = [found[-1], "zeppelin", "harp"]
        rows.append({"image": photo, "question": "What is there?", "options": options, "answer": found[-1]})
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")


def _environment(work: Path) -> dict[str, str]:
    root = str(HERE.parent)
    home = str(work / ".kept")
    kept = {"VQAMT_CACHE_HOME": home, "COLUMNS": "160", "PYTHONPATH": f"{root}{os.pathsep}{work}"}
    dropped = {"GITHUB_STEP_SUMMARY", "PYTEST_ADDOPTS"}
    return {**{key: value for key, value in os.environ.items() if key not in dropped}, **kept}


def _run(work: Path, session: Session) -> None:
    options = [f"--vqamt-{each}" for each in session.options]
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:xdist", "-q", *options]
    command += [f"--vqamt-report={session.name}", "--vqamt-no-cache", "--rootdir=."]
    done = subprocess.run(command, cwd=work, env=_environment(work), capture_output=True, text=True, check=False)
    (work / f"{session.name}.txt").write_text(done.stdout + done.stderr, encoding="utf-8")
    if done.returncode not in (0, 1):
        raise SystemExit(f"{session.name}: pytest ended with {done.returncode}\n{done.stdout[-3000:]}{done.stderr}")


def _vqamt(work: Path, *arguments: str) -> str:
    command = [sys.executable, "-c", f"import sys; from pytest_vqamt.cli import main; {RUN}", *arguments]
    done = subprocess.run(command, cwd=work, env=_environment(work), capture_output=True, text=True, check=False)
    return f"{done.stdout}{done.stderr}\nexit status {done.returncode}\n"


def _python(work: Path, script: str) -> str:
    command = [sys.executable, "-c", script, str(HERE.parent)]
    done = subprocess.run(command, cwd=work, env=_environment(work), capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{script}\n{done.stderr[-3000:]}")
    return done.stdout


def _collect(work: Path, folder: Path) -> None:
    results, texts = folder / "results", folder / "texts"
    for each in (*sorted(work.iterdir()), work / "baseline.gz", work / "answers.jsonl.todo.jsonl"):
        if (each / "report.json").is_file():
            report = without_costs(json.loads((each / "report.json").read_text(encoding="utf-8")))
            told = json.dumps(report, indent=1, sort_keys=True).replace(str(work), "WORK")
            _put(results / each.name / "report.json", told)
            _put(results / each.name / "cases.jsonl", (each / "cases.jsonl").read_text(encoding="utf-8"))
            _put(texts / each.name / "report.html", _page((each / "report.html").read_text(encoding="utf-8")))
            _put(texts / each.name / "summary.md", _timeless((each / "summary.md").read_text(encoding="utf-8")))
        elif each.suffix == ".txt":
            _put(
                texts / each.name,
                _timeless(
                    each.read_text(encoding="utf-8").replace(str(work), "WORK").replace(str(HERE.parent), "ROOT")
                ),
            )
    with gzip.open(work / "baseline.gz", "rt", encoding="utf-8") as file:
        _put(results / "baseline.jsonl", re.sub(r'"(started|blessed)": ?"[^"]*"', r'"\1": ""', file.read()))
    for name in SCRIPTS.keys() - TEXTS:
        _put(results / f"{name}.jsonl", (work / f"{name}.jsonl").read_text(encoding="utf-8"))
    todo = next(work.glob("*.todo.jsonl"))
    _put(results / "todo.jsonl", todo.read_text(encoding="utf-8"))


def without_costs(report: dict[str, Any]) -> dict[str, Any]:
    """The report without times and counts of queries, in place."""
    for field in TIMES:
        report.pop(field, None)
    for model in report["models"]:
        for field in COSTS:
            model.pop(field, None)
    return report


def _page(text: str) -> str:
    return re.sub(r'<(\w+) class="varies">.*?</\1>', "", text, flags=re.DOTALL)


def _timeless(text: str) -> str:
    text = re.sub(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?(\.\d+)?(Z|\+00:00| UTC)?", "DATE", text)
    text = re.sub(r"\S*/pytest_vqamt/", "pytest_vqamt/", text)
    text = re.sub(r"\.py:\d+", ".py:LINE", text)
    text = re.sub(r"\b0x[0-9a-f]{6,}\b", "ADDRESS", text)
    text = re.sub(r"[\d,]+(\.\d+)? ?(s\b|seconds|ms\b)( \(\d+:\d\d:\d\d\))?", "TIME", text)
    return re.sub(r"\b\d+ %(?= of the time)|(?<=utilisation )\d+ %", "SHARE", text)


def _put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def records(path: Path) -> Iterator[tuple[str, str]]:
    """The name and text of each record of a file: items of a report, cases, lines; else the file as a whole."""
    text = path.read_text(encoding="utf-8")
    if path.name == "report.json":
        report = json.loads(text)
        for each in report.pop("relations"):
            yield f"{each['id']} {each['model']} {each['data']}", json.dumps(each, sort_keys=True)
        yield "all else", json.dumps(report, sort_keys=True)
    elif path.suffix == ".jsonl":
        groups: dict[str, list[str]] = {}
        for line in text.splitlines():
            row = json.loads(line)
            name = " ".join(str(row[key]) for key in ("relation", "model") if isinstance(row.get(key), str))
            groups.setdefault(name, []).append(line)
        yield from ((name, "\n".join(lines)) for name, lines in groups.items())
    else:
        yield "", text


def digests(folder: Path) -> dict[str, dict[str, str]]:
    """The digest of each record of each file."""
    return {
        str(path.relative_to(folder)): {
            name: hashlib.sha256(text.encode()).hexdigest()[:16] for name, text in records(path)
        }
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def differences(old: dict[str, dict[str, str]], new: dict[str, dict[str, str]]) -> list[str]:
    """A line for each record that differs or is on one side only."""
    found = []
    for path in sorted(old.keys() | new.keys()):
        if path not in old or path not in new:
            found.append(f"{path}: only in the {'new' if path in new else 'old'}")
            continue
        names = [*old[path], *(name for name in new[path] if name not in old[path])]
        found += [f"{path}: {name}" for name in names if old[path].get(name) != new[path].get(name)]
    return found


def _tell(found: list[str]) -> int:
    print(*found, f"{len(found)} records differ", sep="\n")
    return int(any(line.startswith("results") for line in found))


def _check() -> int:
    folder = Path(tempfile.mkdtemp()) / "golden"
    try:
        write(folder)
        old: dict[str, dict[str, str]] = json.loads(DIGESTS.read_text(encoding="utf-8"))
        new = digests(folder)
        if not REAL.is_dir():
            old = {path: names for path, names in old.items() if path in new}
        return _tell(differences(old, new))
    finally:
        shutil.rmtree(folder.parent)


def _record(folder: Path) -> int:
    DIGESTS.write_text(json.dumps(digests(folder), indent=1) + "\n", encoding="utf-8")
    return 0


def main(arguments: list[str]) -> int:
    """Runs the command that ``arguments`` name."""
    commands: dict[str, Callable[..., int | None]] = {
        "write": lambda folder: write(Path(folder)),
        "compare": lambda old, new: _tell(differences(digests(Path(old)), digests(Path(new)))),
        "check": _check,
        "record": lambda folder: _record(Path(folder)),
    }
    if not arguments or arguments[0] not in commands:
        print(__doc__)
        return 2
    return commands[arguments[0]](*arguments[1:]) or 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
