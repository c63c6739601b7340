"""The one table of options: of the command line, of ini files and of ``vqamt.run``.

Importing this imports nothing else of the package.
"""
# ruff: noqa: RUF009 - the defaults of Options are fields of dataclasses

from __future__ import annotations

import os
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from math import inf
from numbers import Integral, Real
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, TypeVar

if TYPE_CHECKING:
    import argparse

    import pytest

    from pytest_vqamt.core.errors import OptionError
    from pytest_vqamt.core.spelling import Spelling
    from pytest_vqamt.stats.thresholds import Threshold

Value = TypeVar("Value")
Value_co = TypeVar("Value_co", covariant=True)

_EMPTY = "it is empty: give one, or leave it off"
"""The end of the message about an empty text where a run without it would do something else in silence."""


class _UnfitValueError(ValueError):
    """A value that an option does not take, with the end of the message about it; it becomes an OptionError."""


class Kind(Generic[Value_co]):
    """The values that an option takes.

    The methods raise a ValueError or a TypeError for any other value, or an OptionError where more can be said. They
    get the option as the user has spelt it, for that.
    """

    is_many: ClassVar[bool] = False
    """True for an option that may be given again."""

    @property
    def expected(self) -> str:
        """The values in words, as they follow "Expected"."""
        raise NotImplementedError

    def from_text(self, text: str, spelt: str) -> Value_co:
        """The value of a text on the command line or in an ini file."""
        raise NotImplementedError

    def from_texts(self, texts: Sequence[str], spelt: str) -> Value_co:
        """The value of all texts of an option that may be given again."""
        return self.from_text(texts[-1], spelt)

    def from_python(self, value: object, spelt: str) -> Value_co:
        """The value of an argument of ``vqamt.run``."""
        return self.from_text(_text(value), spelt)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _number(value: object) -> float:
    # True is a number for Python, and a mistake here: `max_drop=True`.
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError
    return float(value)


def _rate_text(value: object) -> str:
    """A rate as it was written: an error shows 80, not 80.0."""
    if not isinstance(value, str):
        _number(value)
    return str(value)


def _several(value: object) -> Sequence[object]:
    # A text is a sequence of characters for Python, and one value here.
    if isinstance(value, str | bytes) or not isinstance(value, Sequence):
        raise TypeError
    return value


@dataclass(frozen=True, slots=True)
class FreeText(Kind["str | None"]):
    """A text. An empty one, as of an unset variable of the shell, counts as none where it ``may_be_empty``."""

    words: str
    """The values in words, as they follow "Expected"."""
    may_be_empty: bool = True
    """False where a run without the option would do something else in silence."""

    @property
    def expected(self) -> str:
        return self.words

    def from_text(self, text: str, spelt: str) -> str | None:
        if not text and not self.may_be_empty:
            raise _UnfitValueError(_EMPTY)
        return text or None


@dataclass(frozen=True, slots=True)
class Whole(Kind[int]):
    """A whole number with a lower bound."""

    at_least: int
    """The lower bound, which is itself allowed."""

    @property
    def expected(self) -> str:
        return f"a whole number from {self.at_least} up"

    def from_text(self, text: str, spelt: str) -> int:
        from pytest_vqamt.core.text import whole_number_of

        return self._bounded(whole_number_of(text))

    def from_python(self, value: object, spelt: str) -> int:
        # Integral also takes NumPy's integers, as of a sweep in a notebook.
        if isinstance(value, bool) or not isinstance(value, Integral):
            raise TypeError
        return self._bounded(int(value))

    def _bounded(self, number: int) -> int:
        if number < self.at_least:
            raise _UnfitValueError
        return number


class WholeOrAuto(Kind["int | None"]):
    """A whole number from 1 up, or "auto", which is None."""

    _number = Whole(1)

    @property
    def expected(self) -> str:
        return f"{self._number.expected}, or auto"

    def from_text(self, text: str, spelt: str) -> int | None:
        return None if text == "auto" else self._number.from_text(text, spelt)

    def from_python(self, value: object, spelt: str) -> int | None:
        return None if isinstance(value, str) and value == "auto" else self._number.from_python(value, spelt)


