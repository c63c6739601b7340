"""``vqamt describe``: describes a relation with examples, or a kind of model or data with its settings."""

from __future__ import annotations

import argparse
import inspect
import re
import shlex
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from types import ModuleType

from pytest_vqamt.commands import annotate
from pytest_vqamt.commands.main import ExitStatus
from pytest_vqamt.core.atomic_write import unwritable_file
from pytest_vqamt.core.case import Case, RelationInfo, item_name
from pytest_vqamt.core.corpus import CutoutEntry
from pytest_vqamt.core.errors import OptionError, did_you_mean
from pytest_vqamt.core.text import count_noun
from pytest_vqamt.data import catalogue as sources
from pytest_vqamt.data.scene_source import SceneSource, scenes_by_photo
from pytest_vqamt.execution.plan import Plan, Sampling
from pytest_vqamt.imaging.contact_sheet import Panel, Strip, case_strip, sheet
from pytest_vqamt.imaging.pixel_edits import cutout_preview
from pytest_vqamt.imaging.render import render
from pytest_vqamt.integration.options import parse_settings
from pytest_vqamt.integration.replaying import query_line, save
from pytest_vqamt.models.catalogue import ModelCatalogue
from pytest_vqamt.models.python import imported
from pytest_vqamt.models.reference.oracle import answer_text, true_answer
from pytest_vqamt.relations.base import Relation, check_data
from pytest_vqamt.relations.catalogue import select
from pytest_vqamt.relations.recognition import CutoutRelation, cutout_id
from pytest_vqamt.relations.user import UserRelation
from pytest_vqamt.sampling.chooser import Sampler

_ON_TAGS = {
    "baseline": "gated only by a pattern that names it",
    "presumed": "gated only by a pattern that names it",
    "control": "never gated",
}
_CASES_PER_EXAMPLE = 10
"""Cases sampled for each example, so that examples come from different scenes if there are enough."""

_MOST_OF_A_NAME = 20
"""Cut-outs of one name on a sheet: drawn data has hundreds."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of the command."""
    parser.add_argument(
        "relation",
        metavar="RELATION",
        help="a name, with or without its variant, or a glob of names; MODULE:FUNCTION for one of your own; or a "
        "kind of model, photos or snli-ve",
    )
    parser.add_argument(
        "--data", metavar="SPEC", default="pictures:50", help="where the examples come from (default: %(default)s)"
    )
    parser.add_argument(
        "--max-cases", metavar="N", type=int, default=2, help="examples of each variant (default: %(default)s; 0: none)"
    )
    parser.add_argument(
        "--option", metavar="NAME=VALUE", action="append", default=[], help="a setting of the relation, as listed"
    )
    parser.add_argument("--seed", metavar="N", type=int, default=0, help="other examples (default: %(default)s)")
    parser.add_argument(
        "--allow-bad-records",
        action="store_true",
        help="show examples of the records that can be used, where some of a data set cannot",
    )
    parser.add_argument("--sheet", metavar="FILE.png", type=Path, help="draw the examples side by side into this file")


def run(arguments: argparse.Namespace) -> int:
    """Prints the description."""
    # A kind of model or data: no relation has the name of one.
    if (lines := _kind_lines(arguments.relation)) is not None:
        print("\n".join(lines))
        return ExitStatus.OK
    _check(arguments)
    # MODULE:FUNCTION; importing it registers the relation, which then has a name.
    if re.fullmatch(r"[\w.]+:\w+", arguments.relation):
        arguments.relation = _users_relation(arguments.relation)
    variants: dict[str, tuple[Relation, list[str]]] = {}
    settings, _ = parse_settings(arguments.option, "--option")
    for relation, variant in select((arguments.relation,), settings=settings):
        variants.setdefault(relation.info.name, (relation, []))[1].append(variant)
    _check_settings(settings, [relation for relation, _ in variants.values()], arguments.relation)
    if arguments.sheet:
        # Before the examples, which take a while on large data.
        _check_writable(arguments.sheet)
    source = sources.load(arguments.data, allow_bad_records=arguments.allow_bad_records)
    sampling = Sampling(
        max_cases=arguments.max_cases * _CASES_PER_EXAMPLE,
        seed=arguments.seed,
        # Hypothesis would start with the simplest scene, and return to it.
        sampler=Sampler.RANDOM,
        allow_bad_records=arguments.allow_bad_records,
        # Each example with its contrast, where it has one.
        contrast=1.0,
    )
    shown: list[Case] = []
    pools: list[Strip] = []
    # All before the first is printed: a description is not cut off by an error.
    for relation, _ in variants.values():
        check_data(relation, [source.corpus])
    for number, (relation, chosen) in enumerate(variants.values()):
        print("\n" * (number > 0) + "\n".join(_described(relation)))
        for variant in chosen if arguments.max_cases else ():
            plan = Plan(relation=relation, variant=variant, source=source, sampling=sampling)
            cases = _of_many_scenes(plan, arguments.max_cases)
            print("\n" + "\n".join(_examples(plan, cases)))
            shown += cases
        if isinstance(relation, CutoutRelation):
            pool = relation.cutouts(source.corpus)
            print(f"\n{_pool_line(pool)}")
            pools += [_pool_strip(pool, relation, source)] if arguments.sheet else []
    print("\n" + _sheet(shown, pools, source, arguments))
    return ExitStatus.OK


