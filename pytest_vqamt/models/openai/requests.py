"""Requests for chat completions: their bodies, and what HTTP errors and replies mean."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate
from math import isfinite
from threading import Event, Lock
from typing import NoReturn, TypeAlias

from pytest_vqamt.core.codec import Json
from pytest_vqamt.core.conversation import Ability, Role
from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.core.query import Answer, ModelInput, PictureFile, Task
from pytest_vqamt.core.results import ModelUse
from pytest_vqamt.core.spelling import option, setting
from pytest_vqamt.core.text import cut, one_line
from pytest_vqamt.language.answers.final import read_json, strip_traces
from pytest_vqamt.language.questions.free import QuestionForm, form_of
from pytest_vqamt.models.budget import BROKEN, CUT_OFF, Budget, UsageCounter
from pytest_vqamt.models.chat_settings import ANSWER_FIELD, byte_label, token_scores
from pytest_vqamt.models.http.client import HttpClient, HttpResponse
from pytest_vqamt.models.http.http_settings import ApiKey, redact_logs
from pytest_vqamt.models.http.pace import Pace
from pytest_vqamt.models.http.picture_files import SETTING, Form, ImageFormat
from pytest_vqamt.models.http.retry import (
    ForbiddenError,
    QueryError,
    RetryPolicy,
    ServerState,
    StoppedError,
    TransientError,
    retry_after_s,
    status_text,
)
from pytest_vqamt.models.openai.openai_settings import (
    KEY_VARIABLE,
    ModelAddress,
    OpenAISettings,
    Prices,
    Spent,
    api_key_for,
    key_variables,
)

_DISABLE_AFTER = 8
"""The number of failed queries in a row that disables the model."""

Message: TypeAlias = dict[str, Json]
"""A message of a conversation: ``role`` and ``content``."""

_ANSWERED = (200, 201, 203)
"""Statuses of replies that may hold a completion: some gateways say 201."""
_LONGEST_MODEL = 80
"""Characters of the answering model's name, which becomes the name of a count in reports."""

LARGE_BYTES = 1_000_000
"""Many servers and the proxies before them take no larger request by default."""

# Gateways put the kind of an error under any of these: OpenRouter {"code": 502}, Anthropic {"type":
# "overloaded_error"}.
_NAMES = ("code", "status", "status_code", "type")
# Values that name no kind of error: {"type": "error"}, {"code": "0"}.
_NO_NAMES = ("error", "none", "null", "0")
_ERROR_CODE = re.compile("[45][0-9][0-9]")
_PASSING = (
    (529, re.compile(r"over[_ -]?load", re.I)),
    (429, re.compile(r"rate[_ -]?limit|too[_ -]?many[_ -]?requests|throttl|resource[_ -]?exhausted", re.I)),
    (
        503,
        re.compile(
            r"(?:service|server|temporarily)[_ -]?unavailable|^unavailable$"
            r"|\b(?:server|model|engine)[_ -](?:is |too )*busy",
            re.I,
        ),
    ),
)
"""The words of servers for what may pass, such as Anthropic's ``overloaded_error``, and the statuses that they mean."""
_NO_STATUS = 200
"""An error in a reply of success that names no other status: it concerns the query alone."""

_LONGEST_QUOTE = 200
_QUOTA_EXCEEDED = "insufficient_quota"
"""The ``type`` (or, earlier, the ``code``) of OpenAI's errors of an account with no money left. Their status is 429."""

# Servers quote the key that they refuse, as OpenAI does: 'Incorrect API key provided: sk-...'.
_LIKE_A_KEY = re.compile(r"\b(sk-|bearer\s+)[^\s\"'<>,;]{4,}", re.IGNORECASE)

_SETTING_ADVICE = {
    "max_tokens": ("token-limit", "max_completion_tokens"),
    "max_completion_tokens": ("token-limit", "max_tokens"),
    "temperature": ("temperature", "none"),
    "response_format": ("response", "text"),
    "top_logprobs": ("logprobs", "0"),
    "logprobs": ("logprobs", "0"),
}
"""The settings for servers that do not take a field of the request."""

# llama.cpp reads no WebP, and says "Failed to load image"; others name the form: "unsupported image format".
_OF_FILES = re.compile(
    r"\b(?:webp|mime|(?:image|media|file)[ _-]?(?:type|format)s?)\b"
    r"|\b(?:load|open|read|decode|identify|process|parse|invalid|unsupported)\b.{0,20}\bimage",
    re.I,
)
"""What servers say that cannot read a picture."""