@dataclass(frozen=True, slots=True)
class Rate(Kind[float]):
    """A number from 0 to 1."""

    word: Literal["rate", "share"]
    """What messages call it."""

    @property
    def expected(self) -> str:
        return f"a {self.word} from 0 to 1"

    def from_text(self, text: str, spelt: str) -> float:
        from pytest_vqamt.core.text import number_of

        return self._bounded(number_of(text))

    def from_python(self, value: object, spelt: str) -> float:
        return self._bounded(_number(value))

    def _bounded(self, number: float) -> float:
        if not 0 <= number <= 1:
            # The likeliest mistake: 80 for 0.8.
            raise _UnfitValueError(f"{number:g} % is {number / 100:g}" if 1 < number <= 100 else "")
        return number


@dataclass(frozen=True, slots=True)
class Above0(Kind[float]):
    """A finite number above 0."""

    words: Literal["a number of seconds", "an amount"]
    """What messages call it."""

    @property
    def expected(self) -> str:
        return f"{self.words} above 0"

    def from_text(self, text: str, spelt: str) -> float:
        from pytest_vqamt.core.text import number_of

        return self._bounded(number_of(text))

    def from_python(self, value: object, spelt: str) -> float:
        return self._bounded(_number(value))

    def _bounded(self, number: float) -> float:
        if not 0 < number < inf:
            raise _UnfitValueError
        return number


@dataclass(frozen=True, slots=True)
class Choice(Kind[str]):
    """One of a few names."""

    names: tuple[str, ...]
    """The names, in the order of the help."""
    of_number: str = ""
    """The end of the message about a number, to which that is appended: "for so many cases give --vqamt-max-cases="."""

    @property
    def expected(self) -> str:
        return f"one of {', '.join(self.names)}"

    def from_text(self, text: str, spelt: str) -> str:
        if text not in self.names:
            # `--vqamt-cases=500`: the option is the name of a file, and max-cases was meant.
            if text.isdecimal() and self.of_number:
                raise _UnfitValueError(f"{self.of_number}{text}")
            near = get_close_matches(text, self.names, n=1, cutoff=0.6)
            raise _UnfitValueError(f"did you mean {near[0]!r}?" if near else "")
        return text


_DEVICES = r"auto|cpu|mps|cuda|cuda:[0-9]+(\+cuda:[0-9]+)*"


class Device(Kind[str]):
    """A device, as torch writes it."""

    @property
    def expected(self) -> str:
        from pytest_vqamt.models.protocol import SEVERAL_DEVICES

        return SEVERAL_DEVICES

    def from_text(self, text: str, spelt: str) -> str:
        if not re.fullmatch(_DEVICES, text):
            near = re.sub(r"\s", "", text.casefold())
            near = "cuda" if near in ("gpu", "cuda:", "nvidia") else near
            is_one = near != text and re.fullmatch(_DEVICES, near)
            raise _UnfitValueError(f"did you mean {near!r}?" if is_one else "")
        return text


class Shard(Kind["tuple[int, int]"]):
    """The share of one of several machines."""

    @property
    def expected(self) -> str:
        return "I/N with I from 1 to N"

    def from_text(self, text: str, spelt: str) -> tuple[int, int]:
        found = re.fullmatch(r"([0-9]+)/([0-9]+)", text)
        number, of = (int(found[1]), int(found[2])) if found else (0, 0)
        if not 1 <= number <= of:
            raise _UnfitValueError
        return number, of


