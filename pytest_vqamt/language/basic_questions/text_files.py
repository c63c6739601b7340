"""Pools in text files: one question a line, or JSON Lines with a "question" each."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.language.basic_questions.reading import plain_text

_JSON_LINES = (".jsonl", ".ndjson")


def questions_of_text_file(setting: str, path: Path) -> list[str]:
    """The questions of a file in UTF-8, compressed where its name ends in ``.gz``; empty lines are passed over.

    Raises:
        OptionError: it cannot be read, or a line of it is no question.
    """
    plain = path.with_suffix("") if path.suffix == ".gz" else path
    if path.is_dir() or plain.suffix == ".json":
        raise OptionError(
            f"pool={setting!r}: expected a text file with one question a line, but got {path.name!r}: "
            f"name a file or a folder of VQA v2 with pool=vqa-v2:{path}"
        )
    return list(_read(setting, path, is_json=plain.suffix in _JSON_LINES))


def _read(setting: str, path: Path, *, is_json: bool) -> Iterator[str]:
    # Not splitlines, which also ends lines at characters that may stand in a question.
    for number, line in enumerate(plain_text(setting, path).split("\n"), 1):
        if line.strip():
            yield _question(line, f"pool={setting!r}: {path.name}, line {number}") if is_json else line


def _question(line: str, where: str) -> str:
    try:
        row: object = json.loads(line)
    except ValueError as error:
        raise OptionError(f"{where}: expected a JSON object, but it is no JSON ({error}): correct it") from error
    question = row.get("question") if isinstance(row, dict) else None
    if not isinstance(question, str) or not question.strip():
        raise OptionError(f'{where}: expected {{"question": "..."}}, but got {line.strip()[:80]!r}: correct it')
    return question
