"""The options of the command line and of ini files. Importing this imports nothing else of the package."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import argparse

    import pytest


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One option; its ini name is the same with underscores, unless it only makes sense for one run."""

    name: str
    help: str
    metavar: str | None = None
    kind: Literal["one", "many", "flag"] = "one"
    ini: bool = True

    @property
    def dest(self) -> str:
        return self.name.removeprefix("--").replace("-", "_")


OPTIONS: tuple[Option, ...] = (
    Option(
        name="--vqamt-model",
        metavar="SPEC",
        kind="many",
        help="a model to test: python:MODULE:NAME, openai:MODEL@URL, hf:REPO, ... (vqamt list); may be given again. "
        "NAME=SPEC gives it a short name",
    ),
    Option(
        name="--vqamt-data",
        metavar="SPEC",
        kind="many",
        help="the pictures to ask about: questions:FILE, photos:DIR, coco:DIR, ... (vqamt list); may be given again "
        "(default: pictures, which are drawn). NAME=SPEC gives it a short name",
    ),
    Option(
        name="--vqamt-relations",
        metavar="GLOBS",
        help="only these relations (vqamt list), comma-separated, e.g. metavqa,view.shift "
        "(default: the preset today for openai:, hf: and served: models, quick for others; on published pairs "
        "(carets:DIR) those about them); all: all but those on request",
    ),
    Option(name="--vqamt-exclude", metavar="GLOBS", help="not these relations"),
    Option(
        name="--vqamt-preset",
        metavar="NAME",
        help="quick: eight relations of different kinds; today: what to gate a chat model on, one relation or more of "
        "each kind of failure; or the relations and settings of a paper as published: metavqa, carets, veglue, "
        "basic-questions, metaic; beside --vqamt-relations its settings alone",
    ),
    Option(
        name="--vqamt-max-cases", metavar="N", help="cases per relation variant, model and data source (default: 100)"
    ),
    Option(name="--vqamt-seed", metavar="N", help="the same seed gives the same cases (default: 0)"),
    Option(
        name="--vqamt-sampler",
        metavar="hypothesis|random",
        help="what draws the cases (default: hypothesis; random is faster)",
    ),
    Option(
        name="--vqamt-shrink",
        metavar="N",
        help="how many more queries a test may send to simplify the violation that is shown (default: 30)",
    ),
    Option(
        name="--vqamt-plan",
        kind="flag",
        ini=False,
        help="say how many cases and distinct queries the run would have, and what they would cost, and stop",
    ),
    Option(name="--vqamt-max-queries", metavar="N", help="refuse a run of more distinct queries than this"),
    Option(
        name="--vqamt-max-cost",
        metavar="AMOUNT",
        help="stop before the answers of this run cost more, in the currency of the prices; the same command goes on "
        "later",
    ),
    Option(
        name="--vqamt-fail-under",
        metavar="RATE",
        kind="many",
        help="RATE or GLOB=RATE: the pass rate that must be reached; may be given again",
    ),
    Option(
        name="--vqamt-contrast",
        metavar="SHARE",
        help="the share of cases with a contrast: one of the texts about another picture, with another right answer "
        "(default: 0.5; 0 with a paper's preset)",
    ),
    Option(
        name="--vqamt-repeats",
        metavar="N",
        help="how many times each distinct query is asked, for models that do not always answer alike: cases whose "
        "verdict depends on which of the answers are taken are flaky, and count in no rate (default: 1; 5 is a good "
        "number)",
    ),
    Option(
        name="--vqamt-grounded-under",
        metavar="RATE",
        kind="many",
        help="RATE or GLOB=RATE: the grounded rate that must be reached, of cases that hold and whose contrast is "
        "answered otherwise; may be given again",
    ),
    Option(
        name="--vqamt-gate",
        metavar="point|lower-bound",
        help="what must reach --vqamt-fail-under: the pass rate, or the lower end of its interval (default: point)",
    ),
    Option(
        name="--vqamt-max-unread",
        metavar="SHARE",
        help="the share of a relation's cases that may be unread, above which it meets no gate (default: 0.2)",
    ),
    Option(
        name="--vqamt-baseline",
        metavar="FILE",
        help="ask the cases that `vqamt bless` has kept in this file, and compare with how they came out then",
    ),
    Option(
        name="--vqamt-allow-missing-baseline",
        kind="flag",
        help="for the first run: run without a comparison while the file of --vqamt-baseline is not there yet",
    ),
    Option(
        name="--vqamt-max-drop",
        metavar="RATE",
        help="how far a pass rate may fall below the baseline's before it counts, where the drop is significant, too "
        "(default: 0)",
    ),
    Option(
        name="--vqamt-undecided",
        metavar="pass|fail",
        help="what a gate on a drop does to the exit status if too few cases can tell (default: pass)",
    ),
    Option(
        name="--vqamt-max-error-rate", metavar="RATE", help="the share of cases that may end in an error (default: 0)"
    ),
    Option(
        name="--vqamt-allow-bad-records",
        kind="flag",
        help="run on the records that can be used, where some of a data set cannot",
    ),
    Option(
        name="--vqamt-waive",
        metavar="FILE",
        help="case ids judged invalid by a person, one a line with the reason: left out of the rates; until=DATE after "
        "the id ends a waiver",
    ),
    Option(
        name="--vqamt-report",
        metavar="DIR",
        help="write report.html, summary.md, badge.json, report.json and cases.jsonl into this folder",
    ),
    Option(
        name="--vqamt-cases",
        metavar="NAME",
        help="what the file of cases in the report is called: cases.jsonl, or cases.jsonl.gz, which is compressed "
        "(default: cases.jsonl)",
    ),
    Option(
        name="--vqamt-report-images",
        metavar="violations|all|none",
        help="whose pictures report.html shows (default: violations)",
    ),
    Option(
        name="--vqamt-summary",
        metavar="short|full|none",
        help="what the terminal shows at the end: at most 30 lines, all tables and violations, or nothing "
        "(default: short; full with -v, and the first lines alone with -q)",
    ),
    Option(name="--vqamt-batch-size", metavar="N|auto", help="how many inputs a model gets at once (default: auto)"),
    Option(
        name="--vqamt-device",
        metavar="DEVICE",
        help="auto, cpu, cuda:N, or cuda to let several workers share (default: auto)",
    ),
    Option(
        name="--vqamt-timeout",
        metavar="S",
        help="end the run of a model that takes longer than this many seconds for a batch (default: no limit)",
    ),
    Option(name="--vqamt-dtype", metavar="DTYPE", help="the precision of the model's weights, e.g. bfloat16"),
    Option(name="--vqamt-cache", metavar="DIR", help="where answers are kept (default: in pytest's cache folder)"),
    Option(name="--vqamt-no-cache", kind="flag", ini=False, help="keep no answers beyond this run"),
    Option(name="--vqamt-shard", metavar="I/N", ini=False, help="the I-th of N machines' share of the cases"),
    Option(name="--vqamt-replay", metavar="CASE-ID", ini=False, help="ask one case again and write out its pictures"),
    Option(
        name="--vqamt-option",
        metavar="NAME=VALUE",
        kind="many",
        help="a setting of a model, relation or edit; may be given again",
    ),
)

