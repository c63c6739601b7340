"""The documents: code runs or says why not, generated pages are current, and sentences are short.

A block of ``python``, ``json``, ``toml`` or ``yaml`` is run or parsed. The commands of ``bash`` and ``console`` blocks
have only options that there are. Pages of the tutorial are run from top to bottom in a folder of their own: a block
whose first line is ``# NAME`` is written to the file NAME, and a ``console`` block shows what the command prints, but
for lines that are ``...``. Where a block cannot run, ``<!-- not run: REASON -->`` stands above it. Of other pages the
``console`` blocks below ``<!-- run -->`` are run like that.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import json
import os
import re
import shlex
import subprocess
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from pytest_vqamt.commands.main import COMMANDS, command_parser
from pytest_vqamt.integration.options import OPTIONS
from pytest_vqamt.relations.rules import RULES
from tools import prose, reference

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]
TUTORIAL = sorted((DOCS / "tutorial").glob("*.md"))
RUN = [page for page in PAGES if "<!-- run -->" in page.read_text(encoding="utf-8")]
LANGUAGES = {"bash", "console", "json", "markdown", "pycon", "python", "text", "toml", "yaml"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A fenced block of a page."""

    page: Path
    line: int
    language: str
    code: str
    not_run: str
    run: bool

    @property
    def file(self) -> str:
        """The name of the file that it shows, or ""."""
        found = re.match(r"# ([\w./-]+\.\w+)\n", self.code)
        return found[1] if found else ""

    @property
    def content(self) -> str:
        """The code, without the line that names the file where that is no comment."""
        return self.code.split("\n", maxsplit=1)[1] if self.language == "json" and self.file else self.code

    def commands(self) -> Iterator[str]:
        """The commands of a block for the shell, without what they print."""
        joined = self.code.replace("\\\n", " ")
        lines = joined.splitlines()
        yield from (line[2:] for line in lines if line.startswith("$ ")) if self.language == "console" else lines


_FENCE = re.compile(r"(?:<!-- (?:not run: ([^>]*)|(run)) -->\n+)?^( *)```(\S*)\n(.*?)^\3```$", re.DOTALL | re.MULTILINE)


def blocks(page: Path) -> Iterator[Block]:
    text = page.read_text(encoding="utf-8")
    for found in _FENCE.finditer(text):
        why, run, indent, language, code = found.groups()
        yield Block(
            page=page.relative_to(ROOT),
            line=text.count("\n", 0, found.start(4)) + 1,
            language=language,
            code=re.sub(f"^{indent}", "", code, flags=re.MULTILINE),
            not_run=why or "",
            run=bool(run),
        )


BLOCKS = [block for page in PAGES for block in blocks(page)]


def where(block: Block) -> str:
    return f"{block.page}:{block.line}"


def test_every_block_of_code_is_fenced_with_its_language() -> None:
    assert [where(block) for block in BLOCKS if block.language not in LANGUAGES] == []
    indented = re.compile(r"(?<=\n\n) {4}(?! *(?:[-*]|```|\d\.)).*")
    found = {
        str(page.relative_to(ROOT)): lines
        for page in PAGES
        if (lines := indented.findall(_FENCE.sub("", page.read_text(encoding="utf-8")))) and page.name != "README.md"
    }
    assert found == {}


