"""No text of a model or of data can make a pattern of the package run for long: all are found, and tried, here."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import re
import time
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from random import Random
from re import _constants as ops  # type: ignore[attr-defined]  # the parsed form of a pattern is not public
from re import _parser as parser  # type: ignore[attr-defined]
from types import ModuleType
from typing import Any, cast

import pytest

import pytest_vqamt
import pytest_vqamt as vqamt
from pytest_vqamt.core.lazy_pattern import LazyPattern
from pytest_vqamt.core.text import MAX_READ, readable
from pytest_vqamt.language.answers.answer_text import prepare
from tools.benchmarks.reading import LONG, QUESTIONS

# Data, options and settings of the user are read by other modules.
SEES_ANSWERS = ("language", "relations", "core", "models.batching", "models.openai.hypothesis", "execution",
                "reporting", "annotation.detectors.asked")  # fmt: skip
OF_OWN_FILES = ("language.question_ranking", "language.ontology", "language.wordnet", "language.english.lexical")
LENGTHS = (4_000, 8_000)
MOST_RATIO = 3
NOISE_S = 0.004
"""Shorter times are linear enough, whatever their ratio."""

MOST_AT_1000_S = 0.1
"""What takes longer on a thousand characters would take for ever on a few thousand."""

GENERIC = (
    "a", " ", "\n", "1", "a ", "no ", "not a ", "so, ", "the ", ". ", ", ", "1, ", "(", "[", "{", "<", "<a>", "`",
    "```", "``` ", "\\", "\\boxed{", "**", "_", "-", "'", '"', "'a ", "a: ", "answer ", "the answer is ", "a.", "1.",
    "A) ", "\t", "\u4e00", "<think>", "</think>", "<|channel|>a", "<|x|>", "#", "##", "there is ", "is not ", "and ",
    "a, b and ",
)  # fmt: skip
REPRESENTATIVE = "a 1\n.,'\"-<>(:{}[]`*#_|\\/!?;=tnoA\u4e00"


def modules() -> Iterator[ModuleType]:
    for found in pkgutil.walk_packages(pytest_vqamt.__path__, "pytest_vqamt."):
        if ".tiny_weights" in found.name or found.name.endswith("__main__"):
            continue
        try:
            yield importlib.import_module(found.name)
        except ImportError:  # an extra that is not installed
            continue


def patterns_in(value: object, depth: int = 0) -> Iterator[re.Pattern[Any]]:
    if isinstance(value, re.Pattern | LazyPattern):
        yield cast("re.Pattern[Any]", value)
    elif depth < 4 and isinstance(value, Mapping):
        for each in value.values():
            yield from patterns_in(each, depth + 1)
    elif depth < 4 and isinstance(value, tuple | list | set | frozenset):
        for each in value:
            yield from patterns_in(each, depth + 1)


def inline_patterns(module: ModuleType) -> Iterator[tuple[re.Pattern[Any], str]]:
    """Those of ``re.sub("...", ...)`` in functions, as far as they are made of constants of the module."""
    try:
        tree = ast.parse(inspect.getsource(module))
    except (OSError, TypeError):
        return
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Name)
            and node.func.value.id == "re"
            and node.args
        ):
            try:
                text = eval(compile(ast.Expression(node.args[0]), "pattern", "eval"), vars(module))  # noqa: S307 - our own source
                yield re.compile(text), node.func.attr
            except (NameError, TypeError, re.error, AttributeError):
                continue  # made of arguments: its parts are escaped there


@cache
def every_pattern() -> dict[str, tuple[re.Pattern[Any], bool]]:
    """Every pattern by its place, and whether it is searched for, or only matched at the beginning of a text."""
    found: dict[str, tuple[re.Pattern[Any], bool]] = {}
    sources = {module: _source(module) for module in modules()}
    whole = "\n".join(sources.values())
    for module in sources:
        name = module.__name__.removeprefix("pytest_vqamt.")
        for key, value in vars(module).items():
            made = list(patterns_in(value))
            seen_by = sources[module] if key.startswith("_") else whole
            uses = set(re.findall(rf"\b{re.escape(key)}\.(\w+)\(", seen_by)) if made else set()
            for number, pattern in enumerate(made):
                if not any(pattern is each for each, _ in found.values()):
                    found[f"{name}:{key}.{number}"] = pattern, not uses or bool(uses - {"match", "fullmatch"})
        for number, (pattern, use) in enumerate(inline_patterns(module)):
            if use != "compile":
                found[f"{name}:inline.{number}"] = pattern, use not in ("match", "fullmatch")
    return found


def _source(module: ModuleType) -> str:
    try:
        return inspect.getsource(module)
    except OSError:
        return ""  # an empty file


def characters(item: tuple[Any, Any]) -> list[str]:
    """Some characters that one item of a parsed pattern takes."""
    op, value = item
    if op is ops.LITERAL:
        return [chr(value)]
    if op is ops.ANY:
        return ["a", " ", "."]
    if op is ops.NOT_LITERAL:
        return [each for each in REPRESENTATIVE if ord(each) != value][:6]
    if op is ops.IN:
        tried = [each for each in REPRESENTATIVE if _in(value, each)]
        return (
            tried[:12]
            or [
                chr(each[1] if each[0] is ops.LITERAL else each[1][0])
                for each in value
                if each[0] in (ops.LITERAL, ops.RANGE)
            ][:2]
        )
    return []


def _in(items: list[tuple[Any, Any]], character: str) -> bool:
    code, negated, found = ord(character), False, False
    is_word = character.isalnum() or character == "_"
    categories = {
        ops.CATEGORY_DIGIT: character.isdigit(),
        ops.CATEGORY_NOT_DIGIT: not character.isdigit(),
        ops.CATEGORY_SPACE: character.isspace(),
        ops.CATEGORY_NOT_SPACE: not character.isspace(),
        ops.CATEGORY_WORD: is_word,
        ops.CATEGORY_NOT_WORD: not is_word,
    }
    for op, value in items:
        if op is ops.NEGATE:
            negated = True
        elif op is ops.LITERAL:
            found |= code == value
        elif op is ops.RANGE:
            found |= value[0] <= code <= value[1]
        elif op is ops.CATEGORY:
            found |= categories[value]
    return found != negated


def sample(items: Any, turn: int = 0) -> str:
    """A text that a parsed sequence takes, as far as that can be told without looking around."""
    text = ""
    for op, value in items:
        if op in (ops.MAX_REPEAT, ops.MIN_REPEAT, ops.POSSESSIVE_REPEAT):
            text += sample(value[2], turn) * max(value[0], 1 if turn % 2 else value[0])
        elif op is ops.SUBPATTERN:
            text += sample(value[3], turn)
        elif op is ops.ATOMIC_GROUP:
            text += sample(value, turn)
        elif op is ops.BRANCH:
            text += sample(value[1][turn % len(value[1])], turn)
        elif made := characters((op, value)):
            text += made[turn % len(made)]
    return text


def attacks(items: Any, before: str = "") -> Iterator[tuple[str, str]]:
    """Beginnings and the pieces repeated behind them: each repetition's own body behind what it takes before it."""
    for number, (op, value) in enumerate(items):
        prefix = before + sample(items[:number], 1)
        if op in (ops.MAX_REPEAT, ops.MIN_REPEAT) and value[1] > 8:
            bodies = {sample(value[2], turn) for turn in range(6)}
            if len(value[2]) == 1:
                bodies.update(characters(value[2][0]))
            for body in filter(None, sorted(bodies)):
                yield prefix, body
                yield "", prefix + body
            yield from attacks(value[2], prefix)
        elif op in (ops.MAX_REPEAT, ops.MIN_REPEAT):
            yield from attacks(value[2], prefix)
        elif op is ops.SUBPATTERN:
            yield from attacks(value[3], prefix)
        elif op is ops.BRANCH:
            for branch in value[1]:
                yield from attacks(branch, prefix)
        elif op in (ops.ASSERT, ops.ASSERT_NOT):
            yield from attacks(value[1], prefix)


