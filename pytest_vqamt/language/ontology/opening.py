"""The ontology that a setting names, read once a process."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.language.ontology.knowledge import Ontology
from pytest_vqamt.language.ontology.loading import read
from pytest_vqamt.language.ontology.merging import Draft

_OURS = ("ontology.toml", "classes.toml")


def ontology(path: str = "") -> Ontology:
    """Our ontology, with what the file at ``path`` adds to it or changes in it.

    Raises:
        OptionError: the file cannot be read, or something in it is wrong; one line names file, section and word.
    """
    return _opened(path)


@cache
def _opened(path: str) -> Ontology:
    draft = Draft()
    for name in _OURS:
        draft.add(read(Path(__file__).with_name(name).read_bytes(), where=name))
    if path:
        try:
            content = Path(path).expanduser().read_bytes()
        except OSError as error:
            raise OptionError(
                f"ontology={path!r}: expected a TOML file, and it could not be read ({error.strerror or error}); "
                "docs/ontology.md shows how one is written"
            ) from error
        draft.add(read(content, where=path))
    return draft.finished()
