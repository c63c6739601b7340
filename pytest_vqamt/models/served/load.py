"""``served:URL`` checked, and made ready to be asked."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pytest_vqamt.core.errors import ModelError, OptionError
from pytest_vqamt.models.http.key import key_in
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.served.address import base_of
from pytest_vqamt.models.served.protocol import TOKEN_VARIABLE
from pytest_vqamt.models.served.settings import Send, settings_of

if TYPE_CHECKING:
    from pytest_vqamt.models.served.model import ServedModel


def check(argument: str, options: ModelOptions) -> None:
    """Refuses what no server has to be asked about. Sends nothing, and loads nothing that sends.

    Raises:
        OptionError: the URL, a setting or the token in the environment cannot be used.
    """
    base_of(argument)
    settings_of(options)
    key_in(os.environ, (TOKEN_VARIABLE,))


def load(argument: str, options: ModelOptions) -> ServedModel:
    """The model that is served at the URL, once the server has said which one that is.

    Raises:
        OptionError: as ``check``, or pixels are to be sent to a model that looks at scenes.
        ModelError: nobody answers there, or something else than ``vqamt serve`` does.
    """
    # Here, for ``check`` has to do without the library that sends.
    from pytest_vqamt.models.served.model import MOST_AT_ONCE, ServedModel
    from pytest_vqamt.models.served.sending import Sending
    from pytest_vqamt.models.served.server import Server

    url, settings = base_of(argument), settings_of(options)
    server = Server.at(url, key_in(os.environ, (TOKEN_VARIABLE,)), settings, connections=MOST_AT_ONCE)
    try:
        card = server.card()
    except ModelError:
        server.close()
        raise
    if settings.send is Send.PNG and card.needs_scenes:
        server.close()
        raise OptionError(
            f"Expected pictures to travel as recipes to model {card.model!r}, which looks at scenes and not at pixels, "
            "but got send=png: leave it off"
        )
    sending = Sending(settings.send, model=card.model, url=url, needs_scenes=card.needs_scenes)
    return ServedModel(server, card, sending, workers=options.workers)