class Flag(Kind[bool]):
    """True or false. On the command line the option alone is true."""

    @property
    def expected(self) -> str:
        return "true or false"

    def from_text(self, text: str, spelt: str) -> bool:
        # As pytest reads flags in ini files, but for the letters y, t, n and f.
        found = text.strip().lower()
        if found not in ("true", "1", "yes", "on", "false", "0", "no", "off"):
            raise _UnfitValueError
        return found in ("true", "1", "yes", "on")

    def from_python(self, value: object, spelt: str) -> bool:
        # 1 and "yes" are refused in Python, where True can be written.
        if not isinstance(value, bool):
            raise TypeError
        return value


class File(Kind[Path]):
    """The path of a file or a folder, which may begin with "~"."""

    @property
    def expected(self) -> str:
        return "a path"

    def from_text(self, text: str, spelt: str) -> Path:
        # Imported where it is used, as all of the package here: pytest loads this module in every session.
        from pytest_vqamt.core.input_files import expanded

        if not text:
            raise _UnfitValueError(_EMPTY)
        return expanded(text)

    def from_python(self, value: object, spelt: str) -> Path:
        return self.from_text(_text(os.fspath(value) if isinstance(value, os.PathLike) else value), spelt)


class Specs(Kind["tuple[str, ...]"]):
    """Specs of models or of data, each once and under a name of its own; one alone in Python."""

    is_many: ClassVar[bool] = True

    @property
    def expected(self) -> str:
        return "a spec"

    def from_texts(self, texts: Sequence[str], spelt: str) -> tuple[str, ...]:
        from pytest_vqamt.core.errors import OptionError
        from pytest_vqamt.core.identity import name_of, split_name

        if not all(texts):
            raise OptionError(f"Expected {self.expected}, but got {spelt}=''; {_EMPTY}")
        # One spec under two short names would be the same model, queried twice.
        bare = [split_name(each)[1] for each in texts]
        names = [name_of(each) for each in texts]
        for spec, name in zip(bare, names, strict=True):
            if bare.count(spec) > 1:
                raise OptionError(f"Expected each {spelt} once, but got {spec!r} {bare.count(spec)} times")
            if names.count(name) > 1:
                found = ", ".join(each for each in texts if name_of(each) == name)
                raise OptionError(f"Expected another name for each {spelt}, but got {name!r} for {found}")
        return tuple(texts)

    def from_python(self, value: object, spelt: str) -> tuple[str, ...]:
        return self.from_texts([_text(value)], spelt)


@dataclass(frozen=True, slots=True)
class Globs(Kind["tuple[str, ...]"]):
    """Names and globs of relations: comma-separated in one text, or several texts in Python."""

    may_be_empty: bool
    """False where an empty list would run the preset instead of nothing."""

    @property
    def expected(self) -> str:
        return "names or globs of relations"

    def from_text(self, text: str, spelt: str) -> tuple[str, ...]:
        from pytest_vqamt.relations.catalogue import globs_of

        found = globs_of(text)
        if not found and not self.may_be_empty:
            raise _UnfitValueError(_EMPTY)
        return found

    def from_python(self, value: object, spelt: str) -> tuple[str, ...]:
        texts = [value] if isinstance(value, str) else _several(value)
        return self.from_text(",".join(map(_text, texts)), spelt)


@dataclass(frozen=True, slots=True)
class Rates(Kind["tuple[Threshold, ...]"]):
    """The thresholds of a gate: RATE or GLOB=RATE, in Python several of them or {GLOB: RATE}, too."""

    gate: str
    """The value of its ``GateKind``, which is not imported here."""
    is_many: ClassVar[bool] = True

    @property
    def expected(self) -> str:
        from pytest_vqamt.stats.thresholds import GateKind

        return GateKind(self.gate).expected

    def from_texts(self, texts: Sequence[str], spelt: str) -> tuple[Threshold, ...]:
        from pytest_vqamt.stats.thresholds import GateKind, Threshold

        return tuple(Threshold.parse(text, GateKind(self.gate), spelt) for text in texts)

    def from_python(self, value: object, spelt: str) -> tuple[Threshold, ...]:
        # {GLOB: RATE}; a list has texts or bare rates.
        if isinstance(value, Mapping):
            return self.from_texts([f"{_text(glob)}={_rate_text(rate)}" for glob, rate in value.items()], spelt)
        several = [value] if isinstance(value, str | Real) else _several(value)
        return self.from_texts(list(map(_rate_text, several)), spelt)