_REFUSALS: Mapping[Ability, re.Pattern[str]] = {
    # vLLM: "At most 1 image(s) may be provided in one prompt"; Ollama: "only supports a single image per message".
    Ability.PICTURES: re.compile(
        r"(?:at most|only|exactly|more than|maximum of) (?:supports? )?(?:1|one|a single) image"
        r"|supports? (?:multiple|several) images|(?:multiple|several) images (?:are )?not|too many images",
        re.I,
    ),
    # Chat templates of Gemma 2 and of Mistral.
    Ability.SYSTEM: re.compile(r"system role not supported|only user and assistant roles", re.I),
}
"""What servers and chat templates say to conversations that their model is not made for."""

_MESSAGES = ("message", "detail", "msg")
"""The names that servers have for the message of an error, tried in this order."""

# A server that streams although "stream" is false sends `data: {...}` lines.
_EVENT_STREAM = re.compile(rb"\s*(?:data:|event:|id:|: )")
# Ollama's own API streams one JSON object a line.
_JSON_LINES = re.compile(rb"\s*\{[^\n]*\}\s*\n\s*\{")

# "length" is OpenAI's word; others say MAX_TOKENS, max_output_tokens, truncated, token_limit or context_window. Not
# "untruncated" or "not_truncated".
_CUT_OFF = re.compile(
    r"length|max(?:imum)?[_ -]?(?:output[_ -]?|new[_ -]?|completion[_ -]?)?tokens?"
    r"|(?<!un)(?<!not[_ -])truncat|cut[_ -]?off|context[_ -]?window"
    r"|(?:token|output|size|context|completion|generation|response)s?[_ -]?limit"
    r"|^(?:limit(?:[_ -]?reached)?|incomplete|full|(?:context|cache|buffer)[_ -]?full)$",
    re.I,
)
_BY_NUMBER = ("", "stop", "max_tokens", "safety", "recitation", "other", "language", "blocked", "prohibited", "blocked")
"""Gemini's reasons by their numbers (FinishReason), as proxies hand them on."""
# What every word of _BREAKS_OFF is turned into.
_BROKEN_OFF = "error"
_LONGEST_REASON = 60
"""Characters of a reason that are read: a server may send anything there."""
_BREAKS_OFF = re.compile(r"error|abort|cancel|fail", re.I)
_FILTERED = re.compile(r"content[_ -]?filter|safety|blocked|prohibited|recitation", re.I)


def _advice() -> str:
    return (
        f"check the server, ask it less at once ({setting('in-flight', 'N')}) or longer (retries-s=N), and run again: "
        "no answer is asked for twice"
    )


