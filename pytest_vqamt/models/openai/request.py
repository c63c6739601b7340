"""What is sent: one message of a picture and a prompt."""

from __future__ import annotations

import json

from pytest_vqamt.core.codec import Json
from pytest_vqamt.models.openai.settings import Settings


def body(model: str, prompt: str, picture: str, longest: int, settings: Settings) -> bytes:
    """The JSON of a request for one completion.

    Args:
        model: its name.
        prompt: what is said to it.
        picture: a data URI.
        longest: how many tokens may be generated.
        settings: how it is asked.
    """
    image: dict[str, Json] = {"url": picture}
    if settings.detail:
        image["detail"] = settings.detail
    content: list[Json] = [{"type": "image_url", "image_url": image}, {"type": "text", "text": prompt}]
    fields: dict[str, Json] = {
        "model": model,
        "messages": [{"role": "user", "content": content}],
        settings.token_limit: longest,
        "stream": False,
    }
    if settings.temperature is not None:
        fields["temperature"] = settings.temperature
    if settings.seed is not None:
        fields["seed"] = settings.seed
    return json.dumps(fields).encode()
