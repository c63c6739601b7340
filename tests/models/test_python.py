"""``python:module:factory`` finds what the user's code makes, and says what is wrong in one line."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from PIL import Image

from pytest_vqamt.core.conversation import Role, Turn
from pytest_vqamt.core.errors import DataError, ModelError, OptionError
from pytest_vqamt.core.meaning import Describe
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import Answer, ModelInput, Query, Task
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.python import load
from pytest_vqamt.models.wrapped import LoadedModel, wrap_model
from tests.rows import each_row

if TYPE_CHECKING:
    from PIL.Image import Image as PillowImage

    from tests.models.conftest import Ask


MODELS = """
import functools

class Fixed:
    def __init__(self, text="from the class"):
        self.text = text
    def answer(self, batch):
        return [self.text for _ in batch]

class NeedsPath:
    def __init__(self, path):
        self.path = path
    def answer(self, batch):
        return []

class Callable(Fixed):
    def __call__(self):
        raise AssertionError("a model is not called")

def factory():
    return Fixed("from the factory")

def optional_factory(path="weights"):
    return Fixed(f"from {path}")

def function(image, text):
    return f"{text} at {image.size}"

def function_factory():
    return function

partial_function = functools.partial(lambda prompt, image, text: prompt + text, "Q: ")
instance = Fixed("from the instance")
callable_instance = Callable("from the callable instance")

def wants_three(image, text, more):
    return "yes"

def fails():
    raise FileNotFoundError("no weights at here.bin")

def makes_nothing():
    return None

_private_thing = 3
"""


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a module of models in the current directory, which is not on the path."""
    (tmp_path / "users_models.py").write_text(MODELS, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [place for place in sys.path if place])
    monkeypatch.delitem(sys.modules, "users_models", raising=False)
    return "users_models"


def made(argument: str) -> LoadedModel:
    return wrap_model(f"python:{argument}", load(argument, ModelOptions()), ModelOptions())


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Fixed", "from the class"),
        ("factory", "from the factory"),
        ("optional_factory", "from weights"),
        ("instance", "from the instance"),
        ("callable_instance", "from the callable instance"),
        ("function", "how many? at (200, 100)"),
        ("function_factory", "how many? at (200, 100)"),
        ("partial_function", "Q: how many?"),
    ],
)
def test_what_a_name_may_be(ask: Ask, module: str, name: str, text: str) -> None:
    model = made(f"{module}:{name}")
    assert model.ask(Task.VQA, [ask(text="how many?")]) == (Answer(text),)
    assert (model.name, model.persistent) == (f"python:{module}:{name}", False)


def test_the_current_directory_is_searched_once(module: str, tmp_path: Path) -> None:
    made(f"{module}:factory")
    made(f"{module}:instance")
    assert sys.path.count(str(tmp_path)) == 1


def test_a_module_inside_a_package(module: str, tmp_path: Path) -> None:
    package = tmp_path / "users_package"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "models.py").write_text(MODELS, encoding="utf-8")
    assert made("users_package.models:factory").tasks == (Task.VQA,)


@pytest.mark.skipif(sys.version_info < (3, 14), reason="annotations are evaluated when the function is defined")
def test_annotations_may_name_what_only_type_checkers_import(module: str, tmp_path: Path) -> None:
    (tmp_path / "users_typed.py").write_text("def respond(image: Image, text: str) -> str:\n    return text\n")
    assert made("users_typed:respond").tasks == (Task.VQA,)


@each_row("argument", ["users_models", "", ":", "m:", ":f", "models/vqa.py:f", "..models:f", "m:f:g"])
def test_what_names_no_module_and_factory_is_refused(argument: str) -> None:
    with pytest.raises(OptionError) as told:
        load(argument, ModelOptions())
    assert str(told.value) == (
        f"Expected python:module:factory, such as python:my_models:load, but got model={f'python:{argument}'!r}"
    )


@pytest.mark.parametrize("missing", ["users_modles", "users_modles.vqa", "users_models.vqa"])
def test_a_module_that_does_not_exist_is_refused(module: str, missing: str, tmp_path: Path) -> None:
    with pytest.raises(OptionError) as told:
        load(f"{missing}:factory", ModelOptions())
    absent = missing if missing.startswith("users_models") else "users_modles"
    assert str(told.value) == (
        f"Expected a module that can be imported from {tmp_path} or is installed, but there is none called {absent!r}, "
        f"in model='python:{missing}:factory'"
    )


def test_a_module_that_imports_something_missing_is_told_apart(module: str, tmp_path: Path) -> None:
    (tmp_path / "users_other.py").write_text("import there_is_no_such_module", encoding="utf-8")
    with pytest.raises(ModelError) as told:
        load("users_other:factory", ModelOptions())
    assert str(told.value) == (
        "Importing module 'users_other' for model='python:users_other:factory' raised "
        "ModuleNotFoundError: No module named 'there_is_no_such_module'"
    )
    assert isinstance(told.value.__cause__, ModuleNotFoundError)


def test_a_module_with_a_syntax_error(module: str, tmp_path: Path) -> None:
    (tmp_path / "users_broken.py").write_text("def factory(:", encoding="utf-8")
    with pytest.raises(ModelError, match=r"^Importing module 'users_broken' for model=.* raised SyntaxError: "):
        load("users_broken:factory", ModelOptions())