class ChatEndpoint:
    """One server: sends requests at its pace, retries them, and counts their usage. Many threads share it.

    The key is redacted from log records until the endpoint is closed.
    """

    def __init__(
        self,
        address: ModelAddress,
        settings: OpenAISettings,
        prices: Prices | None = None,
        budget: Budget | None = None,
    ) -> None:
        """Reads the key from the environment and sends nothing; ``prices`` count where a reply names no cost.

        Raises:
            OptionError: the key holds what no header can hold.
        """
        self.usage = UsageCounter()
        self.in_flight = settings.in_flight
        self.settings = settings
        self._address = address
        self._prices = prices
        self._budget = budget
        self._key = api_key_for(address, os.environ, settings.headers)
        self._client = HttpClient(address.url, self._key, timeout_s=settings.timeout_s, connections=settings.in_flight)
        self._retry = RetryPolicy(
            address.url,
            settings.retries_s,
            on_wait=partial(self.usage.add, "seconds of Retry-After"),
            disable_after=_DISABLE_AFTER,
            advice=_advice(),
        )
        self._pace = Pace(settings.in_flight)
        self._sizes = BodySizes()
        self._end_redaction = redact_logs(self._key)

    def complete(
        self,
        name: str,
        messages: Sequence[Message],
        max_tokens: int,
        stop: Event,
        schema: Message | None = None,
        *,
        reasoning: bool | None = None,
    ) -> Answer:
        """The redacted completion of a conversation; ``name`` is the query's id.

        With a JSON schema the answer is the field ``answer`` of the structured output. ``reasoning`` switches the
        model's reasoning on or off, unless it is None.

        Raises:
            QueryError: this query has no answer.
            ModelError: the server cannot be used.
            StoppedError: the answer is no longer wanted.
        """
        body = request_body(self._address.model, messages, max_tokens, self.settings, schema, reasoning=reasoning)
        return self._retry.call(name, lambda: self._paid_attempt(body, stop), stop)

    def close(self) -> None:
        self._client.close()
        self._end_redaction()

    def _paid_attempt(self, body: bytes, stop: Event) -> Answer:
        """Sends a request if the budget allows for it."""
        spent = Spent()
        if self._budget is None:
            return self._paced_attempt(body, spent, stop)
        if not self._budget.start(lambda: not stop.is_set()):
            # The budget's wait ends without a start only where the batch was stopped.
            raise StoppedError
        try:
            answer = self._paced_attempt(body, spent, stop)
        finally:
            self._budget.finish(spent.cost)
        # Without a cost the limit could never be reached, and the run would spend without end.
        if spent.cost is None:
            lacking = (
                f"counts no tokens (usage in its replies), which the prices are for: leave {option('max-cost')} off"
                if self._prices
                else f"tells none: give {setting('price', 'FILE')}, or price-in and price-out for a million tokens"
            )
            raise ModelError(
                f"Expected the cost of each answer with {option('max-cost')}, but {self._address.url} {lacking}"
            )
        return answer

    def _paced_attempt(self, body: bytes, spent: Spent, stop: Event) -> Answer:
        """Sends a request when the server is likely to take it."""
        started = self._pace.start(stop)
        if started is None:
            raise StoppedError
        try:
            answer = self._attempt(body, spent)
        except TransientError as failure:
            self.usage.add(BROKEN if failure.is_broken_off else "requests refused")
            if failure.state is ServerState.BUSY:
                # A query does not wait beyond its budget, so the others do not either.
                wait_s = failure.wait_s or 0.0
                if wait_s > self.settings.retries_s:
                    wait_s = 0.0
                self._pace.refused(started, wait_s, is_quota=failure.is_quota)
            else:
                self._pace.failed()
            raise
        # Ctrl-C and a query's own error also end the request: the pace counts what is in flight.
        except BaseException:
            self._pace.failed()
            raise
        self._pace.answered(started)
        return answer

    def _attempt(self, body: bytes, spent: Spent) -> Answer:
        self.usage.add("requests")
        response = self._client.post(body)
        if response.status not in _ANSWERED:
            self._raise_error(_error_response(response, self._address.url), len(body))
        fields = parse_body(response.body, self._address.url)
        if isinstance(model := fields.get("model"), str) and model.strip():
            self.usage.add(f"{ModelUse.ANSWERS_OF}{' '.join(model.split())[:_LONGEST_MODEL]}")
        # Before any error is raised: a reply that cannot be read, or is an error of a started model, was paid for, too.
        spent.read(fields.get("usage"), self._prices)
        self.usage.add_spent(spent)
        if (error := embedded_error(fields)) is not None:
            failed = ErrorResponse(status=_embedded_status(error), headers=response.headers, fields=error)
            self._raise_error(failed, len(body))
        # A completion, readable or not: the server takes requests of this size.
        self._sizes.answered(len(body))
        if "choices" not in fields and (other := other_protocol(fields)):
            raise QueryError(f"Expected a chat completion from {self._address.url}, but got {other}")
        if not _choice(fields):
            said = _quoted(ErrorResponse(status=response.status, headers=response.headers, fields=fields), self._key)
            raise QueryError(f"{_no_choice(fields)}{said}")
        try:
            text = self._answer_text(fields)
        except QueryError as failure:
            # Messages quote the server, which may have echoed the key.
            raise QueryError(self._key.redact(str(failure))) from None
        if has_reasoning(fields):
            self.usage.add("answers with reasoning in the text")
        if is_truncated(fields):
            self.usage.add(CUT_OFF)
        scores = completion_scores(fields) if self.settings.chat.logprobs else None
        if self.settings.chat.logprobs and scores is None:
            self.usage.add("answers without log-probabilities")
        steps = completion_steps(fields, self.settings.chat.steps) if self.settings.chat.steps else None
        return Answer(
            self._key.redact(text),
            scores and tuple((self._key.redact(label), score) for label, score in scores),
            steps=steps and tuple(tuple((self._key.redact(label), score) for label, score in each) for each in steps),
            tokens_in=spent.tokens_in,
            tokens_out=spent.tokens_out,
            cost=spent.cost,
        )

    def _raise_error(self, failed: ErrorResponse, size_bytes: int) -> NoReturn:
        if self._sizes.refused(failed.status, size_bytes):
            raise too_large(failed, size_bytes, self._sizes.largest, self._address, self._key)
        raise_http_error(failed, self._address, self._key, self.settings.encoder.format)

    def _answer_text(self, fields: Mapping[str, object]) -> str:
        text = completion_text(fields)
        if not self.settings.is_json:
            return text
        # Servers that ignore response_format answer in plain text, which is read as any other answer.
        answer = read_json(text)
        # Half of an object, such as {"answer": "a red": its text would be read as the answer.
        if answer is None and is_truncated(fields):
            raise QueryError(
                "Expected an answer in JSON, but it was cut off at its longest length: "
                f"{setting('longest-answer', 'N')} (or longest-caption) with more tokens"
            )
        if answer is None:
            self.usage.add("answers not in JSON")
        return text if answer is None else answer


