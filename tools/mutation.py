"""Measures how many seeded faults in our own code the tests find.

    python -m tools.mutation list [--count N] [--seed S] [--other TREE]
    python -m tools.mutation run [the same] [--tree TREE] [--only NUMBERS] -- [PYTEST-ARGUMENTS]

A mutant changes one expression of the package: a comparison is flipped, a number is off by one, two arguments change
places, a condition is negated, an edit is dropped, ``and`` and ``or`` change places. The seed draws the mutants, as
many from each area. With ``--other`` only statements that stand word for word in both checkouts are drawn, so that two
versions of the suite can be measured on the same mutants. ``run`` applies one after the other to a copy of TREE, runs
pytest there with the arguments, ``-x`` and first the tests beside the changed module, and prints which survive.
"""

from __future__ import annotations

import argparse
import ast
import copy
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

ROOT = Path(__file__).parents[1]
PACKAGE = "pytest_vqamt"
AREAS: dict[str, tuple[str, ...]] = {
    "relations": ("relations/",),
    "edits": ("imaging/", "core/edits", "core/picture", "core/box"),
    "judging": (
        "relations/expectations",
        "relations/labels",
        "language/answer",
        "execution/shrink",
        "execution/judging",
    ),
    "counting": (
        "core/tallies",
        "core/counts",
        "core/pairs",
        "core/results",
        "execution/run_item",
        "execution/counted",
    ),
    "statistics": ("stats/",),
    "cache": ("execution/answer", "execution/lease", "execution/claims", "execution/stores", "core/lru"),
}
"""Path prefixes within the package, in the layouts of 0.1.0 and of today."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """One change: the text of a statement before and after."""

    area: str
    path: str
    kind: str
    before: str
    after: str

    def __str__(self) -> str:
        old, new = (" ".join(text.split()) for text in (self.before, self.after))
        at = next((i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), 0)
        near = slice(max(0, at - 30), at + 40)
        return f"{self.area:10} {self.kind:10} {self.path}: {old[near]}  =>  {new[near]}"


_FLIPPED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
_EDITS = frozenset({"erase", "cut", "insert", "blur", "mirror", "paste", "corrupt"})


def _changes(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """Each change of the expression itself, as a new node."""
    new = copy.deepcopy(node)
    match new:
        case ast.Compare(ops=[operator]):
            new.ops = [_FLIPPED[type(operator)]()]
            yield "comparison", new
        case ast.BoolOp():
            new.op = ast.Or() if isinstance(new.op, ast.And) else ast.And()
            yield "and/or", new
        case ast.Constant(value=bool()):
            yield "constant", ast.Constant(value=not new.value)
        case ast.Constant(value=int() | float() as number):
            yield "off by one", ast.Constant(value=number + 1)
        case ast.BinOp(op=ast.Add() | ast.Sub()):
            new.op = ast.Sub() if isinstance(new.op, ast.Add) else ast.Add()
            yield "sign", new
        case ast.Call(func=ast.Attribute(value=value, attr=name)) if name in _EDITS:
            yield "no edit", value
        case ast.Call(args=[first, second, *rest]) if not isinstance(first, ast.Starred):
            new.args = [second, first, *rest]
            yield "arguments", new
        case ast.IfExp(test=test):
            new.test = ast.UnaryOp(op=ast.Not(), operand=test)
            yield "condition", new
        case _:
            return


def _mutants_of(statement: ast.stmt, text: str) -> Iterator[tuple[str, str]]:
    """The kinds and texts of the mutants of a statement that is written as ``text``."""
    for node in ast.walk(statement):
        if isinstance(node, ast.expr) and node.end_col_offset is not None:
            before = ast.get_source_segment(text, node)
            if before is None:
                continue
            for kind, new in _changes(node):
                start = _offset(text, node.lineno, node.col_offset)
                after = ast.unparse(ast.fix_missing_locations(new))
                yield kind, f"{text[:start]}({after}){text[start + len(before) :]}"


def _offset(text: str, line: int, column: int) -> int:
    lines = text.splitlines(keepends=True)
    return sum(map(len, lines[: line - 1])) + len(lines[line - 1].encode()[:column].decode())


_SIMPLE = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Return, ast.Expr)


def statements(tree: Path) -> Iterator[tuple[str, str, str]]:
    """The area, path and text of each simple statement in a function of the areas, docstrings left out."""
    for file in sorted((tree / PACKAGE).rglob("*.py")):
        path = str(file.relative_to(tree / PACKAGE))
        area = next((name for name, prefixes in AREAS.items() if path.startswith(prefixes)), None)
        if area is None:
            continue
        text = file.read_text(encoding="utf-8")
        for function in ast.walk(ast.parse(text)):
            if isinstance(function, ast.FunctionDef):
                for node in ast.walk(function):
                    is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
                    if is_text or not isinstance(node, _SIMPLE):
                        continue
                    segment = ast.get_source_segment(text, node) or ""
                    if len(segment) > 25 and text.count(segment) == 1:
                        yield area, path, segment


def drawn(tree: Path, other: Path | None, count: int, seed: int) -> list[Mutant]:
    """``count`` mutants of the checkout, as many from each area, of statements that are in both checkouts."""
    texts = {segment for _, _, segment in statements(other)} if other else None
    pool: dict[str, list[Mutant]] = {area: [] for area in AREAS}
    for area, path, segment in statements(tree):
        if texts is not None and segment not in texts:
            continue
        try:
            statement = ast.parse(segment.strip()).body[0]
        except SyntaxError:  # a return is none outside a function, a continued line may be none either
            statement = ast.parse(f"def f():\n {segment.strip()}").body[0]
            assert isinstance(statement, ast.FunctionDef)
            segment_of = f"def f():\n {segment.strip()}"
            found = [(kind, new.removeprefix("def f():\n ")) for kind, new in _mutants_of(statement, segment_of)]
        else:
            found = list(_mutants_of(statement, segment.strip()))
        for kind, after in found:
            pool[area].append(Mutant(area=area, path=path, kind=kind, before=segment.strip(), after=after))
    random = Random(seed)
    share = -(-count // len(AREAS))
    chosen = []
    for area in AREAS:
        by_kind: dict[str, list[Mutant]] = {}
        for mutant in pool[area]:
            by_kind.setdefault(mutant.kind, []).append(mutant)
        kinds = sorted(by_kind)
        for place in range(share):
            options = by_kind[kinds[place % len(kinds)]]
            chosen.append(options.pop(random.randrange(len(options))))
            kinds = [kind for kind in kinds if by_kind[kind]]
    return chosen


def killed(mutant: Mutant, tree: Path, arguments: Sequence[str]) -> str | None:
    """The first test that fails under the mutant, in a copy of the checkout; None where none does."""
    with tempfile.TemporaryDirectory(prefix="vqamt-mutant-") as name:
        copied = Path(name) / "main"
        shutil.copytree(
            tree, copied, ignore=shutil.ignore_patterns(".git", "__pycache__", ".mypy_cache", ".ruff_cache")
        )
        (Path(name) / "shared").symlink_to(tree.resolve().parent / "shared")
        file = copied / PACKAGE / mutant.path
        text = file.read_text(encoding="utf-8")
        if text.count(mutant.before) != 1:
            (file,) = (
                each
                for each in (copied / PACKAGE).rglob("*.py")
                if each.read_text(encoding="utf-8").count(mutant.before) == 1
            )
            text = file.read_text(encoding="utf-8")
        file.write_text(text.replace(mutant.before, mutant.after), encoding="utf-8")
        beside = copied / "tests" / file.parent.relative_to(copied / PACKAGE)
        first = [str(beside.relative_to(copied))] if beside.is_dir() else []
        for paths in ([*first], ["tests"]):
            if paths and (failed := _first_failure(copied, [*paths, *arguments])):
                return failed
    return None


def _first_failure(tree: Path, arguments: Sequence[str]) -> str | None:
    command = [sys.executable, "-m", "pytest", "-q", "-x", "--no-header", "-p", "no:cacheprovider", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(tree)}
    done = subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True, check=False)
    if done.returncode in (0, 5):
        return None
    lines = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    return lines[0][:160] if lines else f"pytest ended with {done.returncode}"


def main(arguments: Sequence[str]) -> int:
    """Runs the command that the arguments name."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=("list", "run"))
    parser.add_argument("--count", type=int, default=66)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--tree", type=Path, default=ROOT, help="the checkout whose tests are run")
    parser.add_argument("--source", type=Path, default=ROOT, help="the checkout that the mutants are drawn from")
    parser.add_argument("--other", type=Path)
    parser.add_argument("--only", help="numbers of mutants, comma-separated")
    named, rest = parser.parse_known_args(arguments)
    mutants = list(enumerate(drawn(named.source, named.other, named.count, named.seed)))
    if named.only:
        mutants = [(number, each) for number, each in mutants if str(number) in named.only.split(",")]
    survivors = []
    for number, mutant in mutants:
        if named.command == "list":
            print(number, mutant)
            continue
        by = killed(mutant, named.tree, [each for each in rest if each != "--"])
        print(f"{number:3} {'killed  ' if by else 'SURVIVED'} {mutant}\n      {by or ''}", flush=True)
        survivors += [] if by else [number]
    if named.command == "run":
        print(f"{len(mutants) - len(survivors)} of {len(mutants)} killed; survivors: {survivors}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
