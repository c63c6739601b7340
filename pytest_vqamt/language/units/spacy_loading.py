"""spaCy and its models, where they are installed; what is read of them, as types."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Protocol, overload

from pytest_vqamt.core.errors import OptionError

MODEL = "en_core_web_sm"
"""What is loaded where no model is named."""


class Token(Protocol):
    """A word (spacy.io/api/token)."""

    @property
    def i(self) -> int: ...
    @property
    def text(self) -> str: ...
    @property
    def lemma_(self) -> str: ...
    @property
    def dep_(self) -> str: ...
    @property
    def pos_(self) -> str: ...
    @property
    def tag_(self) -> str: ...
    @property
    def doc(self) -> Doc: ...
    @property
    def head(self) -> Token: ...
    @property
    def children(self) -> Iterable[Token]: ...
    @property
    def subtree(self) -> Iterable[Token]: ...


class Span(Protocol):
    """Words that follow each other (spacy.io/api/span)."""

    @property
    def start(self) -> int: ...
    @property
    def root(self) -> Token: ...
    @property
    def text(self) -> str: ...


class Doc(Protocol):
    """A parsed text (spacy.io/api/doc)."""

    @property
    def noun_chunks(self) -> Iterable[Span]: ...
    @overload
    def __getitem__(self, place: int, /) -> Token: ...
    @overload
    def __getitem__(self, places: slice, /) -> Span: ...


@cache
def load(model: str) -> Callable[[str], Doc]:
    """The pipeline of a model, by its name or folder; loaded once a process.

    Raises:
        OptionError: spaCy or the model is not installed, or cannot be loaded.
    """
    if find_spec("spacy") is None:
        raise OptionError(
            f"Expected the package spacy for units by spacy:{model}, but it is not installed: "
            f"pip install spacy && python -m spacy download {MODEL}, or leave it to the rules (--by rules)"
        )
    try:
        pipeline: Callable[[str], Doc] = import_module("spacy").load(model)
    except (OSError, ValueError, ImportError) as error:
        told = str(error).partition("\n")[0]
        raise OptionError(
            f"Expected an English model of spaCy, but got model={model!r}, which cannot be loaded ({told}): "
            f"python -m spacy download {model}"
        ) from error
    return pipeline