class BodySizes:
    """Distinguishes a server that takes no large request from one that is not there at all.

    Attributes:
        largest: the bytes of the largest request that was answered; 0 where none was.
    """

    def __init__(self) -> None:
        self.largest = 0
        self._lock = Lock()
        self._refused = 0

    def answered(self, size_bytes: int) -> None:
        with self._lock:
            self.largest = max(self.largest, size_bytes)

    def refused(self, status: int, size_bytes: int) -> bool:
        """Records a refusal; True if it may be for the size alone, before any answer only for the first large ones."""
        # Proxies answer a body over their limit with 413, and some with 404 "Cannot POST", 405 or 410.
        if status not in (404, 405, 410, 413):
            return False
        with self._lock:
            if self.largest:
                # What is larger than all that was answered may meet the limit of a proxy, and some of them say 404.
                return status == 413 or size_bytes > self.largest
            # Nothing was answered yet: after eight such refusals a 404 means that the URL is wrong, whatever the size.
            self._refused += status == 413 or size_bytes > LARGE_BYTES
            return status == 413 or (size_bytes > LARGE_BYTES and self._refused < _DISABLE_AFTER)


def too_large(response: ErrorResponse, size_bytes: int, largest: int, address: ModelAddress, key: ApiKey) -> QueryError:
    """The error of a query with too large a request; ``largest`` is the size of the largest answered one, or 0."""
    known = f"the largest that it answered had {_megabytes(largest)}" if largest else "servers often take 1 MB at most"
    # The advice is in pixels: where less than 1 MB was refused, a quarter of the usual bound.
    most = 1_000_000 if size_bytes > LARGE_BYTES else 250_000
    return QueryError(
        f"Expected an answer from {address.model!r}, but got {status_text(response.status)}{_quoted(response, key)} to "
        f"a request of {_megabytes(size_bytes)}: {known}, so send smaller pictures ("
        f"{setting('max-pixels', most)}), or let the server take larger requests"
    )


def _megabytes(size_bytes: int) -> str:
    return f"{size_bytes / 1e6:.2g} MB"


def other_protocol(fields: Mapping[str, object]) -> str:
    """Names the protocol of a reply that is no chat completion, with advice; "" for what may be one.

    Users take the URL of the API that they know, and a status of 200 hides the mistake.
    """
    if fields.get("object") == "response" or isinstance(fields.get("output"), list):
        return "a reply of OpenAI's /responses: name the URL of /chat/completions"
    if fields.get("type") == "message" and "content" in fields:
        return "a reply of Anthropic's /messages: name its URL for OpenAI's clients (https://api.anthropic.com/v1)"
    if "done" in fields and ("message" in fields or "response" in fields):
        return "a reply of Ollama's own API: name http://HOST:11434/v1"
    if "candidates" in fields:
        return "a reply of Gemini's own API: name its URL for OpenAI's clients (it ends with /v1beta/openai)"
    if "generated_text" in fields or "predictions" in fields or "outputs" in fields:
        return "a reply of another API: name the URL of /chat/completions"
    return ""


def _error_response(response: HttpResponse, url: str) -> ErrorResponse:
    try:
        fields: object = parse_body(response.body, url)
    except QueryError:
        fields = None
    text = response.body.decode("utf-8", "replace")
    return ErrorResponse(status=response.status, headers=response.headers, fields=fields, text=text)


def _embedded_status(error: Mapping[str, object]) -> int:
    """The HTTP status of an error in a reply of success, by its code or name; ``_NO_STATUS`` where it has none.

    >>> _embedded_status({"error": {"code": "503"}}), _embedded_status({"error": {"type": "overloaded_error"}})
    (503, 529)
    """
    found = error["error"]
    # The error may be a mere text: {"error": "model is overloaded"}.
    names = [str(found[name]) for name in _NAMES if found.get(name)] if isinstance(found, Mapping) else []
    codes = [int(name) for name in names if _ERROR_CODE.fullmatch(name)]
    # A message may speak of anything, so it counts only where the error has no name.
    called = names if any(name.lower() not in _NO_NAMES for name in names) else [_message(found)]
    passing = [status for status, words in _PASSING if any(map(words.search, called))]
    # A number is exact; words are only looked at where there is none.
    return next(iter((*codes, *passing)), _NO_STATUS)


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorResponse:
    """A response that is no success."""

    status: int
    """The HTTP status, or the one that an error in a reply of success names; ``_NO_STATUS`` where it names none."""
    headers: Mapping[str, str]
    """By names in lower case."""
    fields: object
    """The JSON of the body; None where it holds no object."""
    text: str = ""
    """The body as text, quoted where the JSON has no message; "" for an error in a reply of success."""


