"""Checkpoints whose weights are quantised: which package computes with them, told before anything is loaded."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec

from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.core.spelling import option

_ACCELERATE = ("accelerate", "pytest-vqamt[gpu]")

_PACKAGES: Mapping[str, tuple[tuple[str, str], ...]] = {
    "bitsandbytes": (_ACCELERATE, ("bitsandbytes", "bitsandbytes")),
    "gptq": (("optimum", "optimum"), ("gptqmodel", "gptqmodel")),
    "awq": (_ACCELERATE, ("gptqmodel", "gptqmodel")),
    "compressed-tensors": (("compressed_tensors", "compressed-tensors"),),
    "fp8": (_ACCELERATE,),
    "mxfp8": (_ACCELERATE,),
    "fbgemm_fp8": (_ACCELERATE, ("fbgemm_gpu", "fbgemm-gpu")),
    "mxfp4": (_ACCELERATE,),
    "torchao": (("torchao", "torchao"),),
    "hqq": (("hqq", "hqq"),),
    "auto-round": (("auto_round", "auto-round"),),
    "aqlm": (_ACCELERATE, ("aqlm", "aqlm[gpu,cpu]")),
    "eetq": (_ACCELERATE, ("kernels", "kernels")),
    "higgs": (_ACCELERATE, ("flute", "flute-kernel")),
    "spqr": (_ACCELERATE, ("spqr_quant", "spqr_quant[gpu]")),
    "vptq": (_ACCELERATE, ("vptq", "vptq")),
}
"""For each method of transformers 5.23 what it imports, and what to install for it."""

_GPU_ONLY = frozenset({"fbgemm_fp8", "eetq", "higgs", "spqr", "vptq", "nvfp4", "fp_quant", "sinq"})
"""Methods without a way to compute on a processor."""


def quantisation_of(config: Mapping[str, object]) -> str:
    """The method by which the weights are quantised, from config.json; "" where they are not.

    >>> quantisation_of({"quantization_config": {"quant_method": "awq", "bits": 4}}), quantisation_of({})
    ('awq', '')
    """
    found = config.get("quantization_config")
    if not isinstance(found, Mapping) or not found:
        return ""
    # The oldest files name no method, and there was one.
    if found.get("load_in_4bit") or found.get("load_in_8bit"):
        return "bitsandbytes"
    return str(found.get("quant_method") or "an unnamed method")


def check_quantised(name: str, method: str, *, on_gpu: bool) -> None:
    """Checks that what computes with weights of this ``method`` is there; ``name`` is the model's, in the message.

    Raises:
        ModelError: a package is missing, or a GPU.
    """
    what = f"Expected a model that can be computed here, but {name!r} is quantised ({method})"
    if not on_gpu and method in _GPU_ONLY:
        raise ModelError(
            f"{what}, which takes a GPU, and here is none, or {option('device')} names none: run it where there is "
            "one, or take the checkpoint that is not quantised"
        )
    if missing := [(package, named) for package, named in _PACKAGES.get(method, ()) if find_spec(package) is None]:
        packages = " and ".join(package for package, _ in missing)
        install = " ".join(f'"{named}"' if "[" in named else named for _, named in missing)
        raise ModelError(
            f"{what}, which takes {packages}, not installed here: pip install {install}, or take the checkpoint that "
            "is not quantised"
        )