@pytest.mark.parametrize(
    "block", [each for each in BLOCKS if each.language == "python" and not each.not_run], ids=where
)
def test_python_runs(block: Block, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("pytest_vqamt.relations.catalogue._registered", {})
    exec(compile(block.code, where(block), "exec"), {"__name__": "conftest"})


@pytest.mark.parametrize("block", [each for each in BLOCKS if each.language == "pycon"], ids=where)
def test_what_an_interpreter_shows(block: Block) -> None:
    examples = doctest.DocTestParser().get_doctest(block.code, {}, where(block), str(block.page), block.line)
    told = io.StringIO()
    with contextlib.redirect_stdout(told):
        failed = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(examples).failed
    assert failed == 0, told.getvalue()


@pytest.mark.parametrize("block", [each for each in BLOCKS if each.language in {"json", "toml", "yaml"}], ids=where)
def test_data_can_be_read(block: Block) -> None:
    if block.not_run:
        pytest.skip(block.not_run)
    match block.language:
        case "json":
            with contextlib.suppress(json.JSONDecodeError):
                json.loads(block.content)
                return
            for line in block.content.splitlines():
                json.loads(line)
        case "toml":
            tomllib.loads(block.code)
        case _:
            yaml.safe_load(block.code)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_commands_have_the_options_that_there_are(page: Path) -> None:
    known = {option.name for option in OPTIONS}
    named = set(re.findall(r"(?<![\w#-])--vqamt-[\w-]*\w", page.read_text(encoding="utf-8")))
    assert sorted(named - known) == []
    for block in blocks(page):
        for command in block.commands() if block.language in {"bash", "console"} else ():
            _check_command(command, block)


def _check_command(command: str, block: Block) -> None:
    words = shlex.split(command, comments=True)
    if len(words) < 2 or words[0] != "vqamt" or words[1].startswith("-") or "..." in words:
        return
    assert words[1] in COMMANDS, f"{where(block)}: {command}"
    ends = [i for i, word in enumerate(words) if word in {"|", ">", ">>", "&&", ";", "||", "&", "2>"}]
    told = io.StringIO()
    try:
        with contextlib.redirect_stderr(told):
            command_parser(words[1]).parse_args(words[2 : min(ends, default=None)])
    except SystemExit:
        pytest.fail(f"{where(block)}: {command}: {told.getvalue()}")


@pytest.mark.full
@pytest.mark.parametrize("page", TUTORIAL, ids=lambda page: page.stem)
def test_a_tutorial_is_run_from_top_to_bottom(page: Path, tmp_path: Path) -> None:
    _run([block for block in blocks(page) if not block.not_run], tmp_path)


@pytest.mark.full
@pytest.mark.parametrize("page", RUN, ids=lambda page: page.stem)
def test_a_page_shows_what_its_commands_print(page: Path, tmp_path: Path) -> None:
    _run([block for block in blocks(page) if block.run], tmp_path)


def _run(chosen: list[Block], folder: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": f"{folder}:{ROOT}", "COLUMNS": "100", "PY_COLORS": "0", "CI": ""}
    for block in chosen:
        if block.file:
            (folder / block.file).parent.mkdir(parents=True, exist_ok=True)
            (folder / block.file).write_text(block.content, encoding="utf-8")
        for command in block.commands() if block.language in {"bash", "console"} else ():
            done = subprocess.run(
                ["bash", "-c", command], cwd=folder, env=environment, text=True, capture_output=True, timeout=600
            )
            if block.language == "console":
                for line in _shown(block, command):
                    assert _plain(line) in _plain(done.stdout + done.stderr), f"{where(block)}: {done.stdout}"
            else:
                assert done.returncode == 0, f"{where(block)}: {done.stdout}{done.stderr}"


def _shown(block: Block, command: str) -> list[str]:
    after = block.code.replace("\\\n", " ").split(f"$ {command}\n", maxsplit=1)[1]
    return [line for line in after.split("\n$ ")[0].splitlines() if line.strip() not in {"", "..."}]


def _plain(text: str) -> str:
    """The text without what differs from one run, or one build of zlib, to the next."""
    return re.sub(r"\d+(\.\d+)? ?s\b|[\d,]+ bytes", "_", " ".join(text.split()))


@pytest.mark.parametrize("page", reference.pages(), ids=lambda page: page.name)
def test_generated_pages_are_current(page: Path) -> None:
    assert page.read_text(encoding="utf-8") == reference.pages()[page], "run: python -m tools.reference"


def test_sentences_are_short() -> None:
    every = {page: prose.read(page) for page in prose.pages() if page.is_relative_to(DOCS)}
    lengths = [len(sentence.split()) for each in every.values() for sentence in each.sentences]
    assert sum(lengths) / len(lengths) <= 16
    easy = {"tutorial", "how-to"}
    long = [s for page, each in every.items() if page.parent.name in easy for s in each.long]
    assert long == [], "run: python -m tools.prose -v"


def test_the_prose_of_a_page(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# A title\n\nOne two `a b c`. See [it](x.md)!\n\n- three\n\n```bash\nno words\n```\n\n| a | b |\n")
    assert prose.read(page).sentences == ("One two CODE.", "See it!", "three")
    page.write_text(f"{'Word ' * 25}end. {'Word ' * 24}end.\n")
    assert [len(each.split()) for each in prose.read(page).long] == [26]


def test_a_rule_that_is_cited_stands_on_the_page_of_rules() -> None:
    known = {rule.name.lower() for rule in RULES}
    cited = {
        name: str(file.relative_to(ROOT))
        for folder in ("pytest_vqamt", "tests")
        for file in sorted((ROOT / folder).rglob("*.py"))
        for names in re.findall(r"\(rules?: ([a-z]+ [a-z\s,]+)\)", file.read_text(encoding="utf-8"))
        for name in " ".join(names.split()).split(", ")
    }
    assert {name: file for name, file in cited.items() if name not in known} == {}
    assert {"sure absence", "the only one"} <= cited.keys()