def raise_http_error(response: ErrorResponse, address: ModelAddress, key: ApiKey, images: ImageFormat) -> NoReturn:
    """Raises the exception of an error response, by its status; ``images`` is the format of what was sent.

    Raises:
        TransientError: the request may be retried.
        ForbiddenError: 403, which concerns every query or this one, as earlier answers show.
        QueryError: this query cannot be answered.
        ModelError: the server cannot be used.
    """
    status = response.status
    named = "an error in a reply of success" if status == _NO_STATUS else status_text(status)
    got = f"but got {named}{_quoted(response, key)}"
    if status in (401, 407):
        raise ModelError(f"Expected {address.url} to take our key, {got}: {_key_advice(address, key)}")
    # OpenAI says 429 of an empty account, which no retry would change; so this comes before the statuses to retry.
    if status == 402 or _is_quota_exceeded(response.fields):
        raise ModelError(f"Expected an account with money left at {address.host}, {got}: fill it up and run again")
    if status == 403:
        raise ForbiddenError(f"Expected {address.url} to let us ask {address.model!r}, {got}")
    if status in (404, 405, 410):
        raise ModelError(
            f"Expected a model called {address.model!r} to answer at {address.url}, {got}: check the name of the model "
            "and the URL, which is openai:MODEL@URL's with /chat/completions added, and /v1 where it had no path"
        )
    if 300 <= status < 400:
        # Without the query, which may hold a secret.
        to = key.redact(response.headers.get("location", "").partition("?")[0]) or "somewhere else"
        raise ModelError(
            f"Expected {address.url} to answer itself, but it sends on ({status_text(status)}) to {to}: if that is "
            f"right, name it in {option('model')}; nothing was sent there"
        )
    # 409 is retried by OpenAI's own client, too; 425 is Too Early (RFC 8470).
    if status in (408, 409, 425, 429) or status >= 500:
        reason = f"{status_text(status)}{_quoted(response, key)}"
        # 500 may be the fault of the query, and says nothing of the load; 502 to 504 and 529 come from a server that is
        # full or restarting.
        state = ServerState.BROKEN if status == 500 else ServerState.BUSY
        wait_s = retry_after_s(response.headers)
        is_quota = status == 429 or wait_s is not None
        # A gateway's 502 and 504 are of what broke behind it.
        is_broken_off = status in (502, 504)
        raise TransientError(reason, state=state, wait_s=wait_s, is_quota=is_quota, is_broken_off=is_broken_off)
    raise QueryError(f"Expected an answer from {address.model!r}, {got}{_option_advice(response, images)}")


def _quoted(response: ErrorResponse, key: ApiKey) -> str:
    """The server's message in brackets, without anything like a key."""
    text = _message(response.fields) or response.text
    line = _LIKE_A_KEY.sub("[key]", key.redact(one_line(text)))
    return f" ({cut(line, _LONGEST_QUOTE)})" if line else ""


def _message(found: object) -> str:
    """The message in an error's JSON; servers nest it differently."""
    if isinstance(found, str):
        return found
    if isinstance(found, Mapping):
        # {"message": "Cannot POST /v1", "error": "Not Found"}: the short one only repeats the status.
        error = found.get("error")
        for name in ("error", *_MESSAGES) if isinstance(error, Mapping) else (*_MESSAGES, "error"):
            if found.get(name):
                return _message(found[name])
    return json.dumps(found) if found else ""


def _is_quota_exceeded(fields: object) -> bool:
    error = fields.get("error") if isinstance(fields, Mapping) else None
    return isinstance(error, Mapping) and _QUOTA_EXCEEDED in (error.get("type"), error.get("code"))


def _key_advice(address: ModelAddress, key: ApiKey) -> str:
    if key:
        return "one was sent; put the right one into the environment variable " + " or ".join(
            key_variables(address)[:2]
        )
    also = ", ".join(name for name in key.headers)
    sent = f"none was sent but the header {also}, which may have the wrong value" if also else "none was sent"
    return f"{sent}; put it into the environment variable {KEY_VARIABLE}"


