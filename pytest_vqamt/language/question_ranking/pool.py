"""Pools of basic questions, which are put behind a main question as noise."""

from __future__ import annotations

import gzip
import json
import re
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from pytest_vqamt.core.case import RelationSetting
from pytest_vqamt.core.errors import OptionError, did_you_mean, near_name
from pytest_vqamt.core.identity import digest
from pytest_vqamt.core.input_files import NestingError, expanded, parse_json, read_plain
from pytest_vqamt.core.lazy_pattern import pattern_of
from pytest_vqamt.core.meaning import Both, Choice, Either, Exists, Group, Has, Related
from pytest_vqamt.core.text import encodable, one_line
from pytest_vqamt.language.questions import simple as plain
from pytest_vqamt.language.questions import templates
from pytest_vqamt.language.questions.free import QuestionForm, form_of
from pytest_vqamt.language.questions.templates import Asking, QuestionType
from pytest_vqamt.language.tables import DRAWN_NAMES, toml_table

_WORD = pattern_of(r"[^\W_]+(?:'[^\W_]+)*")

NAMES: dict[str, tuple[str, ...]] = {family: tuple(names) for family, names in toml_table(DRAWN_NAMES).items()}
"""The names of the picture world by family."""

PEOPLE = NAMES["person"]
"""No question asks for the colour of people."""

COLOURS = ("red", "orange", "yellow", "green", "blue", "purple", "pink", "brown", "black", "gray", "white")
PATTERNS = ("plain", "striped", "dotted", "checked")
STATURES = ("tall", "short")
ON_TWO_LEGS = ("standing", "sitting", "walking", "running", "jumping", "waving")
ON_FOUR_LEGS = ("standing", "sitting", "lying", "walking", "running")
IN_THE_AIR = ("flying", "standing", "walking")

ACTIONS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(PEOPLE, ON_TWO_LEGS),
    **dict.fromkeys(NAMES["animal"], ON_FOUR_LEGS),
    "bird": IN_THE_AIR,
    "duck": IN_THE_AIR,
    "butterfly": ("flying", "sitting"),
    "turtle": ("standing", "walking"),
}
"""Possible actions of people and animals by name."""

PATTERNED: frozenset[str] = frozenset(
    (*NAMES["clothing"], "cup", "bowl", "vase", "ball", "balloon", "kite", "butterfly")
)
"""Names of things that may be striped."""

PREDICATES = ("near", "next to", "behind", "in front of")

_NAMES = tuple(name for names in NAMES.values() for name in names)
_TAIL = pattern_of(r"(?<!found)(?<!appear) (?:anywhere )?in (?:the|this) (?:picture|image|photo)(?=\?$)")
_LONGEST = 10
"""In words; hardly any longer question fits behind a main question."""

PICTURES = "pictures"
VQA_V2 = "vqa-v2:"
YES_NO = ":yes-no"
LSA = "lsa"
SENTENCE_TRANSFORMERS = "sentence-transformers:"

POOL = RelationSetting(
    name="pool",
    values=(PICTURES, f"{PICTURES}{YES_NO}", f"{VQA_V2}PATH", f"{VQA_V2}PATH{YES_NO}", "PATH", f"PATH{YES_NO}"),
    default=PICTURES,
    meaning="the basic questions: the package's own, those of VQA v2, or a text file with one a line; or only yes/no",
)

EMBEDDING = RelationSetting(
    name="embedding",
    values=(LSA, f"{SENTENCE_TRANSFORMERS}PATH"),
    default=LSA,
    meaning="what LASSO knows of questions: their words (TF-IDF with LSA), or a model by its name or folder",
)


class RankingMethod(StrEnum):
    """The measure of the distance of a basic question from the main question."""

    LASSO = "lasso"
    BLEU_1 = "bleu-1"
    BLEU_2 = "bleu-2"
    BLEU_3 = "bleu-3"
    BLEU_4 = "bleu-4"
    ROUGE_L = "rouge-l"
    CIDER = "cider"
    METEOR = "meteor"


RANKING = RelationSetting(
    name="ranking",
    values=tuple(RankingMethod),
    default=RankingMethod.LASSO,
    meaning="how basic questions are ranked: the nearest to the main question make the first partition",
)


