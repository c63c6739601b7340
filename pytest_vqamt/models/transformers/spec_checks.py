"""Checks specs and settings before a worker starts and anything is loaded or downloaded."""

from __future__ import annotations

from functools import partial

from pytest_vqamt.models.base import ModelOptions
from pytest_vqamt.models.prompts import prompts_from
from pytest_vqamt.models.transformers.checkpoint import (
    Checkpoint,
    check_model_type,
    local_folder,
    read_checkpoint_config,
)
from pytest_vqamt.models.transformers.runtime import precision_of


def _check_spec(kind: str, model_types: tuple[str, ...], argument: str, options: ModelOptions) -> None:
    """Checks the settings, and ``config.json`` where the argument is a folder; ``model_types`` may be empty for any."""
    precision_of(options)
    prompts_from(options)
    folder = local_folder(argument, f"{kind}:") if argument else None
    if folder is None:
        return
    checkpoint = Checkpoint(folder=folder, name=argument)
    read_checkpoint_config(checkpoint)
    if model_types:
        check_model_type(checkpoint, model_types)


check_lxmert = partial(_check_spec, "lxmert", ("lxmert",))
check_visualbert = partial(_check_spec, "visualbert", ("visual_bert",))
check_vilt = partial(_check_spec, "vilt", ("vilt",))
check_blip = partial(_check_spec, "blip", ("blip",))
check_hf = partial(_check_spec, "hf", ())