def pieces(pattern: re.Pattern[Any]) -> list[tuple[str, str]]:
    parsed = parser.parse(pattern.pattern, pattern.flags & ~re.DEBUG)
    whole = [("", sample(parsed, turn)) for turn in range(6)]
    found = [*(("", each) for each in GENERIC), *whole, *attacks(parsed)]
    return list(dict.fromkeys(each for each in found if each[1]))


def text_of(begin: str, piece: str, length: int, end: str) -> str:
    return (begin + piece * (length // len(piece)))[:length] + end


def seconds(pattern: re.Pattern[Any], text: Any, *, is_searched: bool) -> float:
    start = time.process_time()
    if is_searched:
        for _ in pattern.finditer(text):
            pass
    else:
        pattern.match(text)
        pattern.fullmatch(text)
    return time.process_time() - start


def worst_ratio(
    pattern: re.Pattern[Any], *, is_searched: bool, seen: Callable[[str], str] = str
) -> tuple[float, str, float]:
    worst = (0.0, "", 0.0)
    for begin, piece in pieces(pattern):
        for end in ("", "\0"):
            texts: list[Any] = [seen(text_of(begin, piece, length, end)) for length in LENGTHS]
            if isinstance(pattern.pattern, bytes):
                texts = [text.encode("utf-8", "surrogatepass") for text in texts]
            shorter = texts[0][: LENGTHS[0] // 4]
            if (took := seconds(pattern, shorter, is_searched=is_searched)) > MOST_AT_1000_S:
                return float("inf"), f"{begin!r} + {piece!r} * n", took
            longer = seconds(pattern, texts[1], is_searched=is_searched)
            if longer < NOISE_S:
                continue
            times = [min(seconds(pattern, text, is_searched=is_searched) for _ in range(2)) for text in texts]
            if times[1] > MOST_RATIO * times[0]:  # others share the processor: what looks bad is measured again
                times = [min(seconds(pattern, text, is_searched=is_searched) for _ in range(8)) for text in texts]
            ratio = times[1] / max(times[0], 1e-6)
            if times[1] > NOISE_S and ratio > worst[0]:
                worst = (ratio, f"{begin!r} + {piece!r} * n + {end!r}", times[1])
            if ratio > MOST_RATIO:
                return worst
    return worst


# These take the square of the length of a text that is none: the readers see what ``readable`` leaves of it. No pattern
# is to be added: a new one is linear on any text.
SQUARE = frozenset({
    "models.batching:_OUT_OF_MEMORY",
    "language.answers.counts:_TOTAL_FIRST",
    "language.answers.choices:_ONE_LETTER",
    "language.answers.choices:_ORDINAL",
    "language.answers.answer_text:_NUMBER",
    "language.answers.answer_text:_SEES_NOTHING",
    "language.questions.free:_VERB_AFTER_OR",
    "language.answers.choices:_BEFORE_AND",
    "language.answers.choices:_DENIED_BEFORE",
    "language.answers.choices:_LAST_SENTENCE",
    "language.answers.choices:_OFFER",
    "language.answers.choices:_VERDICT_FIRST",
    "language.answers.counts:_FOLLOWED_BY_ANOTHER",
    "language.answers.counts:_LABEL",
    "language.answers.counts:_LIST",
    "language.answers.counts:_LISTED_LINE",
    "language.answers.counts:_NUMBER_ADDED",
    "language.answers.counts:_PARTS_FOLLOW",
    "language.answers.counts:_QUANTIFIER_ADDED",
    "language.answers.counts:_TABLE_ROW",
    "language.answers.counts:_WITHIN_BRACKETS",
    "language.answers.final:_MARKER",
    "language.answers.predicates:_COMMA",
    "language.answers.predicates:_SPLIT",
    "language.answers.reading:_COMPARISON",
    "language.answers.reading:_NUMBER",
    "language.answers.reading:_OF_ABSENT",
    "language.answers.answer_text:_CLOSED_JSON",
    "language.answers.answer_text:_LIST_ITEM",
    "language.answers.yes_no:_ALONE",
    "language.answers.yes_no:_ALTHOUGH_OTHERS_SAY",
    "language.answers.answer_text:_CLAUSE",
    "language.answers.yes_no:_DENIED",
    "language.answers.yes_no:_LEADING",
    "language.answers.yes_no:_OF_ANOTHER_SUBJECT",
    "language.answers.yes_no:_OTHERS_ARE_WRONG",
    "language.answers.yes_no:_OTHERS_SAY_BUT",
    "language.answers.yes_no:_PARTICLE",
    "language.answers.yes_no:_PRONOUN",
    "language.answers.yes_no:_VERDICT",
    "language.questions.free:_NO_OFFER",
})  # fmt: skip


def is_square(name: str) -> bool:
    return name.rpartition(".")[0] in SQUARE


@cache
def names() -> list[str]:
    return sorted(
        each for each in every_pattern() if each.startswith(SEES_ANSWERS) and not each.startswith(OF_OWN_FILES)
    )


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """The patterns, which takes seconds, where the full tier asks for them."""
    if "name" in metafunc.fixturenames:
        metafunc.parametrize("name", names())
    if "square" in metafunc.fixturenames:
        metafunc.parametrize("square", [each for each in names() if is_square(each)])


@pytest.mark.full
def test_the_patterns_are_found() -> None:
    found = " ".join(names())
    assert len(names()) > 250
    for module in ("language.answers.yes_no", "language.answers.final", "language.captions", "core.text"):
        assert module in found
    assert {name.rpartition(".")[0] for name in names()} >= SQUARE


@pytest.mark.full
def test_a_pattern_that_is_not_linear_is_found() -> None:
    assert worst_ratio(re.compile(r"\s*x"), is_searched=True)[0] > MOST_RATIO
    assert worst_ratio(re.compile(r"\s*x"), is_searched=False)[0] < MOST_RATIO
    assert worst_ratio(re.compile(r"\s*x"), is_searched=True, seen=readable)[0] < MOST_RATIO
    assert worst_ratio(re.compile(r"<a>\w+[^<]*<b>"), is_searched=False)[0] > MOST_RATIO


@pytest.mark.full
def test_a_pattern_takes_linear_time(name: str) -> None:
    pattern, is_searched = every_pattern()[name]
    ratio, text, took = worst_ratio(pattern, is_searched=is_searched, seen=readable if is_square(name) else str)
    assert ratio < MOST_RATIO, f"{text}: {1000 * took:.0f} ms, {ratio:.1f} times that of half the text"


LONGEST = 2_400
"""The characters of the answer proper."""
MOST_ON_A_MIXTURE_S = 0.025
MIXTURES = 25


def mixture(pattern: re.Pattern[Any], seed: int) -> str:
    """Some of a pattern's own pieces in any order: nothing in it repeats, so all of it is read."""
    choose = Random(seed)
    every = [begin + piece for begin, piece in pieces(pattern)]
    some = choose.sample(every, min(len(every), choose.choice((2, 2, 3, 4))))
    return readable("".join(choose.choices(some, k=LONGEST))[:LONGEST])


@pytest.mark.full
def test_a_pattern_that_takes_the_square_is_quick_on_what_is_left_of_a_text(square: str) -> None:
    pattern, is_searched = every_pattern()[square]
    for text in (mixture(pattern, seed) for seed in range(MIXTURES)):
        took = min(seconds(pattern, text, is_searched=is_searched) for _ in range(3))
        assert took < MOST_ON_A_MIXTURE_S, f"{text[:60]!r}...: {1000 * took:.0f} ms"


@pytest.mark.parametrize("text", LONG, ids=lambda text: repr(text[:12]))
def test_of_an_answer_of_100_kb_patterns_see_a_few_thousand_characters(text: str) -> None:
    seen = readable(text)
    assert len(text) > 90_000
    assert len(seen) <= MAX_READ
    assert len(prepare(text).plain) <= 2_400
    for question, options in QUESTIONS:
        assert vqamt.read(question, text, options) == vqamt.read(question, seen, options)


def test_the_reading_of_a_normal_answer_is_that_of_its_whole_text() -> None:
    for text in (
        "Yes.",
        "There are two dogs. " + "They sit in the grass beside a tree, far from the house. " * 2,
        "-" * 16,
    ):
        assert readable(text) == text
    assert (
        vqamt.read("Is there a dog?", "<think>" + "Let me look at it once more, from the left. " * 900 + "</think> Yes")
        is True
    )
    assert vqamt.read("How many dogs are there?", "There are 3 dogs." + "!" * 9_000) == 3
