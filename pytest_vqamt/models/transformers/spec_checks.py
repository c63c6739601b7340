"""What is wrong with a spec and its settings, told before any worker starts and anything is loaded or fetched."""

from __future__ import annotations

from functools import partial

from pytest_vqamt.models.base import ModelOptions
from pytest_vqamt.models.prompts import prompts_of
from pytest_vqamt.models.transformers.checkpoint import Checkpoint, check_model_type, config_of, local_folder
from pytest_vqamt.models.transformers.runtime import precision_of


def _check(kind: str, model_types: tuple[str, ...], argument: str, options: ModelOptions) -> None:
    """Looks at the settings, and at ``config.json`` where the argument is a folder.

    Raises:
        OptionError: a setting cannot be.
        ModelError: there is no such folder, or it holds no checkpoint of one of ``model_types``; of any where empty.
    """
    precision_of(options)
    prompts_of(options)
    folder = local_folder(argument, f"{kind}:") if argument else None
    if folder is None:
        return
    checkpoint = Checkpoint(folder=folder, name=argument)
    config_of(checkpoint)
    if model_types:
        check_model_type(checkpoint, model_types)


check_lxmert = partial(_check, "lxmert", ("lxmert",))
check_visualbert = partial(_check, "visualbert", ("visual_bert",))
check_vilt = partial(_check, "vilt", ("vilt",))
check_blip = partial(_check, "blip", ("blip",))
check_hf = partial(_check, "hf", ())
