"""``openai:MODEL@URL`` checked, and made ready to be asked."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pytest_vqamt.models.http.key import hide_in_logs
from pytest_vqamt.models.openai.address import Address
from pytest_vqamt.models.openai.key import key_for
from pytest_vqamt.models.openai.settings import settings_of
from pytest_vqamt.models.prompts import prompts_of
from pytest_vqamt.models.protocol import ModelOptions

if TYPE_CHECKING:
    from pytest_vqamt.models.openai.model import OpenAIModel


VERSION = 1
"""Goes up when answers change for the same model and settings."""


def check(argument: str, options: ModelOptions) -> None:
    """Refuses what no server has to be asked about. Sends nothing, and loads nothing that sends.

    Raises:
        OptionError: the argument, a setting, a prompt or the key in the environment cannot be used.
    """
    address = Address.parse(argument)
    settings_of(options, address)
    prompts_of(options)
    key_for(address, os.environ)


def load(argument: str, options: ModelOptions) -> OpenAIModel:
    """The model that ``MODEL@URL`` names. Nothing is sent before the first question.

    Raises:
        OptionError: as ``check``.
        ModelError: the file of unfinished batches cannot be used.
    """
    # Here, for ``check`` has to do without the library that sends.
    from pytest_vqamt.models.http.client import Client
    from pytest_vqamt.models.openai.answered import Answered
    from pytest_vqamt.models.openai.model import OpenAIModel
    from pytest_vqamt.models.openai.requests import Endpoint, patience_with
    from pytest_vqamt.models.openai.usage import Usage

    address = Address.parse(argument)
    settings = settings_of(options, address)
    prompts = prompts_of(options)
    key = key_for(address, os.environ)
    fingerprint = (
        f"openai-{VERSION} model={address.model} url={address.url} prompts={prompts.digest} settings={settings.digest}"
    )
    if settings.revision:
        fingerprint += f" revision={settings.revision}"
    usage = Usage()
    endpoint = Endpoint(
        address=address,
        key=key,
        settings=settings,
        client=Client(address.url, key, timeout_s=settings.timeout_s, connections=settings.in_flight),
        patience=patience_with(address, settings, usage),
        usage=usage,
        ended=hide_in_logs(key),
    )
    answered = Answered(options.cache / "openai.sqlite" if options.cache else None, fingerprint)
    return OpenAIModel(endpoint, prompts, answered, fingerprint=fingerprint)