class _Package(NamedTuple):
    """A package that is not among the requirements."""

    module: str
    """Its name in an import."""
    name: str
    """Its name for pip."""
    extra: str
    """The extra of this package that brings it."""


_SCIKIT_LEARN = _Package("sklearn", "scikit-learn", "noise")
_SENTENCE_TRANSFORMERS = _Package("sentence_transformers", "sentence-transformers", "embeddings")
_OF_RANKINGS = {
    RankingMethod.LASSO: _SCIKIT_LEARN,
    RankingMethod.ROUGE_L: _Package("rouge_score", "rouge-score", "noise"),
    RankingMethod.CIDER: _Package("pycocoevalcap", "pycocoevalcap", "cider"),
}
"""Packages of rankings besides those of the core."""


_JSON_LINES = (".jsonl", ".ndjson")

_FILE = pattern_of(r"(?:.*questions.*|vqa(?!.*annotations).*)\.json(?:\.gz)?", re.IGNORECASE)
_TEST = pattern_of(r"test", re.IGNORECASE)
_ENDS = (".json", ".json.gz")
_YES_NO = "yes/no"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Pool:
    """Basic questions; compared by identity."""

    name: str
    """The setting that opened it."""
    digest: str
    """Of the questions in their order."""
    questions: tuple[str, ...]
    """Without duplicates (see `normalise_question`), in the order of the source."""

    def __len__(self) -> int:
        return len(self.questions)

    def __repr__(self) -> str:
        return f"Pool({self.name!r}, {len(self)} questions, digest={self.digest!r})"


def pool_of(name: str, questions: Iterable[str]) -> Pool:
    """Returns a pool of the questions with words, without duplicates."""
    distinct: dict[str, str] = {}
    for question in questions:
        # Rankings compare words, so a question of signs alone has no place among them.
        if words_of(question):
            distinct.setdefault(normalise_question(question), one_line(question))
    texts = tuple(distinct.values())
    return Pool(name=name, digest=digest(*texts), questions=texts)


def normalise_question(question: str) -> str:
    """Returns the question without case, extra spaces and the closing question mark.

    >>> normalise_question("Is there  a DOG ?") == normalise_question("is there a dog")
    True
    """
    return " ".join(question.casefold().split()).rstrip(" ?")


@lru_cache(maxsize=8)
def places(pool: Pool) -> dict[str, int]:
    """Returns the index of each question by its normalised text."""
    return {normalise_question(question): place for place, question in enumerate(pool.questions)}


def words_of(text: str) -> list[str]:
    """Returns lower-case words without punctuation.

    >>> words_of("What's on the man's T-shirt?")
    ["what's", 'on', 'the', "man's", 't', 'shirt']
    """
    return _WORD.findall(text.casefold().replace("\u2019", "'"))


@cache
def open_pool(setting: str) -> Pool:
    """Opens "pictures", "vqa-v2:PATH" or "PATH"; with ":yes-no" behind it, only yes/no questions.

    The annotations of VQA v2 beside the questions mark these, else their words do (``questions.free``).

    Raises:
        OptionError: there is no such file, it cannot be read, a line or record of it is wrong, or no question is left.
    """
    named = setting.removesuffix(YES_NO)
    yes_no = named != setting
    if named == PICTURES:
        found = builtin_questions()
    elif named.startswith(VQA_V2):
        path = _path(setting, named.removeprefix(VQA_V2))
        # Chosen there by the annotations already, which know more than the words do.
        found, yes_no = questions_of_vqa_v2(setting, path, yes_no=yes_no), False
    else:
        found = questions_of_text_file(setting, _path(setting, named))
    pool = pool_of(setting, (each for each in found if not yes_no or form_of(each) is QuestionForm.YES_NO))
    if not pool:
        raise OptionError(
            f"pool={setting!r}: expected at least one {'yes/no ' if named != setting else ''}question, but it has none"
        )
    return pool


def _path(setting: str, given: str) -> Path:
    path = expanded(given)
    if not given or not path.exists():
        raise OptionError(
            f"pool={setting!r}: expected {PICTURES}, {VQA_V2}PATH or the path of a text file with one question a line, "
            f"with {YES_NO} behind it for yes/no questions alone, but there is no such path"
        )
    return path