_INI_TYPE: dict[str, Literal["linelist", "string"]] = {"many": "linelist", "one": "string"}


def add_options(parser: pytest.Parser) -> None:
    """Adds every option, and its ini option, to pytest's."""
    group = parser.getgroup("vqamt", "vqamt: metamorphic tests of vision-language models")
    for option in OPTIONS:
        if option.kind == "flag":
            group.addoption(option.name, action="store_true", default=False, help=option.help)
            if option.ini:
                parser.addini(option.dest, option.help, type="string", default=None)
            continue
        action = "append" if option.kind == "many" else "store"
        group.addoption(option.name, action=action, default=None, metavar=option.metavar, help=option.help)
        if option.ini:
            parser.addini(option.dest, option.help, type=_INI_TYPE[option.kind], default=None)


def hint_at_misspelt(parser: pytest.Parser, arguments: Sequence[str]) -> None:
    """Has pytest's error about an unknown option name the nearest of these options."""
    known = {option.name.removeprefix("--vqamt-"): option.name for option in OPTIONS}
    given = [each.partition("=")[0].removeprefix("--vqamt-") for each in arguments if each.startswith("--vqamt-")]
    near = [known[found] for name in given if name not in known for found in get_close_matches(name, known, n=1)]
    if near:
        parser.extra_info["did you mean"] = ", ".join(dict.fromkeys(near))


def option_value(config: pytest.Config, dest: str) -> str | None:
    """The value of an option that is given once: the command line's, else the ini file's, else None."""
    value: str | None = config.getoption(dest)
    if value is None and _has_ini(dest):
        value = config.getini(dest) or None
    return value


def option_values(config: pytest.Config, dest: str) -> tuple[str, ...]:
    """The values of an option that may be given again: the command line's, else the ini file's."""
    values: list[str] | None = config.getoption(dest)
    return tuple(values if values is not None else config.getini(dest) or ())


def is_any_typed(config: pytest.Config) -> bool:
    """Whether the command line has an option of the plugin."""
    return any(config.getoption(option.dest) not in (None, False) for option in OPTIONS)


def _has_ini(dest: str) -> bool:
    return any(option.dest == dest and option.ini for option in OPTIONS)


def check_device(device: str, option: str = "--vqamt-device") -> str:
    """Returns a value of ``--vqamt-device``, which commands call ``--device``.

    Raises:
        OptionError: it is none.
    """
    if not re.fullmatch(r"auto|cpu|cuda(:\d+)?", device):
        from pytest_vqamt.core.errors import OptionError

        hint = "; did you mean 'cuda'?" if device.casefold() in ("gpu", "cuda:", "nvidia") else ""
        raise OptionError(f"Expected {option} to be auto, cpu, cuda or cuda:N, but got {device!r}{hint}")
    return device


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
    texts: Sequence[str], option: str, others: Collection[str] | None = ()
) -> tuple[dict[str, str], dict[str, str]]:
    """Splits NAME=VALUE texts into settings of relations and settings of models.

    Args:
        texts: the values of ``option``.
        option: the name of the option, for messages.
        others: the names that models take; None lets them take any.

    Raises:
        OptionError: a text is not NAME=VALUE, its name is unknown, or it has a wrong value or two values.
    """
    if not texts:
        return {}, {}
    from pytest_vqamt.core.errors import OptionError
    from pytest_vqamt.relations.catalogue import split_settings

    given: dict[str, str] = {}
    for text in texts:
        name, equals, value = (part.strip() for part in text.partition("="))
        if not name or not equals:
            raise OptionError(f"Expected {option}=NAME=VALUE, but got {text!r}")
        if name in given:
            raise OptionError(
                f"Expected {option}={name}=VALUE once, but got {text!r} after '{name}={given[name]}': "
                "leave one of them off"
            )
        given[name] = value
    return split_settings(given, others, option)