def _option_advice(response: ErrorResponse, images: ImageFormat) -> str:
    text = f"{_message(response.fields)} {json.dumps(response.fields)}"
    for name, (our_setting, value) in _SETTING_ADVICE.items():
        # The whole JSON is searched: validation errors name the field in a list of its own (pydantic's "loc").
        if re.search(rf"\b{name}\b", text):
            return f"; if the server does not take {name}: {setting(our_setting, value)}"
    if images.form is not Form.PNG and _OF_FILES.search(text):
        return f"; if the server takes no such file: {setting(SETTING, Form.PNG)}"
    return ""


def chat_message(parts: Sequence[str | PictureFile], role: Role = Role.USER, detail: str = "") -> Message:
    """A message of texts and pictures in their order; ``detail`` is for files without one, "" for the default."""
    if role is not Role.USER:
        # As a string: many servers and chat templates know parts of the user's messages alone.
        return {"role": role.value, "content": "\n".join(part for part in parts if isinstance(part, str))}
    content: list[Json] = [_text_part(part) if isinstance(part, str) else _image_part(part, detail) for part in parts]
    return {"role": role.value, "content": content}


def _text_part(text: str) -> Json:
    return {"type": "text", "text": text}


def _image_part(file: PictureFile, detail: str) -> Json:
    # Some servers refuse fields that they do not know, so "detail" is only sent where the user set it.
    image: dict[str, Json] = {"url": file.url or file.data_uri}
    if detail := file.detail or detail:
        image["detail"] = detail
    return {"type": "image_url", "image_url": image}


def refused_abilities(error: QueryError) -> frozenset[Ability]:
    """What the model does not take, by the server's error.

    >>> sorted(refused_abilities(QueryError("400 (At most 1 image(s) may be provided in one prompt.)")))
    [<Ability.PICTURES: 'pictures'>]
    """
    return frozenset(ability for ability, words in _REFUSALS.items() if words.search(str(error)))


def answer_schema(item: ModelInput) -> Message:
    """The JSON schema of an answer: an object with one field, by the form of the question or the task."""
    answer: dict[str, Json] = {"type": "string"}
    if item.query.task is Task.ENTAILMENT:
        answer["enum"] = ["entailment", "neutral", "contradiction"]
    elif item.query.task is Task.VQA:
        match form_of(item.query.asked):
            case QuestionForm.YES_NO:
                answer["enum"] = ["yes", "no"]
            case QuestionForm.COUNT:
                # So that a model cannot say 'several'.
                answer = {"type": "integer"}
            case _:
                pass
    return {
        "type": "object",
        "properties": {ANSWER_FIELD: answer},
        "required": [ANSWER_FIELD],
        "additionalProperties": False,
    }


def request_body(
    model: str,
    messages: Sequence[Message],
    max_tokens: int,
    settings: OpenAISettings,
    schema: Message | None = None,
    *,
    reasoning: bool | None = None,
) -> bytes:
    """The JSON of a request for one completion of at most ``max_tokens``, in the form of ``schema`` if there is one.

    ``reasoning`` switches the model's reasoning, unless it is None.
    """
    chat = settings.chat
    # A conversation with a system message of its own needs just that one.
    is_set = bool(chat.system) and messages[0]["role"] != Role.SYSTEM
    system: list[Json] = [{"role": "system", "content": chat.system}] if is_set else []
    fields: dict[str, Json] = {
        "model": model,
        "messages": [*system, *messages],
        settings.token_limit: max_tokens,
        "stream": False,
    }
    if settings.temperature is not None:
        fields["temperature"] = settings.temperature
    if settings.seed is not None:
        fields["seed"] = settings.seed
    if chat.logprobs:
        fields |= {"logprobs": True, "top_logprobs": chat.logprobs}
    if schema is not None:
        named: dict[str, Json] = {"name": ANSWER_FIELD, "strict": True, "schema": schema}
        fields["response_format"] = {"type": "json_schema", "json_schema": named}
    switch = {} if reasoning is None else chat.reasoning(reasoning)
    return json.dumps(fields | chat.fields | switch).encode()


def parse_body(body: bytes, url: str) -> Mapping[str, object]:
    """Parses the JSON object of a body.

    Raises:
        QueryError: it holds none. What it holds is not repeated: it may be anything.
    """
    try:
        found: object = json.loads(body)
    # RecursionError: a body of nested brackets.
    except (ValueError, RecursionError):
        found = None
    if isinstance(found, list) and len(found) == 1:  # as Gemini wraps its errors, and TGI its texts
        found = found[0]
    if not isinstance(found, Mapping) and _EVENT_STREAM.match(body[:_LONGEST_QUOTE]):
        raise QueryError(
            f'Expected one JSON object from {url}, but got an event stream, though "stream" is false: switch streaming '
            "off at the server, or the proxy before it"
        )
    if not isinstance(found, Mapping) and _JSON_LINES.match(body[: _LONGEST_QUOTE * 10]):
        raise QueryError(
            f"Expected one JSON object from {url}, but got several, a line each, as Ollama's own API streams them: "
            "name http://HOST:11434/v1"
        )
    if not isinstance(found, Mapping):
        is_page = body.lstrip()[:1] == b"<"
        page = (
            " but an HTML page: check the URL (does it end with /v1?), and whether a login is asked for"
            if is_page
            else ""
        )
        raise QueryError(
            f"Expected the JSON of a chat completion from {url}, but got {len(body)} bytes that hold no JSON "
            f"object{page}"
        )
    return found


