"""Writes what lists what the code knows: pages of options, commands and relations, and the schemas of its files.

python -m tools.reference
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from pytest_vqamt.commands.main import GROUPS, command_parser
from pytest_vqamt.core.case import RelationInfo, RelationSetting
from pytest_vqamt.integration.options import OPTIONS
from pytest_vqamt.models.catalogue import MODELS
from pytest_vqamt.relations import catalogue
from pytest_vqamt.relations.presets import PRESETS
from tools.report_schema import probe_schema, report_schema

REFERENCE = Path(__file__).parents[1] / "docs" / "reference"

_PAGES = {
    "metavqa": "metavqa.md",
    "carets": "carets.md",
    "veglue": "entailment.md",
    "corruption": "entailment.md",
    "text": "entailment.md",
    "metaic": "captions.md",
    "caption": "captions.md",
    "basic_questions": "basic-questions.md",
    "control": "",
    "spatial": "views.md",
    "view": "views.md",
    "count": "views.md",
    "lead": "chat.md",
    "absent": "chat.md",
    "multi": "conversations.md",
    "turn": "conversations.md",
    "film": "conversations.md",
    "form": "files.md",
    "negation": "chat.md",
    "choice": "chat.md",
    "overlay": "chat.md",
    "agree": "forms.md",
    "think": "forms.md",
    "lang": "forms.md",
    "question": "../../how-to/questions.md",
}
"""The page that says more of a family."""


def pages() -> dict[Path, str]:
    """The text of each page by its path."""
    return {
        REFERENCE / "options.md": _page(options()),
        REFERENCE / "commands.md": _page(commands()),
        REFERENCE / "relations" / "index.md": _page(relations()),
        REFERENCE.parents[1] / "pytest_vqamt" / "reporting" / "report.schema.json": report_schema(),
        REFERENCE.parents[1] / "pytest_vqamt" / "probing" / "probe.schema.json": probe_schema(),
    }


def options() -> Iterator[str]:
    """The lines of the page of pytest's options."""
    yield from (
        "# Options of pytest",
        "",
        "All options of the plugin, as `pytest --help` has them. Most can stand in the ini file, under the same name",
        "with underscores. There an option that may be given again takes one value a line:",
        "",
        "```toml",
        "[tool.pytest.ini_options]",
        'vqamt_model = ["tiny"]',
        'vqamt_fail_under = ["0.8", "carets.*=0.9"]',
        'vqamt_max_cases = "200"',
        "```",
        "",
        "Where the ini file names the model, relations run if the command line has any option of the plugin, or a test",
        "takes `vqamt_consistency`. A plain `pytest` runs your other tests alone.",
        "",
        "The command line wins over the ini file. `vqamt.run` has arguments for most options, which it checks alike.",
        "An option without a value in the ini file is as good as left off. On the command line and in Python an empty",
        "value is a mistake, but for `--vqamt-exclude`, `--vqamt-preset` and `--vqamt-dtype`: there it is none.",
        "",
        "Write options that take a path with `=`: in `--vqamt-report out`",
        "pytest takes an existing folder `out` for a second folder of tests.",
        "",
        "`--vqamt-model=NAME=SPEC` and `--vqamt-data=NAME=SPEC` give a model or data a short name of letters, digits,",
        "`_` and `-`: `--vqamt-model=ours=hf:org/model --vqamt-data=val=coco:/data/coco/val2017`. The ids of tests,",
        "tables, the page, replay commands and baselines show the name, and `report.json` has the spec beside it. The",
        "name is before the first colon, so `hf:org/model,trust=1` and `photos:DIR/split=val` have none. It changes",
        "neither cases nor cached answers.",
        "",
        "`--vqamt-relations=metavqa` is `metavqa.*`: the bare name of a family is all its relations, also in",
        "`--vqamt-exclude` and in gates.",
        "",
    )
    rows = (
        (
            f"`{_typed(each.name, each.metavar)}`",
            "yes" if each.has_ini else "no",
            f"`{each.argument}`" if each.argument else "-",
            each.help,
        )
        for each in OPTIONS
    )
    yield from _table("option", "ini", "`vqamt.run`", "meaning", rows=rows)
    yield from (
        "",
        "## Settings: `--vqamt-option NAME=VALUE`",
        "",
        "Of all relations, or of those that have them (`vqamt describe RELATION`):",
        "",
    )
    known = (*catalogue.RUN_SETTINGS, *catalogue.settings_known())
    yield from _table("setting", "values", "default", "meaning", rows=map(_setting, known))
    yield from ("", "Of models. The page of the model says what each does:", "")
    models = (
        (f"`{each.name}`", "any" if each.settings is None else ", ".join(f"`{name}`" for name in each.settings))
        for each in MODELS
        if each.settings is None or each.settings
    )
    yield from _table("model", "settings", rows=models)


def _setting(setting: RelationSetting) -> tuple[str, ...]:
    values = ", ".join(f"`{value}`" for value in setting.values)
    return f"`{setting.name}`", values, f"`{setting.default}`" if setting.default else "-", setting.meaning


