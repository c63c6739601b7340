"""Specs name models; listing imports none, and a wrong spec gets one line that helps."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Never

import pytest

from pytest_vqamt.core.errors import ModelError, OptionError, VqamtError
from pytest_vqamt.core.meaning import Count, Group
from pytest_vqamt.core.query import Answer, Task
from pytest_vqamt.models.catalogue import MODELS, ModelCatalogue, ModelKind
from pytest_vqamt.models.protocol import ModelOptions
from tests.rows import each_row

if TYPE_CHECKING:
    from PIL.Image import Image

    from tests.models.conftest import Ask


DEFAULTS = ModelOptions()


def respond(image: Image, text: str) -> str:
    return "yes"


def makes_respond(argument: str, options: ModelOptions) -> object:
    return respond


@pytest.fixture
def catalogue(monkeypatch: pytest.MonkeyPatch) -> ModelCatalogue:
    """A catalogue of what comes with this package, whatever else is installed."""
    monkeypatch.setattr("pytest_vqamt.models.catalogue.entry_points", lambda **_group: ())
    return ModelCatalogue()


@pytest.fixture
def plugin_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The metadata of an installed package that adds the kind ``vendor``."""
    (tmp_path / "vendor_models.py").write_text(
        "def load(argument, options):\n    return lambda image, text: argument\n"
    )
    metadata = tmp_path / "vendor_vqa-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: vendor-vqa\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text("[pytest_vqamt.models]\nvendor = vendor_models:load\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "vendor_models", raising=False)
    return metadata


def refusal(catalogue: ModelCatalogue, spec: str) -> str:
    with pytest.raises(OptionError) as told:
        catalogue.load(spec, DEFAULTS)
    return str(told.value)


def test_the_kinds_that_come_with_the_package_in_order(catalogue: ModelCatalogue) -> None:
    forms = [form for form, _ in catalogue.describe()]
    assert forms == [
        "tiny",
        "lxmert[:PATH]",
        "visualbert[:PATH]",
        "vilt[:PATH]",
        "blip[:PATH]",
        "hf:REPO-OR-PATH",
        "openai:MODEL@URL",
        "served:URL",
        "python:module:factory",
        "answers:FILE",
        "oracle",
        "fault:NAME",
    ]
    assert all(line and "\n" not in line for _, line in catalogue.describe())


@each_row("kind", MODELS)
def test_every_factory_is_where_the_table_says(kind: ModelKind) -> None:
    assert isinstance(kind.factory, str)
    module, _, name = kind.factory.partition(":")
    assert callable(getattr(import_module(module), name))


def test_describing_imports_no_adapter() -> None:
    code = (
        "import sys; from pytest_vqamt.models.catalogue import ModelCatalogue; ModelCatalogue().describe();"
        "print(sorted(name for name in sys.modules if name.startswith('pytest_vqamt.models.')))"
    )
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    light = ("batching", "catalogue", "guarded", "lost_device", "prompts", "protocol", "time_limit", "wrapped")
    assert printed.strip() == str([f"pytest_vqamt.models.{name}" for name in light])


def test_a_spec_without_argument(catalogue: ModelCatalogue, ask: Ask) -> None:
    model = catalogue.load("oracle", DEFAULTS)
    assert model.name == "oracle"
    assert model.ask(Task.VQA, [ask(Count(groups=(Group(name="dog"),)))]) == (Answer("3"),)


def test_a_spec_with_argument(catalogue: ModelCatalogue, ask: Ask) -> None:
    model = catalogue.load("fault:off-by-one", DEFAULTS)
    assert model.name == "fault:off-by-one"
    assert model.ask(Task.VQA, [ask(Count(groups=(Group(name="dog"),)))]) == (Answer("4"),)