def test_a_name_that_the_module_lacks_is_refused(module: str, tmp_path: Path) -> None:
    with pytest.raises(OptionError) as told:
        load(f"{module}:factry", ModelOptions())
    assert str(told.value) == (
        f"Expected a name that module 'users_models' ({tmp_path / 'users_models.py'}) defines, but got 'factry' "
        "in model='python:users_models:factry'; did you mean 'factory'?"
    )


def test_private_names_are_not_suggested(module: str) -> None:
    with pytest.raises(OptionError, match="known: functools, Fixed, "):
        load(f"{module}:_privat_thing", ModelOptions())


@pytest.mark.parametrize(
    ("name", "raised"),
    [
        ("fails", "FileNotFoundError: no weights at here.bin"),
        ("NeedsPath", "TypeError: NeedsPath.__init__() missing 1 required positional argument: 'path'"),
    ],
)
def test_a_factory_that_raises(module: str, name: str, raised: str) -> None:
    with pytest.raises(ModelError) as told:
        load(f"{module}:{name}", ModelOptions())
    assert str(told.value) == f"The factory of model='python:users_models:{name}' raised {raised}"
    assert told.value.__cause__ is not None


def test_an_error_of_ours_is_passed_on(module: str, tmp_path: Path) -> None:
    (tmp_path / "users_data.py").write_text(
        "from pytest_vqamt.core.errors import DataError\ndef factory():\n    raise DataError('row 3 is wrong')\n",
        encoding="utf-8",
    )
    with pytest.raises(DataError, match=r"^row 3 is wrong$"):
        load("users_data:factory", ModelOptions())


@pytest.mark.parametrize("name", ["wants_three", "makes_nothing", "_private_thing"])
def test_what_is_no_model_is_refused(module: str, name: str) -> None:
    with pytest.raises(ModelError, match=rf"^Expected model 'python:users_models:{name}' to be an object with"):
        made(f"{module}:{name}")


MY_CHAT = Path(__file__).parents[2] / "docs" / "reference" / "models" / "index.md"


@pytest.fixture
def chat(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The class of the docs that takes several pictures and turns."""
    code = MY_CHAT.read_text(encoding="utf-8").split("# my_chat.py\n")[1].split("```")[0]
    (tmp_path / "my_chat.py").write_text(code, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "my_chat", raising=False)
    return "my_chat:MyChat"


def conversing(*turns: Turn) -> ModelInput:
    def drawn(picture: Picture) -> PillowImage:
        return Image.new("RGB", (8, 8), "red" if picture.edits else "blue")

    return ModelInput(Query.of(*turns, meaning=Describe()), drawn)


def test_the_model_of_the_docs_sees_turns_and_all_pictures(chat: str, yard: Scene) -> None:
    model = made(chat)
    blue, red = yard.picture, yard.picture.mirror()
    asked = [
        conversing(Turn((blue, red, "Are they the same?"))),
        conversing(Turn((blue, "See?")), Turn(("Yes.",), Role.ASSISTANT), Turn((red, "And now?"))),
        conversing(Turn((blue, red, blue, "Are the first and the last the same?"))),
        conversing(Turn((blue, "What?"))),
        conversing(Turn(("First:", blue, "What?"))),
        conversing(Turn(("Be brief.",), Role.SYSTEM), Turn((blue, "What?"))),
    ]
    assert model.ask(Task.VQA, asked) == (
        Answer("no"),
        Answer("no"),
        Answer("yes"),
        Answer("yes"),
        Answer("", declined="the model does not take text before a picture"),
        Answer("", declined="the model does not take system messages"),
    )


def test_an_input_has_its_turns_its_parts_and_its_images_in_order(yard: Scene) -> None:
    blue, red = yard.picture, yard.picture.mirror()
    item = conversing(
        Turn(("Be brief.",), Role.SYSTEM),
        Turn(("One:", red, blue)),
        Turn(("I see.",), Role.ASSISTANT),
        Turn((red, "Which?")),
    )

    def seen(parts: Sequence[str | PillowImage]) -> list[object]:
        return [part if isinstance(part, str) else part.getpixel((0, 0)) for part in parts]

    of_red, of_blue = (255, 0, 0), (0, 0, 255)
    assert [(turn.role, seen(turn.parts)) for turn in item.turns] == [
        ("system", ["Be brief."]),
        ("user", ["One:", of_red, of_blue]),
        ("assistant", ["I see."]),
        ("user", [of_red, "Which?"]),
    ]
    assert seen(item.parts) == ["Be brief.", "One:", of_red, of_blue, "I see.", of_red, "Which?"]
    assert seen(item.images) == [of_red, of_blue, of_red]
    plain = conversing(Turn((red, "Which?")))
    assert [(turn.role, seen(turn.parts)) for turn in plain.turns] == [("user", [of_red, "Which?"])]


def test_a_function_of_one_picture_is_given_no_conversation(module: str, yard: Scene) -> None:
    model = made(f"{module}:function")
    asked = conversing(Turn((yard.picture, yard.picture.mirror(), "Which?")))
    assert model.ask(Task.VQA, [asked]) == (Answer("", declined="the model does not take several pictures"),)


def test_a_function_cannot_take_a_conversation() -> None:
    def see(image: object, text: str) -> str:
        return "yes"

    see.takes = ("pictures",)  # type: ignore[attr-defined]  # as a user might write it
    with pytest.raises(ModelError, match="it is a function of one image and one text: write a class"):
        wrap_model("python:a:b", see, ModelOptions())