class NamedValues(Kind["tuple[tuple[str, str], ...]"]):
    """Settings: NAME=VALUE, or a mapping in Python. Which there are depends on the models and relations of the run."""

    is_many: ClassVar[bool] = True

    @property
    def expected(self) -> str:
        return "texts by the names of settings, such as {'erase': 'mean'}"

    def from_texts(self, texts: Sequence[str], spelt: str) -> tuple[tuple[str, str], ...]:
        from pytest_vqamt.core.errors import OptionError

        given: dict[str, str] = {}
        for text in texts:
            name, equals, value = (part.strip() for part in text.partition("="))
            if not name or not equals:
                raise OptionError(f"Expected {spelt}=NAME=VALUE, but got {text!r}")
            if name in given:
                raise OptionError(
                    f"Expected {spelt}={name}=VALUE once, but got {text!r} after '{name}={given[name]}': "
                    "leave one of them off"
                )
            given[name] = value
        return tuple(given.items())

    def from_python(self, value: object, spelt: str) -> tuple[tuple[str, str], ...]:
        # The default of the argument, as a mapping would be mutable.
        if value is None:
            return ()
        if not isinstance(value, Mapping):
            raise TypeError
        for name, each in value.items():
            if not isinstance(name, str):
                raise _UnfitValueError(f"the name {name!r} is no text")
            if not isinstance(each, str):
                as_text = (
                    # {"top-k": 5}: which text is meant is plain.
                    f": give {str(each)!r}" if isinstance(each, int | float) and not isinstance(each, bool) else ""
                )
                raise _UnfitValueError(f"the value of {name!r} is no text{as_text}")
        return tuple(value.items())


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One option, as the field of ``Options`` describes it."""

    field: str
    """The name of the field, from which the spellings are made."""
    kind: Kind[object]
    """What its values are, and how texts and arguments become values."""
    default: object
    """The value where neither the command line nor the ini file has one."""
    help: str
    """Its line in ``--help``, with the default at the end."""
    metavar: str | None
    """The name of the value in ``--help``; None for a flag."""
    has_ini: bool
    """False where it only makes sense for one run."""
    argument: str | None
    """The argument of ``vqamt.run``; None where it has none."""
    in_python: str
    """The words for it in messages of ``vqamt.run``, where that has no argument for it but another way."""
    is_repeated: bool
    """True where it decides on cases or answers, so that a command that replays a case must repeat it."""

    @property
    def name(self) -> str:
        """The option of pytest: "--vqamt-max-cases"."""
        return f"--vqamt-{self.short_name}"

    @property
    def short_name(self) -> str:
        """The name that messages look up: "max-cases"."""
        return self.field.replace("_", "-")

    @property
    def dest(self) -> str:
        """The option in ini files: "vqamt_max_cases"."""
        return f"vqamt_{self.field}"

    def of_texts(self, texts: Sequence[str], spelt: str) -> object:
        """The value of the texts on the command line or in an ini file.

        Raises:
            OptionError: there is none.
        """
        try:
            return self.kind.from_texts(texts, spelt)
        except ValueError as error:
            raise _refusal(self.kind, texts[-1], spelt, error) from error

    def of_argument(self, given: object) -> object:
        """The value of the argument of ``vqamt.run``.

        Raises:
            OptionError: there is none.
        """
        spelt = str(self.argument)
        # None is the default of the argument: the option was not given.
        if given is None and self.default is None:
            return None
        try:
            return self.kind.from_python(given, spelt)
        except (ValueError, TypeError, OverflowError) as error:
            # OverflowError: float() of a huge integer.
            raise _refusal(self.kind, given, spelt, error) from error


def _refusal(kind: Kind[object], given: object, spelt: str, error: Exception) -> OptionError:
    from pytest_vqamt.core.errors import OptionError

    # Python's own messages, as of int("x"), are no help to users.
    hint = f"; {error}" if isinstance(error, _UnfitValueError) and str(error) else ""
    return OptionError(f"Expected {kind.expected}, but got {spelt}={given!r}{hint}")


def _option(
    kind: Kind[Value],
    help: str,  # noqa: A002 - as argparse has it
    *,
    default: Value,
    metavar: str | None = None,
    shown_default: str = "",
    has_ini: bool = True,
    argument: str | Literal[True] | None = True,
    in_python: str = "",
    is_repeated: bool = False,
) -> Value:
    """The field of an option: ``shown_default`` is the default in its help, where that is not the value alone.

    ``argument`` is the argument of ``vqamt.run``: True for that of the same name, None where there is none. The others
    are as in ``Option``.
    """
    shown = shown_default
    # "(default: False)" and "(default: ())" say less than nothing.
    if not shown and not (default is None or default is False or default == ()):
        shown = f"{default:g}" if isinstance(default, float) else str(default)
    metadata = {
        "kind": kind,
        "help": f"{help} (default: {shown})" if shown else help,
        "metavar": "|".join(kind.names) if isinstance(kind, Choice) and metavar is None else metavar,
        "has_ini": has_ini,
        "argument": argument,
        "in_python": in_python,
        "is_repeated": is_repeated,
    }
    return field(default=default, metadata=metadata)


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The values of all options of a run. Each field is an option: "max_cases" is ``--vqamt-max-cases``."""

    model: tuple[str, ...] = _option(
        Specs(),
        "a model to test: python:MODULE:NAME, openai:MODEL@URL, hf:REPO, ... (vqamt list); may be given again. "
        "NAME=SPEC gives it a short name",
        default=(),
        metavar="SPEC",
    )
    data: tuple[str, ...] = _option(
        Specs(),
        "the pictures to ask about: questions:FILE, photos:DIR, coco:DIR, ... (vqamt list); may be given again. "
        "NAME=SPEC gives it a short name",
        default=("pictures",),
        metavar="SPEC",
        shown_default="pictures, which are drawn",
    )
    relations: tuple[str, ...] | None = _option(
        Globs(may_be_empty=False),  # a list that came out empty would run the preset
        "only these relations (vqamt list), comma-separated, e.g. metavqa,view.shift; all: all but those on request",
        default=None,
        metavar="GLOBS",
        shown_default="the preset today for openai:, hf: and served: models, quick for others; on published pairs "
        "(carets:DIR) those about them",
    )
    exclude: tuple[str, ...] = _option(
        Globs(may_be_empty=True),
        "not these relations",
        default=(),
        metavar="GLOBS",
    )
    preset: str | None = _option(
        FreeText("a preset"),
        "quick: eight relations of different kinds; today: what to gate a chat model on, one relation or more of each "
        "kind of failure; conversation: several pictures, turns and forms of files; questions: what needs no boxes; "
        "or the relations and settings of a paper as published: metavqa, carets, veglue, "
        "basic-questions, metaic; beside --vqamt-relations its settings alone",
        default=None,
        metavar="NAME",
        is_repeated=True,
    )
    max_cases: int | None = _option(
        Whole(1),
        "cases per relation variant, model and data source",
        default=None,
        metavar="N",
        shown_default="100",
        is_repeated=True,
    )
    seed: int = _option(
        Whole(0),
        "the same seed gives the same cases",
        default=0,
        metavar="N",
        is_repeated=True,
    )
    sampler: str = _option(
        Choice(("hypothesis", "random")),
        "what draws the cases",
        default="hypothesis",
        is_repeated=True,
    )
    shrink: int = _option(
        Whole(0),
        "how many more queries a test may send to simplify the violation that is shown",
        default=30,
        metavar="N",
    )
    plan: bool = _option(
        Flag(),
        "say how many cases and distinct queries the run would have, and what they would cost, and stop",
        default=False,
        has_ini=False,
        argument=None,
    )
    max_queries: int | None = _option(
        Whole(1),
        "refuse a run of more distinct queries than this",
        default=None,
        metavar="N",
        argument=None,
    )
    max_cost: float | None = _option(
        Above0("an amount"),
        "stop before the answers of this run cost more, in the currency of the prices; the same command goes on later",
        default=None,
        metavar="AMOUNT",
    )
    fail_under: tuple[Threshold, ...] = _option(
        Rates("fail-under"),
        "RATE or GLOB=RATE: the pass rate that must be reached; may be given again",
        default=(),
        metavar="RATE",
    )
    contrast: float | None = _option(
        Rate("share"),
        "the share of cases with a contrast: one of the texts about another picture, with another right answer",
        default=None,
        metavar="SHARE",
        shown_default="0.5; 0 with a paper's preset",
    )
    repeats: int = _option(
        Whole(1),
        "how many times each distinct query is asked, for models that do not always answer alike: cases whose verdict "
        "depends on which of the answers are taken are flaky, and count in no rate",
        default=1,
        metavar="N",
        shown_default="1; 5 is a good number",
        is_repeated=True,
    )
    grounded_under: tuple[Threshold, ...] = _option(
        Rates("grounded-under"),
        "RATE or GLOB=RATE: the grounded rate that must be reached, of cases that hold and whose contrast is answered "
        "otherwise; may be given again",
        default=(),
        metavar="RATE",
    )
    gate: str = _option(
        Choice(("point", "lower-bound")),
        "what must reach --vqamt-fail-under: the pass rate, or the lower end of its interval",
        default="point",
    )
    max_unread: float = _option(
        Rate("share"),
        "the share of a relation's cases that may be unread, above which it meets no gate",
        default=0.2,
        metavar="SHARE",
    )
    baseline: Path | None = _option(
        File(),
        "ask the cases that `vqamt bless` has kept in this file, and compare with how they came out then",
        default=None,
        metavar="FILE",
        is_repeated=True,
    )
    allow_missing_baseline: bool = _option(
        Flag(),
        "for the first run: run without a comparison while the file of --vqamt-baseline is not there yet",
        default=False,
        argument=None,
        in_python="no baseline",
    )
    max_drop: tuple[Threshold, ...] = _option(
        Rates("max-drop"),
        "RATE or GLOB=RATE: how far a rate may fall below the baseline's before it counts, where the drop is "
        "significant, too; all-relations and accuracy name what is compared over all relations; what no glob names has "
        "no gate; may be given again",
        default=(),
        shown_default="0",
        metavar="RATE",
    )
    undecided: str = _option(
        Choice(("pass", "fail")),
        "what a gate on a drop does to the exit status if too few cases can tell",
        default="pass",
    )
    max_error_rate: float = _option(
        Rate("rate"),
        "the share of cases that may end in an error",
        default=0.0,
        metavar="RATE",
        argument=None,
    )
    allow_bad_records: bool = _option(
        Flag(),
        "run on the records that can be used, where some of a data set cannot",
        default=False,
        is_repeated=True,
    )
    waive: Path | None = _option(
        File(),
        "case ids judged invalid by a person, one a line with the reason: left out of the rates; until=DATE after the "
        "id ends a waiver",
        default=None,
        metavar="FILE",
        argument=None,
    )
    report: Path | None = _option(
        File(),
        "write report.html, summary.md, badge.json, report.json and cases.jsonl into this folder",
        default=None,
        metavar="DIR",
    )
    cases: str = _option(
        Choice(("cases.jsonl", "cases.jsonl.gz"), of_number="for so many cases give --vqamt-max-cases="),
        "what the file of cases in the report is called: cases.jsonl, or cases.jsonl.gz, which is compressed",
        default="cases.jsonl",
        metavar="NAME",
        argument=None,
    )
    report_images: str = _option(
        Choice(("violations", "all", "none")),
        "whose pictures report.html shows",
        default="violations",
        argument=None,
    )
    summary: str | None = _option(
        Choice(("short", "full", "none")),
        "what the terminal shows at the end: at most 30 lines (and the tables of a paper whose preset is named), all "
        "tables and violations, or nothing",
        default=None,
        shown_default="short; full with -v, and the first lines alone with -q",
        argument=None,
    )
    batch_size: int | None = _option(
        WholeOrAuto(),
        "how many inputs a model gets at once",
        default=None,
        metavar="N|auto",
        shown_default="auto",
    )
    device: str = _option(
        Device(),
        "auto, cpu, mps, cuda:N, cuda to let several workers share, or cuda:0+cuda:1 to spread a model",
        default="auto",
        metavar="DEVICE",
        is_repeated=True,
    )
    timeout: float | None = _option(
        Above0("a number of seconds"),
        "end the run of a model that takes longer than this many seconds for a batch",
        default=None,
        metavar="S",
        shown_default="no limit",
    )
    dtype: str | None = _option(
        FreeText("a precision, such as bfloat16"),
        "the precision of the model's weights, e.g. bfloat16",
        default=None,
        metavar="DTYPE",
        is_repeated=True,
    )
    cache: Path | None = _option(
        File(),
        "where answers are kept",
        default=None,
        metavar="DIR",
        shown_default="in pytest's cache folder",
        is_repeated=True,
    )
    no_cache: bool = _option(
        Flag(),
        "keep no answers beyond this run",
        default=False,
        has_ini=False,
        argument=None,
        in_python="cache=None",
    )
    shard: tuple[int, int] | None = _option(
        Shard(),
        "the I-th of N machines' share of the cases",
        default=None,
        metavar="I/N",
        has_ini=False,
        argument=None,
    )
    replay: str | None = _option(
        FreeText("the id of a case", may_be_empty=False),
        "ask one case again and write out its pictures",
        default=None,
        metavar="CASE-ID",
        has_ini=False,
        argument=None,
    )
    option: tuple[tuple[str, str], ...] = _option(
        NamedValues(),
        "a setting of a model, relation or edit; may be given again",
        default=(),
        metavar="NAME=VALUE",
        argument="settings",
        is_repeated=True,
    )

    spelling: Spelling
    """How the user has given them."""


