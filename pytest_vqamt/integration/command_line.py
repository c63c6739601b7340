"""The command line of this session, as far as a later one must repeat it."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import TYPE_CHECKING

from pytest_vqamt.integration.options import given_all
from pytest_vqamt.models.registry import Catalogue

if TYPE_CHECKING:
    import pytest


_OPTIONS = {
    "-c": "inifilename",
    "--rootdir": "rootdir",
    "-p": "plugins",
    "-o": "override_ini",
    "--vqamt-cache": "vqamt_cache",
    "--vqamt-seed": "vqamt_seed",
    "--vqamt-sampler": "vqamt_sampler",
    "--vqamt-max-cases": "vqamt_max_cases",
    "--vqamt-device": "vqamt_device",
    "--vqamt-dtype": "vqamt_dtype",
    "--vqamt-option": "vqamt_option",
    "--vqamt-preset": "vqamt_preset",
    "--vqamt-baseline": "vqamt_baseline",
    "--vqamt-allow-bad-records": "vqamt_allow_bad_records",
}
"""What decides which conftest files and settings there are, which cases are drawn, and what a model answers."""


def again(config: pytest.Config) -> str:
    """``pytest`` and what was typed of the above: with a case's id added, it finds that case.

    The models are in it only where one is elsewhere: the name that reports call it by does not find it.
    """
    return shlex.join(("pytest", *_typed(config), *_elsewhere(config)))


def _elsewhere(config: pytest.Config) -> Iterator[str]:
    models = given_all(config, "vqamt_model")
    if any(Catalogue().is_elsewhere(spec) for spec in models):
        yield from (f"--vqamt-model={spec}" for spec in models)


def _typed(config: pytest.Config) -> Iterator[str]:
    arguments = [str(argument) for argument in config.invocation_params.args]
    yield from (path for path in config.args if path in arguments)
    for option, dest in _OPTIONS.items():
        given = config.getoption(dest, None)
        if given is True:
            yield option
            continue
        for value in given if isinstance(given, list) else [given] if given else []:
            # xdist's workers have plugins taken away from them that nobody named.
            if option.startswith("--vqamt") or any(value in argument for argument in arguments):
                yield from (f"{option}={value}",) if option.startswith("--") else (option, value)