def _users_relation(where: str) -> str:
    """Imports a relation of the user's and returns its name."""
    found = imported(where, f"RELATION={where}")
    if not isinstance(found, UserRelation):
        raise OptionError(f"Expected a function with @vqamt.relation(...), but got RELATION={where}, which has none")
    return found.info.name


def _check(arguments: argparse.Namespace) -> None:
    if arguments.max_cases < 0:
        raise OptionError(f"Expected a number of examples from 0 up, but got --max-cases={arguments.max_cases}")
    if arguments.sheet and arguments.sheet.suffix != ".png":
        raise OptionError(f"Expected a file that ends in .png, but got --sheet={str(arguments.sheet)!r}")
    if arguments.sheet and not arguments.max_cases:
        raise OptionError("Expected examples to draw, but got --max-cases=0 with --sheet: leave one of them off")


def _check_settings(settings: Iterable[str], relations: Sequence[Relation], named: str) -> None:
    known = {setting.name for relation in relations for setting in relation.info.settings}
    for name in settings:
        if name not in known:
            hint = did_you_mean(name, sorted(known)) if known else "leave it off, for there is none"
            raise OptionError(f"Expected --option to name a setting of {named!r}, but got {name!r}; {hint}")


def _check_writable(file: Path) -> None:
    """Checks that the file can be written; only the folders above it stay."""
    existed = file.exists()
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        # To append, so that an existing sheet stays as it is.
        file.open("ab").close()
        if not existed:
            file.unlink()
    except OSError as error:
        raise unwritable_file(file, "--sheet", error) from error


def _of_many_scenes(plan: Iterable[Case], wanted: int) -> list[Case]:
    """The first case of each scene; further cases if there are too few scenes."""
    firsts: dict[str, Case] = {}
    others: list[Case] = []
    for case in plan:
        if case.scene in firsts:
            others.append(case)
        else:
            firsts[case.scene] = case
        # Enough scenes: the rest of the plan is not derived.
        if len(firsts) == wanted:
            break
    return [*firsts.values(), *others][:wanted]


def _pool_line(pool: Mapping[str, Sequence[CutoutEntry]]) -> str:
    names = [name for name, entries in pool.items() if entries]
    return (
        f"{count_noun(sum(map(len, pool.values())), 'cut-out')} of {count_noun(len(names), 'name')} may be "
        f"inserted: {', '.join(names) or 'none'}"
    )


def _pool_strip(pool: Mapping[str, Sequence[CutoutEntry]], relation: Relation, source: SceneSource) -> Strip:
    corpus = source.corpus
    entries = [(name, entry) for name in pool for entry in pool[name][:_MOST_OF_A_NAME]]
    return Strip(
        title=f"{relation.info.name}: what may be inserted",
        notes=(
            _pool_line(pool),
            f"the first {_MOST_OF_A_NAME} of a name are shown, the best before others; "
            "--vqamt-option exclude-cutouts=FILE leaves out those that it names, one SCENE/THING a line",
        ),
        panels=tuple(
            Panel(image=cutout_preview(corpus.cut_out(entry), source), note=f"{name} {cutout_id(entry, corpus)}")
            for name, entry in entries
        ),
        small=True,
    )


def _sheet(cases: Sequence[Case], pools: Sequence[Strip], source: SceneSource, arguments: argparse.Namespace) -> str:
    """Draws the cases and pools if --sheet is given; returns the line on the file, or on how to get one."""
    if arguments.sheet is None:
        return (
            f"to look at examples: vqamt describe {shlex.quote(arguments.relation)} "
            f"--data={shlex.quote(arguments.data)} --sheet=FILE.png"
        )
    if not cases and not pools:
        return f"no example to draw into {arguments.sheet}"
    save(sheet(chain((_strip(case, source) for case in cases), pools)), arguments.sheet)
    pooled = ", and the cut-outs that may be inserted" if pools else ""
    return f"{count_noun(len(cases), 'example')} side by side{pooled}: {arguments.sheet}"