def embedded_error(fields: Mapping[str, object]) -> Mapping[str, object] | None:
    """The error in a reply with a status of success, as ``{"error": ...}``; None if there is no error.

    OpenRouter sends them so once the model has begun to answer (openrouter.ai/docs/errors).
    """
    choice = _choice(fields)
    # Of the whole reply, or of its one choice, once the model had begun.
    for found in (fields.get("error"), choice.get("error")):
        if found:
            return {"error": found}
    # Other servers put their message beside the code: {"object": "error", "message": ...}, {"code": 500, "msg": ...}.
    if not choice and (fields.get("object") == "error" or fields.get("detail") or fields.get("msg")):
        return {"error": {**fields, "message": _message(fields)}}
    return None


def completion_text(fields: Mapping[str, object]) -> str:
    """The completion without its reasoning (``<think>...</think>``).

    A refusal is an answer, and so is an empty text of a model that finished. A truncated answer counts. Some servers
    put the whole message of a model that does not think into ``reasoning_content``: it is the answer if the model ended
    it and there is no other.

    Raises:
        QueryError: there is no answer.
    """
    choice = _choice(fields)
    # The older endpoint /completions, which is one word away in the URL and takes no pictures.
    if "text" in choice and "message" not in choice:
        raise QueryError(
            "Expected a choice with a message, but got one with a text, as /completions gives it: name the URL of "
            "/chat/completions, which takes pictures"
        )
    if "delta" in choice and "message" not in choice:
        raise QueryError(
            'Expected a choice with a message, but got a part of a stream, though "stream" is false: switch streaming '
            "off at the server"
        )
    if not choice:
        raise QueryError(_no_choice(fields))
    message = choice.get("message")
    if not isinstance(message, Mapping):
        raise QueryError(f"Expected a choice with a message, but got {_json_kind(message)} as message")
    finish_reason = finish_reason_of(choice)
    if finish_reason == _BROKEN_OFF:
        # What is there may be half of an answer, and an empty text no answer of the model.
        raise QueryError(f"Expected a whole answer, but the server broke it off (finish_reason={_reason(choice)!r})")
    # The content of a refusal is null: OpenAI has a field for it.
    text = _content_text(message.get("content"))
    if text is None and isinstance(message.get("refusal"), str):
        text = str(message["refusal"])
    answer = strip_traces(text).text if text is not None else None
    # vLLM's parser for DeepSeek-R1 puts all of a message without a closing mark there.
    if not answer and finish_reason == "stop":
        answer = strip_traces(_reasoning_text(message)).text or answer
    # A model that called a tool has null or an empty text as content, which is no empty answer.
    calls_tool = bool(message.get("tool_calls") or message.get("function_call"))
    if answer or (answer == "" and finish_reason not in ("length", "content_filter") and not calls_tool):
        return answer.encode("utf-8", "replace").decode("utf-8")  # half of a cut-off emoji cannot be kept
    if finish_reason == "length":
        raise QueryError(
            "Expected an answer, but the model had not begun it when it had written as much as it may: models that "
            f"think first need more, such as {setting('longest-answer', '2048')}"
        )
    if finish_reason == "content_filter":
        raise QueryError("Expected an answer, but the server's filter took it away (finish_reason='content_filter')")
    if calls_tool:
        raise QueryError(
            "Expected a message with text, but the model called a tool: switch tools off at the server "
            f"({setting('body.tool_choice', 'none')})"
        )
    ended = f" (finish_reason={reason!r})" if (reason := _reason(choice)) and finish_reason != "stop" else ""
    raise QueryError(f"Expected a message with text, but got {_json_kind(message.get('content'))} as content{ended}")


def _no_choice(fields: Mapping[str, object]) -> str:
    return f"Expected a completion with a choice, but got {_json_kind(fields.get('choices'))} as choices"


