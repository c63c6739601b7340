"""Names of models as servers give them back: what is another model, and what only another spelling of one."""

from __future__ import annotations

import re

from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.models.openai.openai_settings import ModelAddress
from pytest_vqamt.models.wrapped import LoadedModel

# Sizes of versions of one model that vendors sell under one name: "gpt-4o-mini", "claude-3-haiku". Not "turbo", which
# hosts also call a quantisation.
_TIERS = {
    *("nano", "mini", "micro", "tiny", "small", "lite", "base", "medium", "large"),
    *("xlarge", "pro", "max", "ultra", "flash", "haiku", "sonnet", "opus"),
}
_SIZE = re.compile(r"(?:\d+x)?\d+(?:\.\d+)?[bm]")
"""Parameters: "7b", "8x7b", "256m"; neither "4bit" nor "a3b"."""
_VERSION = re.compile(r"\d{1,2}(?:\.\d{1,2})?[a-z]?")
"""A number of a version: "4o", "2.5"; no date, which has four digits and more."""
_FILE = re.compile(r"\.(?:gguf|bin|safetensors|onnx|mlmodel)$")
_QUANTISATION = re.compile(r"[-_.:](?:i?q\d|w\d|fp\d|bf\d|int\d|\dbit|awq|gptq).*")
_WORD = re.compile(r"[a-z]+(?:\.[a-z]+)*|\d+(?:\.\d+)?(?:x\d+)?[a-z]*", re.ASCII)


def is_other_model(asked: str, answered: str) -> bool:
    """True if a server plainly answers as another model than it was asked for.

    Both names must be of one family, and differ in what tells its models apart: tier, size or version. All else may be
    an alias: the path of a file, a date, a quantisation, an owner, or a name of the user's own.

    >>> is_other_model("gpt-4o", "gpt-4o-mini"), is_other_model("gpt-4o", "gpt-4o-2024-08-06")
    (True, False)
    >>> is_other_model("Qwen/Qwen2.5-VL-7B-Instruct", "qwen2.5-vl-3b-instruct-awq")
    True
    >>> is_other_model("claude-3-5-sonnet", "claude-3.5-sonnet"), is_other_model("phi-3.5", "phi-4.0")
    (False, True)
    >>> is_other_model("Qwen/Qwen2.5-VL-7B-Instruct", "/models/Qwen2.5-VL-7B-Instruct-Q4_K_M.gguf")
    False
    """
    first, second = _words(asked), _words(answered)
    # Another family: an alias of the user's, or a gateway's.
    if not first or not second or first[0] != second[0]:
        return False
    sizes = [{each for each in words if _SIZE.fullmatch(each)} for words in (first, second)]
    if all(sizes) and not sizes[0] & sizes[1]:
        return True
    if _TIERS.intersection(first) != _TIERS.intersection(second):
        return True
    parted = next(((a, b) for a, b in zip(first, second, strict=False) if a != b), None)
    return parted is not None and all(_VERSION.fullmatch(each) and not _SIZE.fullmatch(each) for each in parted)


def may_be_one(first: str, second: str) -> bool:
    """True if two names that one server gave may be of one model: one is the other's with more behind it.

    >>> may_be_one("org/m-7b", "m-7b-2024-08-06"), may_be_one("llava-7b", "qwen-7b")
    (True, False)
    """
    shorter, longer = sorted((_words(first), _words(second)), key=len)
    return longer[: len(shorter)] == shorter and not is_other_model(first, second)


def _words(name: str) -> list[str]:
    # llama.cpp answers with the path of its file, also on Windows.
    last = re.split(r"[/\\]", name.casefold().strip())[-1]
    # "3-5", "3_5" and "3.5" are one version.
    return _WORD.findall(re.sub(r"(?<=\d)[-_](?=\d(?!\d*[a-z]))", ".", _QUANTISATION.sub("", _FILE.sub("", last))))


def address_of(model: LoadedModel) -> ModelAddress | None:
    """The name and the URL that an ``openai:`` model is asked by; None of any other."""
    kind, _, argument = (model.spec or model.name).partition(":")
    if kind != "openai":
        return None
    try:
        return ModelAddress.parse(argument)
    except OptionError:  # a short name that looks like a spec
        return None
