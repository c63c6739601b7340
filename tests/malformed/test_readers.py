"""Every module that reads a file of a user does so by ``core/input_files.py``, and is in the list of formats."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import pytest_vqamt
from tests.malformed.formats import FORMATS

PACKAGE = Path(pytest_vqamt.__file__).parent
READS = "pytest_vqamt.core.input_files"
NO_READERS = {"expanded", "parse_json", "parse_toml", "InputError", "NestingError"}
"""Names of it that open no file."""

_METHODS = {"read_text", "read_bytes", "expanduser"}
_FUNCTIONS = {
    "open", "io.open", "os.open", "json.load", "json.loads", "tomllib.load", "tomllib.loads", "yaml.safe_load",
    "yaml.load", "gzip.open", "gzip.decompress", "csv.reader", "csv.DictReader", "np.load", "numpy.load", "ijson.items",
    "ijson.kvitems", "ijson.parse", "sqlite3.connect", "Image.open", "torch.load", "zipfile.ZipFile",
}  # fmt: skip
_TO_READ = ("r", "rb", "rt")

NOT_OF_USERS: Mapping[str, str] = {
    "annotation.detectors.detector": "a table of the package",
    "core.baseline_store": "gzip of bytes that input_files has read",
    "execution.answer_cache": "SQLite checks its own files; of its columns we write the JSON",
    "execution.leases": "locks, the database beside them and notes of sessions, all ours",
    "export.cases": "a temporary database of our own",
    "imaging.file_forms": "a picture that is in memory",
    "imaging.pixel_edits": "a picture that is in memory",
    "imaging.views": "a picture that is in memory",
    "integration.replaying": "pictures that it has written itself",
    "integration.session": "JSON that it has made itself",
    "integration.xdist": "notes of our own in the folder of the run",
    "language.answers.final": "what a model has answered",
    "language.english.nouns": "a table of the package",
    "language.ontology.merging": "the ontology of the package",
    "language.question_ranking.embeddings": "a cache of our own",
    "language.tables": "tables of the package",
    "language.units.lexicon": "a table of the package",
    "language.wordnet.words": "WordNet of the package, and members of an archive of NLTK",
    "models.budget": "a file of our own",
    "models.chat_settings": "an option, and what a server has answered",
    "models.openai.requests": "what a server has answered",
    "models.region_models.feature_files": "np.load of an archive, which checks it; its kind is checked before",
    "models.region_models.region_source": "a cache of our own",
    "picture_world.source": "a table of the package",
    "probing.probe_report": "templates of the package",
    "reporting.audit.audit_page": "templates of the package",
    "reporting.case_writer": "parts of our own",
    "reporting.html.page": "templates of the package",
    "serving.config": "a line of our own command",
    "serving.replica": "a body of bounded size",
    "serving.server": "a log of our own",
    "serving.supervisor": "a log of our own",
    "commands.main": "/dev/null",
    "commands.doctor": "the caches of our own, to count their answers",
    "commands.new": "a conftest.py, only for whether it has a line",
    "core.kept_table": "caches of our own",
    "data.scene_index": "an index of our own",
    "data.visual_genome": "a temporary database of our own",
    "data.hugging_face": "JSON of a schema of Arrow",
    "data.carets": "YAML that input_files has read",
    "data.questions": "CSV that input_files has read",
    "data.photo_io": "bytes that input_files has read, and a file whose kind is checked before",
    "commands.label_errors": "a stream that input_files has opened",
    "models.region_models.frcnn.detector": "weights, of which torch reads tensors alone",
    "models.region_models.frcnn.detector_config": "YAML that input_files has read",
    "reporting.audit.judgements": "a text that input_files has read",
}
"""What the modules with calls of their own read, by module."""

ELSEWHERE: Mapping[str, str] = {
    "data.catalogue": "the first record alone, to tell its kind: tests/data/test_spec_of_path.py",
    "data.questions": "rows, each by itself: tests/data/test_questions.py",
    "imaging.inpainting": "weights: tests/imaging/test_inpainting.py",
    "language.question_ranking.embeddings": "weights, only their digest",
    "language.wordnet.words": "3 MB of WordNet: tests/language/wordnet",
    "models.region_models.frcnn.detector": "weights: tests/models/region_models/test_weights.py",
    "models.transformers.file_digests": "weights, only their digest",
    "models.transformers.inputs": "files that transformers reads again: tests/models/test_inputs.py",
    "models.transformers.placement": "headers of weights: tests/models/transformers/test_placement.py",
    "probing.probe_rows": "an earlier probe.json: tests/probing/test_probe_rows.py",
}
"""Readers that are not in ``FORMATS``, and where their malformed files are."""


_ANY = re.compile(
    r"input_files|open\(|\.(?:read_text|read_bytes|expanduser|loads?|safe_load|decompress|connect|reader)\(|ijson"
)


@cache
def modules() -> tuple[tuple[str, ast.Module], ...]:
    """The modules that may read anything, parsed."""
    found = []
    for file in sorted(PACKAGE.rglob("*.py")):
        text = file.read_text(encoding="utf-8")
        name = ".".join(file.relative_to(PACKAGE).with_suffix("").parts)
        if _ANY.search(text) and name != "core.input_files":
            found.append((name, ast.parse(text)))
    return tuple(found)


def opens_by_itself(call: ast.AST) -> bool:
    """Whether it reads a file past ``input_files``, or expands a home folder."""
    if not isinstance(call, ast.Call):
        return False
    name = ast.unparse(call.func)
    mode = next((each.value for each in call.args if isinstance(each, ast.Constant)), None)
    if name in _FUNCTIONS:
        return True
    if isinstance(call.func, ast.Attribute):
        return call.func.attr in _METHODS or (call.func.attr == "open" and mode in _TO_READ)
    return False


def readers() -> set[str]:
    """The modules that import a function that opens a file."""
    return {
        name
        for name, tree in modules()
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        and node.module == READS
        and any(each.name.islower() and each.name not in NO_READERS for each in node.names)
    }


def test_nothing_else_opens_a_file_of_a_user() -> None:
    found = {name for name, tree in modules() for node in ast.walk(tree) if opens_by_itself(node)}
    assert found == NOT_OF_USERS.keys()


def test_each_reader_is_in_the_list_of_formats() -> None:
    listed = {module for each in FORMATS.values() for module in each.modules}
    assert readers() - listed == ELSEWHERE.keys()
    assert listed - readers() <= {
        "execution.answer_cache",
        "language.ontology.merging",
        "models.transformers.prompted.prompt_text",
    }


def test_a_reader_of_its_own_is_found() -> None:
    for text in ("Path(x).read_text()", "json.loads(x)", "file.open('rb')", "open(x)", "Path(x).expanduser()"):
        assert any(map(opens_by_itself, ast.walk(ast.parse(text)))), text
