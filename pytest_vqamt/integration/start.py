"""How a session begins: options read, errors turned into pytest's own, tests parametrized."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_vqamt.core.errors import VqamtError
from pytest_vqamt.integration.session import VqamtSession
from pytest_vqamt.integration.settings import Settings, read_settings
from pytest_vqamt.integration.xdist import RunFolder
from pytest_vqamt.models.registry import Catalogue


def start(config: pytest.Config) -> VqamtSession:
    """The session's own plugin.

    Raises:
        pytest.UsageError: an option cannot be used.
    """
    _take_our_ids(config)
    try:
        settings = read_settings(config)
    except VqamtError as error:
        raise pytest.UsageError(str(error)) from error
    if settings.plan_only and getattr(config.option, "numprocesses", None):
        raise pytest.UsageError("Expected --vqamt-plan without -n: it asks nothing, so there is nothing to share out")
    _check_devices(config, settings)
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(RunFolder(settings), "vqamt-run-folder")
    return VqamtSession(config, settings)


def _check_devices(config: pytest.Config, settings: Settings) -> None:
    """Finds out before any worker starts whether each could have a device of its own.

    Raises:
        pytest.UsageError: there are more workers than devices, and nobody said that they are to share.
    """
    workers = len(getattr(config.option, "tx", None) or ())
    if workers < 2 or settings.model_options.device != "auto":
        return
    if any(Catalogue().is_on_device(spec) for spec in settings.models):
        from pytest_vqamt.models.transformers.runtime import device_of

        try:
            device_of(replace(settings.model_options, workers=workers))
        except VqamtError as error:
            raise pytest.UsageError(str(error)) from error


def parametrize(metafunc: pytest.Metafunc, session: VqamtSession | None) -> None:
    """Gives a test that takes ``vqamt_consistency`` one call for each entry, or one that is skipped without a model.

    Where the options cannot be used it gets one call too: the session tells of the mistake when all is collected.
    """
    if session is None:
        reason = "no model is named: give --vqamt-model=SPEC, or vqamt_model in the ini file"
        metafunc.parametrize(
            "vqamt_consistency",
            [pytest.param(None, marks=pytest.mark.skip(reason=reason), id="no-model")],
            indirect=True,
        )
        return
    try:
        entries = session.resources.entries
    except VqamtError:
        metafunc.parametrize("vqamt_consistency", [None], indirect=True, ids=["options"])
        return
    metafunc.parametrize("vqamt_consistency", entries, indirect=True, ids=[entry.id for entry in entries])


def _take_our_ids(config: pytest.Config) -> None:
    """Takes ids such as ``vqamt::metavqa.reorder[object]-tiny-pictures`` out of the arguments: they name no file."""
    ours = [argument for argument in config.args if argument.startswith("vqamt::")]
    if ours:
        config.args[:] = [argument for argument in config.args if argument not in ours]
    already: list[str] = getattr(config.option, "vqamt_only", [])  # a worker gets them from xdist's controller
    config.option.vqamt_only = already or [argument.removeprefix("vqamt::") for argument in ours]