def builtin_questions() -> list[str]:
    """Returns the same questions on every machine, in a mixed order.

    Every other "in the picture" at the end is removed, as in questions of people ("Is there a dog?").
    """
    made = dict.fromkeys(text for place, name in enumerate(_NAMES) for text in _about(name, place))
    tailed = [text for text in made if _TAIL.search(text)]
    short = {text: _TAIL.sub("", text) for text in tailed[::2]}
    texts = dict.fromkeys(short.get(text, text) for text in made)
    # Mixed by digest, the same on every machine: in the order of names, ties would all be about one.
    return sorted((text for text in texts if len(text.split()) <= _LONGEST), key=digest)


def _about(name: str, place: int) -> Iterator[str]:
    """Yields questions about things of a name; ``place`` varies wordings and words between names."""
    group, shift = Group(name=name), place * 5
    for turn in range(6):
        yield plain.count(group, (shift + turn) % plain.COUNT_WORDINGS).text
        yield plain.exists(group, (shift + 2 * turn) % plain.EXISTS_WORDINGS).text
        yield _worded(QuestionType.OBJECT, Exists(group=group), shift + turn)
        if name not in PEOPLE:
            yield from _coloured(name, COLOURS[(shift + turn) % len(COLOURS)], shift + turn)
    for turn in range(4):
        yield plain.absent(group, (shift + turn) % plain.ABSENT_WORDINGS).text
        yield from _chosen(name, shift + turn)
        yield from _with_another(name, _NAMES[(place + 7 * turn + 9) % len(_NAMES)], shift + turn)
    # Only what such a thing can be: no striped dogs, no tall cups.
    said = (*ACTIONS.get(name, ()), *(STATURES if name in PEOPLE else ()), *(PATTERNS if name in PATTERNED else ()))
    for turn, word in enumerate(said):
        yield from _said(name, word, shift + turn)


def _coloured(name: str, colour: str, turn: int) -> Iterator[str]:
    yield plain.exists(Group(name=name, attributes=(colour,)), turn % plain.EXISTS_WORDINGS).text
    if turn % 2:
        yield plain.count(Group(name=name, attributes=(colour,)), turn % plain.COUNT_WORDINGS).text
    yield _worded(QuestionType.ATTRIBUTE, Has(group=Group(name=name), attribute=colour), turn)


def _said(name: str, word: str, turn: int) -> Iterator[str]:
    yield _worded(QuestionType.ATTRIBUTE, Has(group=Group(name=name), attribute=word), turn)
    yield plain.count(Group(name=name, attributes=(word,)), turn % plain.COUNT_WORDINGS).text
    yield plain.exists(Group(name=name, attributes=(word,)), turn % plain.EXISTS_WORDINGS).text


def _chosen(name: str, turn: int) -> Iterator[str]:
    if name not in PEOPLE:
        colours = Choice(
            what=Group(name=name), options=(COLOURS[turn % len(COLOURS)], COLOURS[(turn + 3) % len(COLOURS)])
        )
        yield _worded(QuestionType.ATTRIBUTE_CHOICE, colours, turn * 3, category="color")
    if actions := ACTIONS.get(name):
        pair = (actions[turn % len(actions)], actions[(turn + 1) % len(actions)])
        yield _worded(QuestionType.ACTION_CHOICE, Choice(what=Group(name=name), options=pair), turn, category="pose")


def _with_another(name: str, other: str, turn: int) -> Iterator[str]:
    one, another = Group(name=name), Group(name=other)
    yield _worded(QuestionType.CONJUNCTION, Both(groups=(one, another)), turn)
    yield _worded(QuestionType.DISJUNCTION, Either(groups=(one, another)), turn)
    beside = Related(predicate=PREDICATES[turn % len(PREDICATES)], to=another)
    yield _worded(QuestionType.OBJECT, Exists(group=Group(name=name, related=(beside,))), turn)


def _worded(
    type_: QuestionType, meaning: Both | Choice | Either | Exists | Has, turn: int, *, category: str = ""
) -> str:
    related = isinstance(meaning, Exists) and bool(meaning.group.related)
    asking = Asking(type=type_, meaning=meaning, category=category)
    return templates.question(asking, turn % templates.count(type_, related)).text