def _strip(case: Case, source: SceneSource) -> Strip:
    return case_strip(
        case,
        [answer_text(true_answer(query)) for query in case.asked],
        title=item_name(case.relation, case.variant),
        notes=(
            f"case {case.id}, scene {case.scene} of {source.spec}, with the right answers",
            f"expected: {case.expected}",
            *([f"contrast, the last text: {case.contrast.expected}"] if case.contrast else []),
        ),
        image_of=lambda picture: render(picture, source),
        scene_of=scenes_by_photo(source),
    )


def _described(relation: Relation) -> Iterator[str]:
    info = relation.info
    yield info.name
    yield info.claim
    yield ""
    yield f"source    {info.source}"
    captioned = f" ({', '.join(map(info.item, info.captioned))}: captioning, too)" if info.captioned else ""
    yield f"task      {info.task.value}{captioned}"
    yield f"variants  {', '.join(info.item(variant) for variant in info.variants)}"
    yield f"version   {info.version}"
    tags = (f"{tag} ({_ON_TAGS[tag]})" if tag in _ON_TAGS else tag for tag in info.tags)
    yield f"tags      {', '.join(tags) or 'none'}"
    yield f"reports   {_reports(info)}"
    if info.exact_pixels:
        yield "pixels    exact: HTTP endpoints are sent all pictures without loss"
    for setting in info.settings:
        yield f"setting   --vqamt-option {setting.name}={'|'.join(setting.values)} (default: {setting.default})"
        yield f"          {setting.meaning}"
    for text in _docstrings(relation):
        yield ""
        yield text


def _reports(info: RelationInfo) -> str:
    counted = "pass rate with its interval, vacuous share, unparsed answers, errors, how often each answer was given"
    return f"{counted}; each by {', '.join(info.breakdown)}" if info.breakdown else counted


def _docstrings(relation: Relation) -> Iterator[str]:
    """The relation's docstring without the claim, and the docstrings of the modules that it names."""
    written = relation.draft if isinstance(relation, UserRelation) else type(relation)
    doc = inspect.getdoc(written) or ""
    # The first line is the claim, which is printed above.
    beyond = doc.partition("\n")[2].strip()
    if beyond:
        yield _plain(beyond)
    # Relations name the modules that define their terms, whose docstrings follow.
    for name in re.findall(r"``(\w+)``", doc):
        module = getattr(sys.modules[written.__module__], name, None)
        if isinstance(module, ModuleType):
            yield _plain(f"{name}: {inspect.getdoc(module)}")


def _plain(text: str) -> str:
    return text.replace("``", "").replace("**", "")


def _examples(plan: Plan, cases: Sequence[Case]) -> Iterator[str]:
    yield f"{plan.relation.info.item(plan.variant)} on {plan.source.spec}, with the right answers"
    for case in cases:
        yield from _example(case)
    if not cases:
        reasons = ", ".join(f"{reason} ({count_noun(n, 'scene')})" for reason, n in sorted(plan.not_applicable.items()))
        yield f"  not applicable: {reasons}"


def _example(case: Case) -> Iterator[str]:
    yield f"  case {case.id}, scene {case.scene}"
    texts = [query_line(query) for query in case.queries]
    width = max(map(len, texts))
    for text, query in zip(texts, case.queries, strict=True):
        yield f"    {text.ljust(width)}  ->  {answer_text(true_answer(query))}"
    yield f"    expected: {case.expected}"
    if (contrast := case.contrast) is not None:
        answer = answer_text(true_answer(contrast.query))
        yield f"    contrast, scene {contrast.scene}: {query_line(contrast.query)}  ->  {answer}: {contrast.expected}"


def _kind_lines(name: str) -> tuple[str, ...] | None:
    """Describes a kind of model, or of data that can be annotated; None if there is none of this name."""
    for kind in ModelCatalogue().kinds:
        if kind.name == name:
            settings = "any" if kind.settings is None else ", ".join(kind.settings) or "none"
            return _kind_page(f"--vqamt-model={kind.form}", kind.description, settings, kind.extra)
    if name in annotate.SETTINGS:
        settings = ", ".join(annotate.SETTINGS[name])
        return _kind_page(f"vqamt annotate {name}:DIR", dict(sources.describe())[name], settings, annotate.EXTRA)
    return None


def _kind_page(typed: str, description: str, settings: str, extra: str) -> tuple[str, ...]:
    needs = (f'needs     pip install "pytest-vqamt[{extra}]"',) if extra else ()
    return (typed, description, "", *needs, f"settings  {settings}", "page      docs/reference/models/index.md")