def commands() -> Iterator[str]:
    """The lines of the page of commands."""
    yield from (
        "# The `vqamt` command",
        "",
        "A command ends with 0 where all is well, with 1 where it found what it looks for (a missed gate, a case that",
        "is still violated), and with 2 where something has to be changed first.",
        "",
        "An option that pytest has, too, is called the same without `vqamt-`: `--vqamt-model` is `--model` here. With",
        "`vqamt-` it is taken, too.",
        "",
        'With `pip install -e ".[completion]"`, the Tab key completes commands, options, and the names of relations,',
        "models, data and planted faults, after one line in the shell's own file:",
        "",
        "| shell | file | line |",
        "|---|---|---|",
        '| bash | `~/.bashrc` | `eval "$(register-python-argcomplete vqamt)"` |',
        '| zsh | `~/.zshrc`, after `compinit` | `eval "$(register-python-argcomplete vqamt)"` |',
        "| fish | `~/.config/fish/config.fish` | `register-python-argcomplete --shell fish vqamt \\| source` |",
        "",
        "With `pytest` in the place of `vqamt`, the values of `--vqamt-relations`, `--vqamt-preset`,",
        "`--vqamt-model` and `--vqamt-data` are completed, too (pytest 9).",
    )
    for group, names in GROUPS.items():
        yield from ("", f"## {group}")
        for name, purpose in names.items():
            yield from _command(name, purpose)


def _command(name: str, purpose: str) -> Iterator[str]:
    yield from ("", f"### `vqamt {name}`", "", f"{purpose[0].upper()}{purpose[1:]}.", "")
    parser = command_parser(name)
    actions = [each for each in parser._actions if each.help is not argparse.SUPPRESS and each.dest != "help"]
    rows = [(_argument(each), _help(each)) for each in actions]
    if rows:
        yield from _table("argument", "meaning", rows=rows)
    if parser.epilog:
        yield from ("", parser.epilog)


def _argument(action: argparse.Action) -> str:
    metavar = action.metavar if isinstance(action.metavar, str) else "|".join(map(str, action.choices or ()))
    if not action.option_strings:
        return f"`{metavar or action.dest}{'...' if action.nargs in {'+', '*'} else ''}`"
    value = "" if action.nargs == 0 else metavar or action.dest.upper()
    return ", ".join(f"`{_typed(name, value)}`" for name in action.option_strings)


def _help(action: argparse.Action) -> str:
    return re.sub(r"%\((\w+)\)s", lambda found: str(getattr(action, found[1])), action.help or "").replace("%%", "%")


def relations() -> Iterator[str]:
    """The lines of the page of relations."""
    infos = [catalogue.get(name).info for name in catalogue.BUILT_IN]
    yield from (
        "# Relations",
        "",
        f"All {len(infos)} relations, by the failure that they find. A pattern runs a family, a relation or a variant:",
        "`--vqamt-relations='carets.*,metavqa.cutting[count]'`. `vqamt describe RELATION` says more of each: what it",
        "derives, what can be set, and where it deviates from its paper.",
        "",
        "*On request*: it runs where a pattern begins with its family, or where a preset has it. *Baseline*:",
        "reported, and gated only where a pattern names it. *Control*: the noise floor, never gated.",
        "",
        "Two more pages: [what applies to which data](../applies.md), [which fault each finds](../faults.md).",
        "",
        "![metavqa.removal_plus: the only dog is erased, and the count must be one less](../../images/metavqa.png)",
    )
    for kind in (*catalogue.KINDS, catalogue.OTHER):
        found = [each for each in infos if catalogue.kind_of(each.name) == kind]
        if found:
            yield from ("", f"## {kind[0].upper()}{kind[1:]}", "")
            yield from _table("relation", "claim", "variants", "about", rows=map(_relation, found))
    yield from (
        "",
        "## Presets",
        "",
        "`--vqamt-preset=NAME` runs relations with settings. Where no relations are named, `openai:`, `hf:` and",
        "`served:` models have `today`, `questions:` data have `questions`, and all others have `quick`. Only `oracle`",
        "and `fault:` then run all but those on request, as `--vqamt-relations=all` does. The presets of papers have",
        "their published settings, so that",
        "figures compare.",
        "",
    )
    rows = (
        (
            f"`{name}`",
            ", ".join(f"`{each}`" for each in preset.relations),
            ", ".join(f"`{key}={value}`" for key, value in preset.settings.items()) or "-",
        )
        for name, preset in PRESETS.items()
    )
    yield from _table("preset", "relations", "settings", rows=rows)
    yield from ("", "## Sources", "")
    yield from _table("relation", "source", rows=_sources(infos))


def _relation(info: RelationInfo) -> tuple[str, ...]:
    page = _PAGES[info.name.partition(".")[0]]
    name = f"[`{info.name}`]({page})" if page else f"`{info.name}`"
    tags = (*info.tags, "on request") if info.name in catalogue.ON_REQUEST else info.tags
    tasks = dict.fromkeys(task for variant in info.variants for task in info.tasks(variant))
    variants = ", ".join(f"`{variant}`" for variant in info.variants if variant)
    return name, info.claim + "".join(f" *{tag}*" for tag in tags), variants, ", ".join(tasks)


def _sources(infos: Iterable[RelationInfo]) -> Iterator[tuple[str, ...]]:
    by_source: dict[str, list[str]] = {}
    for info in infos:
        by_source.setdefault(info.source, []).append(f"`{info.name}`")
    yield from ((", ".join(names), source) for source, names in by_source.items())


def _typed(name: str, value: str | None) -> str:
    return f"{name} {value}" if value else name


def _table(*head: str, rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield f"|{'---|' * len(head)}"
    yield from (f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |" for row in rows)


def _page(lines: Iterable[str]) -> str:
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    for path, text in pages().items():
        path.write_text(text, encoding="utf-8")