def test_an_argument_may_hold_colons(
    catalogue: ModelCatalogue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "colon_models.py").write_text("def respond(image, text):\n    return 'yes'\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    assert catalogue.load("python:colon_models:respond", DEFAULTS).name == "python:colon_models:respond"


def test_answers_are_read_from_the_file_named(catalogue: ModelCatalogue, tmp_path: Path) -> None:
    model = catalogue.load(f"answers:{tmp_path / 'rows.jsonl'}", DEFAULTS)
    assert model.deferred is not None
    assert model.deferred.todo_file == tmp_path / "rows.jsonl.todo.jsonl"


def test_options_reach_the_model(catalogue: ModelCatalogue) -> None:
    assert catalogue.load("oracle", ModelOptions(batch_size=5)).batch_size == 5


def test_an_unknown_kind_is_refused_with_the_nearest(catalogue: ModelCatalogue) -> None:
    assert refusal(catalogue, "tinny") == (
        "Expected --vqamt-model to begin with a kind of model, but got 'tinny'; did you mean 'tiny'?"
    )


def test_a_module_with_a_factory_is_guessed(catalogue: ModelCatalogue) -> None:
    assert refusal(catalogue, "my_models:load").endswith("; did you mean 'python:my_models:load'?")


def test_an_empty_model_is_refused_with_an_example(catalogue: ModelCatalogue) -> None:
    assert refusal(catalogue, "").endswith("got ''; name one, such as tiny or python:MODULE:NAME (vqamt list)")


@each_row("spec", ["gpt", "llava:org/name"])
def test_an_unknown_kind_is_refused_with_all_that_there_are(catalogue: ModelCatalogue, spec: str) -> None:
    assert refusal(catalogue, spec) == (
        f"Expected --vqamt-model to begin with a kind of model, but got {spec!r}; "
        f"known: {', '.join(kind.name for kind in MODELS)}"
    )


@each_row(
    "spec, form",
    [
        ("fault", "fault:NAME"),
        ("fault:", "fault:NAME"),
        ("answers:", "answers:FILE"),
        ("python", "python:module:factory"),
        ("hf", "hf:REPO-OR-PATH"),
    ],
)
def test_a_missing_argument_is_refused(catalogue: ModelCatalogue, spec: str, form: str) -> None:
    assert refusal(catalogue, spec) == f"Expected --vqamt-model={form}, but got {spec!r}"


@each_row("spec", ["oracle:perfect", "oracle:", "tiny:large"])
def test_a_needless_argument_is_refused(catalogue: ModelCatalogue, spec: str) -> None:
    name = spec.partition(":")[0]
    assert refusal(catalogue, spec) == f"Expected --vqamt-model={name} with nothing after it, but got {spec!r}"


def test_an_unknown_fault_is_refused(catalogue: ModelCatalogue) -> None:
    assert refusal(catalogue, "fault:off-by-on") == (
        "Expected a planted fault, but got model='fault:off-by-on'; did you mean 'fault:off-by-one'?"
    )


def test_a_registered_kind(catalogue: ModelCatalogue, ask: Ask) -> None:
    seen: list[tuple[str, ModelOptions]] = []

    def factory(argument: str, options: ModelOptions) -> object:
        seen.append((argument, options))
        return respond

    catalogue.register("ours", factory, "the model of this team")
    assert catalogue.load("ours:v2:fast", DEFAULTS).ask(Task.VQA, [ask()]) == (Answer("yes"),)
    assert catalogue.load("ours", DEFAULTS).name == "ours"
    assert seen == [("v2:fast", DEFAULTS), ("", DEFAULTS)]
    assert catalogue.describe()[-1] == ("ours", "the model of this team")


def test_what_is_registered_belongs_to_its_catalogue_alone(catalogue: ModelCatalogue) -> None:
    ModelCatalogue().register("ours", makes_respond)
    assert "ours" not in {kind.name for kind in catalogue.kinds}


def test_a_taken_name_cannot_be_registered(catalogue: ModelCatalogue) -> None:
    catalogue.register("ours", makes_respond)
    for name, owner in (("ours", "a hook"), ("tiny", "pytest-vqamt")):
        with pytest.raises(OptionError) as told:
            catalogue.register(name, makes_respond)
        assert str(told.value) == (
            f"Expected a new name to register a kind of model, but got name={name!r}, which {owner} has"
        )


@each_row("name", ["", "a:b", "a=b", " ours"])
def test_a_name_that_no_spec_can_begin_with_cannot_be_registered(catalogue: ModelCatalogue, name: str) -> None:
    with pytest.raises(OptionError, match=rf"without ':' and '=' to register a kind of model, but got name={name!r}$"):
        catalogue.register(name, makes_respond)


def test_an_installed_package_adds_a_kind(plugin_package: Path, ask: Ask) -> None:
    catalogue = ModelCatalogue()
    assert ("vendor", "from the package vendor-vqa") in catalogue.describe()
    assert "vendor_models" not in sys.modules
    assert catalogue.load("vendor:v1", DEFAULTS).ask(Task.VQA, [ask()]) == (Answer("v1"),)


def test_two_kinds_of_one_name_are_told_apart_by_refusing(plugin_package: Path) -> None:
    (plugin_package / "entry_points.txt").write_text("[pytest_vqamt.models]\noracle = vendor_models:load\n")
    assert refusal(ModelCatalogue(), "oracle") == (
        "Expected one kind of model called 'oracle', but got one each from pytest-vqamt and vendor-vqa"
    )


def test_a_missing_extra_says_how_to_install_it(catalogue: ModelCatalogue, monkeypatch: pytest.MonkeyPatch) -> None:
    def factory(argument: str, options: ModelOptions) -> Never:
        raise ModuleNotFoundError("No module named 'torch._C'", name="torch._C")

    kind = ModelKind(name="heavy", factory=factory, description="", extra="transformers")
    monkeypatch.setattr("pytest_vqamt.models.catalogue.MODELS", (kind,))
    assert refusal(catalogue, "heavy") == (
        "Expected what model='heavy' needs to be installed, but there is no torch._C; "
        'run: pip install "pytest-vqamt[transformers]"'
    )


def test_a_missing_module_of_ours_is_no_missing_extra(
    catalogue: ModelCatalogue, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind = ModelKind(name="heavy", factory="pytest_vqamt.models.lost:load", description="", extra="transformers")
    monkeypatch.setattr("pytest_vqamt.models.catalogue.MODELS", (kind,))
    with pytest.raises(ModelError, match=r"raised ModuleNotFoundError: No module named 'pytest_vqamt\.models\.lost'$"):
        catalogue.load("heavy", DEFAULTS)


def test_tiny_names_its_extra() -> None:
    assert [kind.extra for kind in MODELS if kind.name == "tiny"] == ["demo"]


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (ValueError("bad weights"), "ValueError: bad weights"),
        (ModuleNotFoundError("No module named 'vendor_core'", name="vendor_core"), "ModuleNotFoundError: No module"),
    ],
)
def test_a_factory_that_raises(catalogue: ModelCatalogue, error: Exception, told: str) -> None:
    def factory(argument: str, options: ModelOptions) -> Never:
        raise error

    catalogue.register("ours", factory)
    with pytest.raises(ModelError) as raised:
        catalogue.load("ours:v1", DEFAULTS)
    assert str(raised.value).startswith(f"Loading model='ours:v1' raised {told}")
    assert raised.value.__cause__ is error


def test_an_entry_point_to_nowhere_is_one_line(plugin_package: Path) -> None:
    (plugin_package / "entry_points.txt").write_text("[pytest_vqamt.models]\nvendor = vendor_models:lost\n")
    with pytest.raises(ModelError, match=r"^Loading model='vendor' raised AttributeError: .*'lost'"):
        ModelCatalogue().load("vendor", DEFAULTS)


def test_errors_of_ours_are_passed_on(catalogue: ModelCatalogue) -> None:
    def factory(argument: str, options: ModelOptions) -> Never:
        raise VqamtError("mend this")

    catalogue.register("ours", factory)
    with pytest.raises(VqamtError, match=r"^mend this$"):
        catalogue.load("ours", DEFAULTS)


def test_who_takes_which_settings() -> None:
    catalogue = ModelCatalogue()
    catalogue.register("theirs", makes_respond, "made by a hook")
    assert catalogue.kind("theirs:x").settings is None
    assert catalogue.kind("oracle").settings == ()
