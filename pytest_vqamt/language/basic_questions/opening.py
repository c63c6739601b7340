"""The pool that a setting names, opened once a process."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.language.basic_questions.settings import PICTURES, VQA_V2, YES_NO
from pytest_vqamt.language.question_ranking.pool import Pool, pool_of
from pytest_vqamt.language.questions.form import QuestionForm, form_of


@cache
def open_pool(setting: str) -> Pool:
    """The pool of "pictures", "vqa-v2:PATH" or "PATH"; with ":yes-no" behind it, its yes/no questions alone.

    Of VQA v2 the annotations say which these are, where they are beside the questions; of all else the words do
    (`language.question_form`).

    Raises:
        OptionError: there is no such file, it cannot be read, a line or record of it is wrong, or no question is left.
    """
    named = setting.removesuffix(YES_NO)
    yes_no = named != setting
    if named == PICTURES:
        from pytest_vqamt.language.basic_questions.pictures import builtin_questions

        found = builtin_questions()
    elif named.startswith(VQA_V2):
        from pytest_vqamt.language.basic_questions import vqa_v2

        path = _path(setting, named.removeprefix(VQA_V2))
        found, yes_no = vqa_v2.questions_of_vqa_v2(setting, path, yes_no=yes_no), False
    else:
        from pytest_vqamt.language.basic_questions import text_files

        found = text_files.questions_of_text_file(setting, _path(setting, named))
    pool = pool_of(setting, (each for each in found if not yes_no or form_of(each) is QuestionForm.YES_NO))
    if not pool:
        raise OptionError(
            f"pool={setting!r}: expected at least one {'yes/no ' if named != setting else ''}question, but it has none"
        )
    return pool


def _path(setting: str, given: str) -> Path:
    path = Path(given).expanduser()
    if not given or not path.exists():
        raise OptionError(
            f"pool={setting!r}: expected {PICTURES}, {VQA_V2}PATH or the path of a text file with one question a line, "
            f"with {YES_NO} behind it for yes/no questions alone, but there is no such path"
        )
    return path
