"""Pools of VQA v2's questions, in the official files."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.language.basic_questions.reading import plain_text
from pytest_vqamt.language.questions.form import QuestionForm, form_of

_FILE = re.compile(r"(?:.*questions.*|vqa(?!.*annotations).*)\.json(?:\.gz)?", re.IGNORECASE)
_TEST = re.compile(r"test", re.IGNORECASE)
_ENDS = (".json", ".json.gz")
_YES_NO = "yes/no"


def questions_of_vqa_v2(setting: str, path: Path, *, yes_no: bool) -> list[str]:
    """The questions of a file, or of all files of questions in a folder but those of test splits.

    The paper's pool is that of training and validation; of test splits are its main questions.

    Raises:
        OptionError: there is none, it cannot be read, or a record of it is wrong.
    """
    files = _files(path) if path.is_dir() else [path]
    if not files:
        raise OptionError(
            f"pool={setting!r}: expected v2_OpenEnded_mscoco_*_questions.json, questions.json or vqa_*.json (or .gz) "
            "in the folder, but there is none (test splits are left out of a pool): name the file itself"
        )
    return [text for file in files for text in _of_file(setting, file, yes_no=yes_no)]


def _files(folder: Path) -> list[Path]:
    found = (each for each in folder.iterdir() if each.is_file() and _FILE.fullmatch(each.name))
    return sorted(each for each in found if not _TEST.search(each.name))


def _of_file(setting: str, file: Path, *, yes_no: bool) -> Iterator[str]:
    whole = _read_json(setting, file)
    types = _answer_types(setting, file, whole) if yes_no else {}
    for row in _rows(setting, file, whole, "questions"):
        text = row.get("question")
        if not isinstance(text, str) or not text.strip():
            raise OptionError(
                f"pool={setting!r}: {file.name}, question_id={row.get('question_id')!r}: expected a text as question, "
                f"but got question={text!r}: correct it"
            )
        if not yes_no or _is_yes_no(text, types.get(str(row.get("question_id")))):
            yield text


def _is_yes_no(text: str, answer_type: str | None) -> bool:
    return form_of(text) is QuestionForm.YES_NO if answer_type is None else answer_type == _YES_NO


def _answer_types(setting: str, file: Path, whole: dict[str, object]) -> dict[str, str]:
    """The type of answer of each question, by its id, from the same file or the one beside it; empty without one."""
    if "annotations" in whole:
        rows = _rows(setting, file, whole, "annotations")
    else:
        partner = file.name.partition(".json")[0].replace("OpenEnded_", "").replace("questions", "annotations")
        beside = [file.with_name(partner + end) for end in _ENDS]
        answers = next((each for each in beside if each != file and each.is_file()), None)
        rows = _rows(setting, answers, _read_json(setting, answers), "annotations") if answers else []
    return {
        str(row.get("question_id")): answer_type
        for row in rows
        if isinstance(answer_type := row.get("answer_type"), str)
    }


def _read_json(setting: str, file: Path) -> dict[str, object]:
    try:
        whole: object = json.loads(plain_text(setting, file))
    except json.JSONDecodeError as error:
        raise OptionError(
            f"pool={setting!r}: {file.name}, line {error.lineno}: expected JSON, but it breaks off ({error.msg}): "
            "fetch it again"
        ) from error
    except (RecursionError, ValueError) as error:
        raise OptionError(
            f"pool={setting!r}: expected {file.name} to be VQA v2's, but it cannot be read ({error}): fetch it again"
        ) from error
    return whole if isinstance(whole, dict) else {"questions": whole}


def _rows(setting: str, file: Path, whole: dict[str, object], name: str) -> list[dict[str, object]]:
    rows = whole.get(name)
    if not isinstance(rows, list):
        raise OptionError(
            f'pool={setting!r}: expected {file.name} to be VQA v2\'s, an object with a list of "{name}", but it has '
            f"none: name the file with {name}"
        )
    for number, row in enumerate(rows, 1):
        if not isinstance(row, dict):
            raise OptionError(
                f'pool={setting!r}: {file.name}, record {number} of "{name}": expected an object, but got {row!r:.80}: '
                "correct it"
            )
    return rows