OPTIONS: tuple[Option, ...] = tuple(
    Option(
        field=each.name,
        default=each.default,
        **{**each.metadata, "argument": each.name if each.metadata["argument"] is True else each.metadata["argument"]},
    )
    for each in fields(Options)
    # Not ``spelling``, which is no option.
    if "kind" in each.metadata
)
"""Every option, in the order of the help."""

ARGUMENTS: Mapping[str, Option] = {each.argument: each for each in OPTIONS if each.argument}
"""The options that ``vqamt.run`` has, by its arguments."""


def add_options(parser: pytest.Parser) -> None:
    """Adds every option, and its ini option, to pytest's."""
    group = parser.getgroup("vqamt", "vqamt: metamorphic tests of vision-language models")
    for each in OPTIONS:
        if isinstance(each.kind, Flag):
            # A flag has no value: that of the ini file counts where it is not typed.
            group.addoption(each.name, action="store_true", default=False, help=each.help)
        else:
            # None as default, so that what was typed can be told from what was not.
            action = "append" if each.kind.is_many else "store"
            group.addoption(each.name, action=action, default=None, metavar=each.metavar, help=each.help)
        if each.has_ini:
            ini_type: Literal["linelist", "string"] = "linelist" if each.kind.is_many else "string"
            parser.addini(each.dest, each.help, type=ini_type, default=None)


