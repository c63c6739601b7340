"""``vqamt new``: writes the files that a relation of one's own begins with."""

from __future__ import annotations

import argparse
from keyword import iskeyword
from pathlib import Path

from pytest_vqamt.commands.main import ExitStatus
from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.relations.catalogue import check_new_name

_RELATION = '''"""The relation {name}."""

from __future__ import annotations

import pytest_vqamt as vqamt


@vqamt.relation("{name}", expect=vqamt.same_answer)
def {function}(
    scene: vqamt.Scene, corpus: vqamt.Corpus, choose: vqamt.Chooser
) -> vqamt.Draft | vqamt.NotApplicable:
    """TODO: the claim of {name} in one sentence, which reports show."""
    if not scene.objects:
        return vqamt.NotApplicable(reason="nothing is annotated")
    thing = choose.one(scene.objects)
    # Change what follows: the second question, about the mirrored picture, must have the same answer.
    return vqamt.case(scene.picture, vqamt.ask.exists(thing), follow_up=scene.picture.mirror())
'''

_TEST = '''"""{name} is sound, and finds a fault."""

from __future__ import annotations

from collections.abc import Sequence

{statement}  # noqa: F401 - adds the relation

import pytest_vqamt as vqamt


class WrongOnceEdited:
    """The planted fault: right about a picture as it is, and wrong about an edited one."""

    def answer(self, batch: Sequence[vqamt.ModelInput]) -> list[str]:
        right = [vqamt.right_answer(each.query) for each in batch]
        return [wrong(text) if each.query.picture.edits else text for each, text in zip(batch, right, strict=True)]


def wrong(answer: str) -> str:
    if answer.isdigit():
        return str(int(answer) + 1)
    return {{"yes": "no", "no": "yes"}}.get(answer, "none of these")


def run(model: object) -> vqamt.Report:
    return vqamt.run(model=model, data="pictures:100", relations="{name}", max_cases=50)


def test_a_perfect_perceiver_never_violates_it() -> None:
    report = run("oracle")
    assert report.violations[:1] == ()  # a violation has the questions, their pictures and the right answers
    assert report.relations[0].pass_rate == 1


def test_it_finds_the_planted_fault() -> None:
    found = run(WrongOnceEdited()).relations[0].pass_rate
    assert found is not None
    assert found < 0.5
'''


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of the command."""
    parser.epilog = (
        "Writes a relation to change into your own, and a test of it: a perfect perceiver must never violate it, and "
        "it must find a planted fault. docs/tutorial/first-relation.md explains both."
    )
    parser.add_argument("what", choices=("relation",), help="what to write")
    parser.add_argument("name", metavar="NAME", help="a prefix of yours and a name: ours.zoom")
    parser.add_argument("-o", "--out", metavar="DIR", type=Path, default=Path(), help="the folder (default: this one)")


def run(arguments: argparse.Namespace) -> int:
    """Writes the files and prints what comes next.

    Raises:
        OptionError: the name cannot be used, or a file is there already.
    """
    name, folder = str(arguments.name), Path(arguments.out)
    check_new_name(name)
    function, module = name.partition(".")[2], name.replace(".", "_")
    # "ours.zoom" becomes the function zoom in ours_zoom.py.
    if not (function.isidentifier() and module.isidentifier()) or iskeyword(function):
        raise OptionError(f"Expected a prefix and a name that Python functions can have, but got NAME={name!r}")
    if not folder.is_dir():
        raise OptionError(f"Expected a folder that is there, but got --out={str(folder)!r}")
    # In a package, pytest imports the test by its package: a plain import would not find the module.
    statement = f"from . import {module}" if (folder / "__init__.py").exists() else f"import {module}"
    texts = {
        folder / f"{module}.py": _RELATION.format(name=name, function=function),
        folder / f"test_{module}.py": _TEST.format(name=name, statement=statement),
    }
    # Nothing of the user's is overwritten.
    if there := [str(file) for file in texts if file.exists()]:
        raise OptionError(f"Expected a name without files yet, but got NAME={name!r}, which has {', '.join(there)}")
    conftest = folder / "conftest.py"
    line = f"{statement}  # noqa: F401 - adds the relation to the session\n"
    has_conftest = conftest.exists()
    if not has_conftest:
        texts[conftest] = f'"""What is set up for the tests of this folder."""\n\n{line}'
    for file, text in texts.items():
        file.write_text(text, encoding="utf-8")
        print(f"wrote {file}")
    # A conftest.py of the user's is not edited: the line to add is printed.
    if has_conftest and statement not in conftest.read_text(encoding="utf-8"):
        print(f"to run it beside the others, add to {conftest}:\n    {line.rstrip()}")
    print(f"edit {folder / f'{module}.py'}: its claim (TODO), and what it asks")
    print(f"its test:   pytest {folder / f'test_{module}.py'}")
    print(f"its cases:  vqamt describe {module}:{function} --sheet sheet.png   (typed in {folder.resolve().name})")
    print(f"your model: pytest {folder} --vqamt-model=SPEC --vqamt-relations={name}")
    return ExitStatus.OK