def plain_text(setting: str, path: Path) -> str:
    """Returns the text of a file in UTF-8, decompressed if its name ends in ``.gz``.

    Raises:
        OptionError: it cannot be read, decompressed or decoded.
    """
    where = f"pool={setting!r}: expected {path.name} to be text in UTF-8"
    try:
        plain = read_plain(path, is_json=path.name.removesuffix(".gz").endswith(".json"))
    except NestingError as error:
        raise OptionError(f"{where}, but {error}: name another file") from error
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise OptionError(f"{where} and whole, but it cannot be decompressed ({error}): fetch it again") from error
    except OSError as error:
        raise OptionError(f"{where}, but it cannot be read ({error.strerror or error}): name one that can") from error
    try:
        return plain.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = plain.count(b"\n", 0, error.start) + 1
        raise OptionError(f"{where}, but line {line} is not ({error.reason}): save it as UTF-8") from error


def package_of(ranking: RankingMethod) -> str:
    """Returns the package that computes a ranking, by its name for pip."""
    return _OF_RANKINGS[ranking].name if ranking in _OF_RANKINGS else "nltk"


def ranking_of(setting: str) -> RankingMethod:
    """Returns the ranking of that name.

    Raises:
        OptionError: there is none.
    """
    try:
        return RankingMethod(setting)
    except ValueError as error:
        raise OptionError(
            f"Expected a way to rank questions, but got ranking={setting!r}; {did_you_mean(setting, RankingMethod)}"
        ) from error


def missing_packages(ranking: str, embedding: str) -> str:
    """Returns a sentence with the command that installs what the settings lack; "" if nothing.

    Raises:
        OptionError: one of them is no such setting.
    """
    wanted = ranking_of(ranking)
    if not EMBEDDING.takes(embedding):
        kinds = (LSA, SENTENCE_TRANSFORMERS.rstrip(":"))
        raise OptionError(
            f"Expected embedding={LSA} or {SENTENCE_TRANSFORMERS}NAME-OR-FOLDER, but got embedding={embedding!r}; "
            f"{near_name(embedding.partition(':')[0], kinds) or 'name one of them'}"
        )
    needed = [_OF_RANKINGS[wanted]] if wanted in _OF_RANKINGS else []
    if wanted is RankingMethod.LASSO and embedding.startswith(SENTENCE_TRANSFORMERS):
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


def questions_of_text_file(setting: str, path: Path) -> list[str]:
    """Returns the questions of a file in UTF-8 without empty lines; ``.gz`` is decompressed.

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
        row = parse_json(line)
    except ValueError as error:
        raise OptionError(f"{where}: expected a JSON object, but it is no JSON ({error}): correct it") from error
    question = row.get("question") if isinstance(row, dict) else None
    if not isinstance(question, str) or not question.strip():
        raise OptionError(f'{where}: expected {{"question": "..."}}, but got {line.strip()[:80]!r}: correct it')
    return question


def questions_of_vqa_v2(setting: str, path: Path, *, yes_no: bool) -> list[str]:
    """Returns the questions of a file, or of all files of a folder but test splits.

    The paper's pool is training and validation; its main questions are those of test splits.

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
        if not isinstance(text, str) or not text.strip() or text != encodable(text):
            raise OptionError(
                f"pool={setting!r}: {file.name}, question_id={row.get('question_id')!r}: expected a text as question, "
                f"but got question={text!r}: correct it"
            )
        if not yes_no or _is_yes_no(text, types.get(str(row.get("question_id")))):
            yield text


def _is_yes_no(text: str, answer_type: str | None) -> bool:
    return form_of(text) is QuestionForm.YES_NO if answer_type is None else answer_type == _YES_NO


def _answer_types(setting: str, file: Path, whole: dict[str, object]) -> dict[str, str]:
    """Returns the answer types by question id, from the same file or the one beside it."""
    if "annotations" in whole:
        rows = _rows(setting, file, whole, "annotations")
    else:
        # v2_OpenEnded_mscoco_val2014_questions.json has its answers in v2_mscoco_val2014_annotations.json.
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
        whole = parse_json(plain_text(setting, file))
    except json.JSONDecodeError as error:
        raise OptionError(
            f"pool={setting!r}: {file.name}, line {error.lineno}: expected JSON, but it breaks off ({error.msg}): "
            "fetch it again"
        ) from error
    except ValueError as error:
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
