"""The one table of options: the command line, ini files and ``vqamt.run`` take and refuse the same values."""

from __future__ import annotations

import inspect
import math
from collections.abc import Sequence
from dataclasses import fields, replace
from enum import StrEnum
from pathlib import Path

import pytest
from _pytest.config import PytestPluginManager

import pytest_vqamt as vqamt
from pytest_vqamt.core.case_store import FILE_NAMES
from pytest_vqamt.core.errors import OptionError, VqamtError
from pytest_vqamt.core.results import MAX_UNREAD, Undecided
from pytest_vqamt.core.spelling import Spelling
from pytest_vqamt.execution.plan import CONTRAST_SHARE, MAX_CASES, RunOptions, Sampling
from pytest_vqamt.integration.options import (
    ARGUMENTS,
    OPTIONS,
    Choice,
    Flag,
    Option,
    Options,
    read_arguments,
    read_options,
)
from pytest_vqamt.integration.settings import read_settings
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.reporting.html.case_selection import Images
from pytest_vqamt.reporting.terminal import SummaryLength
from pytest_vqamt.sampling.chooser import Sampler
from pytest_vqamt.stats.thresholds import GateOn, Threshold

SIGNATURE = inspect.signature(vqamt.run).parameters
NO_OPTIONS = {"progress", "listen"}
"""The arguments of ``vqamt.run`` that pytest has no option for."""


