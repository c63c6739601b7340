"""What a checkpoint says it is."""

from __future__ import annotations

import json
from collections.abc import Mapping

from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.models.transformers.checkpoint import Checkpoint

ADAPTERS: Mapping[str, str] = {"vilt": "vilt", "blip": "blip", "lxmert": "lxmert", "visual_bert": "visualbert"}
"""The kinds of checkpoints that have an adapter of their own, and what its specs begin with."""


def config_of(checkpoint: Checkpoint) -> Mapping[str, object]:
    """What ``config.json`` holds.

    Raises:
        ModelError: there is none, or it is no JSON object.
    """
    file = checkpoint.folder / "config.json"
    try:
        read: object = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ModelError(
            f"Expected a checkpoint folder, but {str(checkpoint.folder)!r} has no config.json: give the folder that "
            "save_pretrained wrote, or that the hub's files were copied to"
        ) from None
    except (OSError, ValueError) as error:
        raise ModelError(f"Expected JSON in {file}, but it cannot be read ({error}): copy the file again") from error
    if not isinstance(read, dict):
        raise ModelError(f"Expected a JSON object in {file}, but got {type(read).__name__}: copy the file again")
    return read


def check_model_type(checkpoint: Checkpoint, expected: tuple[str, ...], advice: str = "") -> str:
    """The ``model_type`` of the checkpoint, one of ``expected``; ``advice`` ends the message where it is another.

    Raises:
        ModelError: it is another.
    """
    found = config_of(checkpoint).get("model_type")
    if not isinstance(found, str) or found not in expected:
        adapter = ADAPTERS.get(str(found))
        takes = f"give --vqamt-model={adapter}:" if adapter else "is it a checkpoint of another kind? many are for hf:"
        hint = advice or f"{takes}{checkpoint.name}"
        raise ModelError(
            f"Expected model_type {' or '.join(map(repr, expected))} in {checkpoint.folder / 'config.json'}, but got "
            f"model_type={found!r}; {hint}"
        )
    return found


def architecture_of(checkpoint: Checkpoint) -> str:
    """The first of ``architectures`` in the configuration; "" where there is none."""
    named = config_of(checkpoint).get("architectures")
    return str(named[0]) if isinstance(named, list) and named else ""
