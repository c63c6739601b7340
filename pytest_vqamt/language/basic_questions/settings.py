"""What ``--vqamt-option`` can set of noise by basic questions, and what must be installed for it."""

from __future__ import annotations

from enum import StrEnum
from functools import cache
from importlib.util import find_spec
from typing import NamedTuple

from pytest_vqamt.core.case import Setting
from pytest_vqamt.core.errors import OptionError, did_you_mean

PICTURES = "pictures"
VQA_V2 = "vqa-v2:"
YES_NO = ":yes-no"
LSA = "lsa"
SENTENCE_TRANSFORMERS = "sentence-transformers:"


class Ranking(StrEnum):
    """How near a basic question is to the main question."""

    LASSO = "lasso"
    BLEU_1 = "bleu-1"
    BLEU_2 = "bleu-2"
    BLEU_3 = "bleu-3"
    BLEU_4 = "bleu-4"
    ROUGE_L = "rouge-l"
    CIDER = "cider"
    METEOR = "meteor"


POOL = Setting(
    name="pool",
    values=(PICTURES, f"{PICTURES}{YES_NO}", f"{VQA_V2}PATH", f"{VQA_V2}PATH{YES_NO}", "PATH", f"PATH{YES_NO}"),
    default=PICTURES,
    meaning="the basic questions: the package's own, those of VQA v2, or a text file with one a line; or only yes/no",
)
RANKING = Setting(
    name="ranking",
    values=tuple(Ranking),
    default=Ranking.LASSO,
    meaning="how basic questions are ranked: the nearest to the main question make the first partition",
)
EMBEDDING = Setting(
    name="embedding",
    values=(LSA, f"{SENTENCE_TRANSFORMERS}PATH"),
    default=LSA,
    meaning="what LASSO knows of questions: their words (TF-IDF with LSA), or a model by its name or folder",
)


class _Package(NamedTuple):
    module: str
    name: str
    extra: str


_SCIKIT_LEARN = _Package("sklearn", "scikit-learn", "noise")
_SENTENCE_TRANSFORMERS = _Package("sentence_transformers", "sentence-transformers", "embeddings")
_OF_RANKINGS = {
    Ranking.LASSO: _SCIKIT_LEARN,
    Ranking.ROUGE_L: _Package("rouge_score", "rouge-score", "noise"),
    Ranking.CIDER: _Package("pycocoevalcap", "pycocoevalcap", "cider"),
}
"""What a ranking needs beside what the package always has: NumPy, and nltk for BLEU and METEOR."""


def ranking_of(setting: str) -> Ranking:
    """The ranking that the setting names.

    Raises:
        OptionError: there is none of that name.
    """
    try:
        return Ranking(setting)
    except ValueError as error:
        raise OptionError(
            f"Expected ranking={', '.join(Ranking)}, but got ranking={setting!r}; {did_you_mean(setting, Ranking)}"
        ) from error


def lacking(ranking: str, embedding: str) -> str:
    """What must be installed for the settings, in a sentence with the command; "" where nothing is lacking.

    Raises:
        OptionError: one of them is no such setting.
    """
    wanted = ranking_of(ranking)
    if not EMBEDDING.takes(embedding):
        raise OptionError(
            f"Expected embedding={LSA} or {SENTENCE_TRANSFORMERS}NAME-OR-FOLDER, but got embedding={embedding!r}; "
            f"{did_you_mean(embedding.partition(':')[0], (LSA, SENTENCE_TRANSFORMERS.rstrip(':')))}"
        )
    needed = [_OF_RANKINGS[wanted]] if wanted in _OF_RANKINGS else []
    if wanted is Ranking.LASSO and embedding.startswith(SENTENCE_TRANSFORMERS):
        needed.append(_SENTENCE_TRANSFORMERS)
    missing = [each for each in needed if not _is_installed(each.module)]
    if not missing:
        return ""
    names = " and ".join(each.name for each in missing)
    extras = ",".join(each.extra for each in missing)
    return f"ranking={wanted} needs {names}; run: pip install 'pytest-vqamt[{extras}]'"


@cache
def _is_installed(module: str) -> bool:
    return find_spec(module) is not None