@pytest.fixture(autouse=True)
def _no_other_plugins(monkeypatch: pytest.MonkeyPatch) -> None:
    """To look for the plugins that are installed takes more time than all else here."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("PYTEST_PLUGINS", "pytest_vqamt.plugin")
    monkeypatch.setattr(PytestPluginManager, "load_setuptools_entrypoints", lambda *_arguments, **_names: 0)


class Thing:
    """An object that no argument takes."""

    def __repr__(self) -> str:
        return "thing"


# What each argument takes of the values below; all others are mistakes.
TAKEN: dict[str, tuple[object, ...]] = {
    "relations": (None,),
    "exclude": ([],),
    "preset": (None,),
    "max_cases": (None,),
    "fail_under": ([],),
    "grounded_under": ([],),
    "contrast": (None,),
    "max_drop": ([],),
    "baseline": (None,),
    "batch_size": (None,),
    "dtype": ("x", None),
    "timeout": (None,),
    "max_cost": (None,),
    "cache": ("x", None),
    "settings": (None,),
    "allow_bad_records": (True,),
    "report": ("x", None),
    "progress": (True,),
    "listen": (None,),
}
VALUES: tuple[object, ...] = (-1, "x", None, True, math.nan, math.inf, [], Thing())
MISTAKES = [
    (name, value)
    for name in SIGNATURE
    for value in VALUES
    if not any(value is each or value == each for each in TAKEN.get(name, ()) if not isinstance(value, bool | int))
    and not (value is True and True in TAKEN.get(name, ()))
]


@pytest.mark.parametrize(("name", "value"), MISTAKES)
def test_a_wrong_argument_is_one_line_with_its_name_and_value(name: str, value: object) -> None:
    given: dict[str, object] = {
        "model": "oracle",
        "data": "pictures:2",
        "relations": "control.repeat",
        "max_cases": 1,
        name: value,
    }
    # An object that is no model is a ModelError: what it lacks is said.
    with pytest.raises(VqamtError if name == "model" else OptionError) as told:
        vqamt.run(**given)  # type: ignore[arg-type]  # wrong on purpose
    line = str(told.value)
    assert "\n" not in line
    assert name in line
    assert repr(value) in line
    assert "--vqamt" not in line


def test_there_are_mistakes_of_each_argument() -> None:
    assert {name for name, _ in MISTAKES} == set(SIGNATURE)
    assert ("seed", True) in MISTAKES
    assert ("allow_bad_records", -1) in MISTAKES


def test_the_signature_of_run_is_that_of_the_table() -> None:
    assert set(ARGUMENTS) == set(SIGNATURE) - NO_OPTIONS
    defaults = {name: each.default for name, each in SIGNATURE.items() if each.default is not inspect.Parameter.empty}
    ours = read_arguments({name: default for name, default in defaults.items() if name in ARGUMENTS})
    assert replace(ours, spelling=Spelling()) == Options(spelling=Spelling())


def test_the_table_has_the_defaults_and_choices_of_those_who_take_them() -> None:
    table = {each.field: each for each in OPTIONS}
    assert table["max_unread"].default == MAX_UNREAD
    assert f"default: {MAX_CASES})" in table["max_cases"].help
    assert f"default: {CONTRAST_SHARE};" in table["contrast"].help
    assert RunOptions().shrink == table["shrink"].default
    assert (Sampling().seed, Sampling().repeats) == (table["seed"].default, table["repeats"].default)
    assert ModelOptions().device == table["device"].default
    choices: dict[str, type[StrEnum]] = {
        "sampler": Sampler,
        "gate": GateOn,
        "undecided": Undecided,
        "report_images": Images,
        "summary": SummaryLength,
    }
    named = {name: each.kind.names for name, each in table.items() if isinstance(each.kind, Choice)}
    assert named == {"cases": FILE_NAMES, **{name: tuple(kind) for name, kind in choices.items()}}


# An argument, its value in Python, the same as text, and the value that the run gets.
GOOD: list[tuple[str, object, str, object]] = [
    ("relations", ["metavqa", "control.*"], "metavqa, control.*", ("metavqa", "control.*")),
    ("exclude", "all", "all", ("*",)),
    ("preset", "quick", "quick", "quick"),
    ("max_cases", 7, "7", 7),
    ("seed", 0, "0", 0),
    ("sampler", "random", "random", "random"),
    ("fail_under", 1, "1", (Threshold(pattern="*", rate=1.0),)),
    ("fail_under", {"metavqa": 0.5}, "metavqa=0.5", (Threshold(pattern="metavqa", rate=0.5),)),
    ("grounded_under", ["0.25"], "0.25", (Threshold(pattern="*", rate=0.25),)),
    ("contrast", 0, "0", 0.0),
    ("repeats", 5, "5", 5),
    ("gate", GateOn.LOWER_BOUND, "lower-bound", "lower-bound"),
    ("max_unread", 0.3, "0.3", 0.3),
    ("baseline", Path("/b.jsonl.gz"), "/b.jsonl.gz", Path("/b.jsonl.gz")),
    ("max_drop", {"accuracy": 0.1}, "accuracy=0.1", (Threshold(pattern="accuracy", rate=0.1),)),
    ("max_drop", 0.02, "0.02", (Threshold(pattern="*", rate=0.02),)),
    ("shrink", 0, "0", 0),
    ("batch_size", 4, "4", 4),
    ("batch_size", "auto", "auto", None),
    ("device", "cuda:1", "cuda:1", "cuda:1"),
    ("dtype", "bf16", "bf16", "bf16"),
    ("timeout", 2.5, "2.5", 2.5),
    ("max_cost", 10, "10", 10.0),
    ("cache", "/kept", "/kept", Path("/kept")),
    ("settings", {"erase": "mean"}, "erase=mean", (("erase", "mean"),)),
    ("allow_bad_records", True, "true", True),
    ("report", "/out", "/out", Path("/out")),
]


@pytest.mark.parametrize(("name", "value", "text", "taken"), GOOD)
def test_the_same_by_the_command_line_the_ini_file_and_python(
    pytester: pytest.Pytester, name: str, value: object, text: str, taken: object
) -> None:
    option = ARGUMENTS[name]
    typed = (option.name,) if taken is True else (f"{option.name}={text}",)
    (pytester.path / "typed").mkdir()
    by_command = read_options(pytester.parseconfig(*typed, "--rootdir=typed"))
    pytester.makeini(f"[pytest]\n{option.dest} = {text}\n")
    by_ini = read_options(pytester.parseconfig())
    by_python = read_arguments({name: value})
    plain = Spelling()
    assert getattr(by_python, option.field) == taken
    assert replace(by_command, spelling=plain) == replace(by_ini, spelling=plain) == replace(by_python, spelling=plain)
    assert by_ini.spelling.option(option.short_name) == option.dest
    assert by_python.spelling.option(option.short_name) == name


EMPTY = {"exclude": (), "preset": None, "dtype": None}
"""What an empty text of these options is; for all others it is a mistake."""


@pytest.mark.parametrize(
    "option", [each for each in OPTIONS if not isinstance(each.kind, Flag)], ids=lambda each: each.field
)
def test_an_empty_text_is_a_mistake_on_the_command_line(pytester: pytest.Pytester, option: Option) -> None:
    typed = pytester.parseconfig(f"{option.name}=")
    if option.field in EMPTY:
        assert getattr(read_options(typed), option.field) == EMPTY[option.field]
    else:
        with pytest.raises(OptionError, match=rf"got {option.name}=''|Expected {option.name}=NAME=VALUE, but got ''"):
            read_options(typed)


def test_an_empty_text_is_none_in_an_ini_file(pytester: pytest.Pytester) -> None:
    named = [each.dest for each in OPTIONS if each.has_ini and not isinstance(each.kind, Flag)]
    pytester.makeini("\n".join(["[pytest]", *(f"{name} =" for name in named)]))
    assert read_options(pytester.parseconfig()) == Options(spelling=Spelling())


@pytest.mark.parametrize("empty", [[], (), "", " , "])
def test_no_relation_at_all_is_a_mistake_and_no_excluded_one_is_none(empty: str | Sequence[str]) -> None:
    told = f"Expected names or globs of relations, but got relations={empty!r}; it is empty: give one, or leave it off"
    with pytest.raises(OptionError) as refused:
        vqamt.run("oracle", relations=empty)
    assert str(refused.value) == told
    assert read_arguments({"exclude": empty}).exclude == ()


@pytest.mark.parametrize("name", ["model", "data"])
@pytest.mark.parametrize("empty", ["", [], ()])
def test_no_model_and_no_data_are_mistakes(name: str, empty: object) -> None:
    arguments: dict[str, object] = {"model": "oracle", name: empty}
    with pytest.raises(VqamtError, match=rf"^Expected .*{name}"):
        vqamt.run(**arguments)  # type: ignore[arg-type]  # wrong on purpose


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"severity": 9}, "but got settings={'severity': 9}; the value of 'severity' is no text: give '9'"),
        ({"erase": None}, "but got settings={'erase': None}; the value of 'erase' is no text"),
        ({"erase": True}, "but got settings={'erase': True}; the value of 'erase' is no text"),
        ({3: "mean"}, "but got settings={3: 'mean'}; the name 3 is no text"),
        ({"severity": "9"}, "Expected settings to give severity one of 1, 2, 3, 4, 5, but got 'severity=9'"),
    ],
)
def test_a_setting_of_another_type_is_named(given: dict[str, str], told: str) -> None:
    with pytest.raises(OptionError) as refused:
        vqamt.run("oracle", settings=given)
    assert str(refused.value).endswith(told)


def test_numbers_of_numpy_are_numbers() -> None:
    numpy = pytest.importorskip("numpy")
    taken = read_arguments({"seed": numpy.int64(3), "max_drop": numpy.float32(0.5), "fail_under": numpy.float64(0.5)})
    half = (Threshold(pattern="*", rate=0.5),)
    assert (taken.seed, taken.max_drop, taken.fail_under) == (3, half, half)


@pytest.mark.parametrize("text", ["-1", "x", "nan", "0.5", "\u0663", "1_0"])
def test_an_error_names_the_option_as_it_was_given(pytester: pytest.Pytester, text: str) -> None:
    expected = "Expected a whole number from 0 up, but got"
    with pytest.raises(OptionError) as told:
        read_options(pytester.parseconfig(f"--vqamt-seed={text}"))
    assert str(told.value) == f"{expected} --vqamt-seed={text!r}"
    pytester.makeini(f"[pytest]\nvqamt_seed = {text}\n")
    with pytest.raises(OptionError) as told:
        read_options(pytester.parseconfig())
    assert str(told.value) == f"{expected} vqamt_seed={text!r}"


def test_so_do_checks_of_several_options_together(pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\nvqamt_model = oracel\n")
    with pytest.raises(OptionError, match=r"^Expected vqamt_model to begin with a kind of model"):
        read_settings(pytester.parseconfig())
    pytester.makeini("[pytest]\nvqamt_model = oracle\nvqamt_max_cost = 3\nvqamt_cache = kept\n")
    with pytest.raises(
        OptionError, match=r"such as openai:MODEL@URL, but got vqamt_model=oracle: leave vqamt_max_cost off"
    ):
        read_settings(pytester.parseconfig())


def test_every_field_of_the_options_is_an_option() -> None:
    assert [each.field for each in OPTIONS] == [each.name for each in fields(Options) if each.name != "spelling"]