def hint_at_misspelt(parser: pytest.Parser, arguments: Sequence[str]) -> None:
    """Has pytest's error about an unknown option name the nearest of these options."""
    known = {each.short_name: each.name for each in OPTIONS}
    given = [each.partition("=")[0].removeprefix("--vqamt-") for each in arguments if each.startswith("--vqamt-")]
    near = [known[found] for name in given if name not in known for found in get_close_matches(name, known, n=1)]
    if near:
        parser.extra_info["did you mean"] = ", ".join(dict.fromkeys(near))


def read_options(config: pytest.Config) -> Options:
    """The options of a session: those of the command line, else of the ini file, else the defaults.

    Raises:
        OptionError: a value is none of its option.
    """
    from pytest_vqamt.core.spelling import Spelling

    found: dict[str, Any] = {}
    in_ini: dict[str, str] = {}
    for each in OPTIONS:
        typed = config.getoption(each.dest)
        if typed is True:
            found[each.field] = True
        elif typed not in (None, False):
            # Typed on the command line, which goes before the ini file, for lists as a whole.
            # A path on the command line is relative to the current folder, one in an ini file to the root folder.
            value = each.of_texts(typed if each.kind.is_many else [typed], each.name)
            found[each.field] = _below(config.invocation_params.dir, value)
        elif texts := _ini_texts(config, each):
            in_ini[each.short_name] = each.dest
            found[each.field] = _below(config.rootpath, each.of_texts(texts, each.dest))
    return Options(**found, spelling=Spelling(names=in_ini))


