"""``NAME=VALUE`` as ``--vqamt-option`` and ``vqamt describe --option`` take it."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from pytest_vqamt.core.errors import OptionError, did_you_mean
from pytest_vqamt.imaging.inpainting import method_of
from pytest_vqamt.relations.catalogue import settings_known
from pytest_vqamt.relations.edits import INPAINT


def settings_given(
    texts: Sequence[str], option: str, others: Collection[str] | None = ()
) -> tuple[dict[str, str], dict[str, str]]:
    """What the texts give to relations, and what to models and data, which take ``others``; all there are if None.

    The inpainter is resolved here: from now on this process knows its checkpoint by the digest that recipes carry.

    Raises:
        OptionError: a text is no NAME=VALUE, nobody takes the name, it cannot have the value, or has two.
    """
    known = {setting.name: setting for setting in settings_known()}
    of_relations: dict[str, str] = {}
    of_others: dict[str, str] = {}
    for text in texts:
        name, equals, value = (part.strip() for part in text.partition("="))
        if not name or not equals:
            raise OptionError(f"Expected {option}=NAME=VALUE, but got {text!r}")
        if name in of_relations or name in of_others:
            first = of_relations.get(name, of_others.get(name))
            raise OptionError(
                f"Expected {option}={name}=VALUE once, but got {text!r} after '{name}={first}': leave one of them off"
            )
        if name not in known and others is not None and name not in others:
            hint = did_you_mean(name, (*known, *others))
            raise OptionError(f"Expected {option} to name a setting, but got {text!r}; {hint}")
        if name not in known:
            of_others[name] = value
        elif known[name].takes(value):
            of_relations[name] = value
        else:
            values = ", ".join(known[name].values)
            raise OptionError(f"Expected {option}={name}=VALUE with one of {values}, but got {text!r}")
    if INPAINT.name in of_relations:
        method_of(of_relations[INPAINT.name])
    return of_relations, of_others