def finish_reason_of(choice: Mapping[str, object]) -> str:
    """The finish reason in OpenAI's words, of a server that may write MAX_TOKENS, max_output_tokens or SAFETY.

    >>> finish_reason_of({"finish_reason": "MAX_TOKENS"}), finish_reason_of({"finish_reason": "eos"})
    ('length', 'stop')
    """
    found = _reason(choice)
    if _CUT_OFF.search(found):
        return "length"
    if _FILTERED.search(found):
        return "content_filter"
    if _BREAKS_OFF.search(found):
        return _BROKEN_OFF
    return "stop" if found.lower() in ("stop", "eos", "eos_token", "end_turn", "stop_sequence", "finished") else found


def _reason(choice: Mapping[str, object]) -> str:
    """The finish reason in the server's own words; sglang's engine gives an object with a type."""
    found = choice.get("finish_reason")
    # Not 0, which is FINISH_REASON_UNSPECIFIED.
    if isinstance(found, int | str) and str(found) in map(str, range(1, len(_BY_NUMBER))):
        return _BY_NUMBER[int(found)]
    found = found or choice.get("stop_reason") or ""  # a number in this one is vLLM's token
    return str(found.get("type", "") if isinstance(found, Mapping) else found)[:_LONGEST_REASON]


def _reasoning_text(message: Mapping[str, object]) -> str:
    """The text that the server separated as reasoning; servers have two names for the field."""
    return next((each for name in ("reasoning_content", "reasoning") if isinstance(each := message.get(name), str)), "")


def completion_scores(fields: Mapping[str, object]) -> tuple[tuple[str, float], ...] | None:
    """The candidates for the first token of the answer, with natural log-probabilities; None without any."""
    rows = _scored_rows(fields)
    if rows is None:
        return None
    tokens = [token for token, _ in rows]
    ends = [0, *accumulate(map(len, tokens))]
    return token_scores("".join(tokens), len(tokens), ends.__getitem__, lambda place: rows[place][1])


def completion_steps(fields: Mapping[str, object], count: int) -> tuple[tuple[tuple[str, float], ...], ...] | None:
    """The candidates for each of the first ``count`` tokens of the completion; None without any."""
    rows = _scored_rows(fields)
    return None if not rows else tuple(tuple(candidates) for _, candidates in rows[:count])


def _scored_rows(fields: Mapping[str, object]) -> list[tuple[str, list[tuple[str, float]]]] | None:
    """Each token of the completion with its candidates."""
    found = _choice(fields).get("logprobs")
    rows = found.get("content") if isinstance(found, Mapping) else None
    if not isinstance(rows, list):
        return None
    scored = []
    for row in rows:
        # A row without its token moves all later ones against the text, so none of the scores could be trusted.
        if not isinstance(row, Mapping) or not isinstance(row.get("token"), str):
            return None
        top = row.get("top_logprobs")
        candidates = [each for found in top if (each := _scored_token(found))] if isinstance(top, list) else []
        scored.append((row["token"], candidates))
    return scored


def _scored_token(found: object) -> tuple[str, float] | None:
    if not isinstance(found, Mapping) or not isinstance(token := found.get("token"), str):
        return None
    score = found.get("logprob")
    parts = found.get("bytes")
    # Parts of characters all read "\ufffd"; their bytes tell them apart.
    if "\ufffd" in token and isinstance(parts, list) and all(isinstance(each, int) for each in parts):
        token = byte_label(parts)
    # A log-probability is at most 0, but for rounding: what is above is none.
    return (token, score) if isinstance(score, int | float) and isfinite(score) and score <= 1e-6 else None


def has_reasoning(fields: Mapping[str, object]) -> bool:
    """True if the text of the completion holds reasoning, which a server should send in a field of its own."""
    message = _choice(fields).get("message")
    text = _content_text(message.get("content")) if isinstance(message, Mapping) else None
    return text is not None and strip_traces(text).text != text.strip()


def is_truncated(fields: Mapping[str, object]) -> bool:
    """True if the completion reached the token limit."""
    return finish_reason_of(_choice(fields)) == "length"


def _choice(fields: Mapping[str, object]) -> Mapping[str, object]:
    choices = fields.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    return first if isinstance(first, Mapping) else {}


def _content_text(content: object) -> str | None:
    """The text of a message: a string, or the joined text parts. Mistral's models also send thoughts."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        # "text" is OpenAI's and Mistral's; "output_text" is what OpenAI's /responses calls it.
        parts = [part for part in content if isinstance(part, Mapping) and part.get("type") in ("text", "output_text")]
        texts = [part["text"] for part in parts if isinstance(part.get("text"), str)]
        return "".join(map(str, texts)) if texts else None
    return None


def _json_kind(value: object) -> str:
    """The type of a field; its content might contain the key."""
    if value is None:
        return "null"
    return "an empty list" if value == [] else type(value).__name__