def _below(folder: Path, value: object) -> object:
    return folder / value if isinstance(value, Path) else value


def _ini_texts(config: pytest.Config, option: Option) -> list[str]:
    if not option.has_ini:
        return []
    given: list[str] | str = config.getini(option.dest) or []
    return [given] if isinstance(given, str) else given


def read_arguments(given: Mapping[str, object]) -> Options:
    """The options of a call of ``vqamt.run``; arguments that are no options are ignored.

    Raises:
        OptionError: a value is none of its argument.
    """
    from pytest_vqamt.core.spelling import Spelling

    found: dict[str, Any] = {
        each.field: each.of_argument(given[name]) for name, each in ARGUMENTS.items() if name in given
    }
    # Messages name options; in Python they must name arguments.
    names = {each.short_name: each.argument or each.in_python for each in OPTIONS if each.argument or each.in_python}
    return Options(**found, spelling=Spelling(names=names, is_python=True))


def models_named(config: pytest.Config) -> tuple[str, ...]:
    """The specs of models as given, unchecked: in a session without any the plugin does nothing."""
    typed: list[str] | None = config.getoption("vqamt_model")
    return tuple(typed if typed is not None else config.getini("vqamt_model") or ())


def is_any_typed(config: pytest.Config) -> bool:
    """True if the command line has an option of the plugin."""
    return any(config.getoption(each.dest) not in (None, False) for each in OPTIONS)


def check_device(text: str, spelt: str) -> str:
    """The value of an option ``spelt`` of a command that takes a device.

    Raises:
        OptionError: it is none.
    """
    ARGUMENTS["device"].of_texts([text], spelt)
    return text


def add_option_argument(parser: argparse.ArgumentParser, of: str = "that run") -> None:
    """Adds ``--option`` of commands that render the pictures of a run again."""
    parser.add_argument(
        "--option",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help=f"a setting of {of}: inpaint=lama:PATH where its pictures were made with a checkpoint",
    )


def parse_settings(
    texts: Sequence[str], spelt: str, others: Collection[str] | None = ()
) -> tuple[dict[str, str], dict[str, str]]:
    """Splits NAME=VALUE texts of an option of a command into settings of relations and settings of models.

    Args:
        texts: the values of the option ``spelt``.
        spelt: the option, for messages.
        others: the names that models take; None lets them take any.

    Raises:
        OptionError: a text is not NAME=VALUE, its name is unknown, or it has a wrong value or two values.
    """
    if not texts:
        return {}, {}
    from pytest_vqamt.relations.catalogue import split_settings

    return split_settings(dict(NamedValues().from_texts(texts, spelt)), others, spelt)
