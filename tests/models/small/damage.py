"""Ways in which a checkpoint is broken that has a tokenizer, an image processor and one file of weights."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import cast

from safetensors.torch import load_file, save_file

Damage = Callable[[Path], None]


def without(*names: str) -> Damage:
    """Takes files away."""

    def damage(folder: Path) -> None:
        for name in names:
            (folder / name).unlink()

    return damage


def without_weights(prefix: str) -> Damage:
    """Takes away the weights whose names begin so."""

    def damage(folder: Path) -> None:
        file = folder / "model.safetensors"
        weights = load_file(file)
        kept = {name: weight for name, weight in weights.items() if not name.startswith(prefix)}
        assert len(kept) < len(weights)
        save_file(kept, file, metadata={"format": "pt"})

    return damage


def with_setting(name: str, value: object) -> Damage:
    """Changes one entry of config.json, or takes it out where the value is None."""

    def damage(folder: Path) -> None:
        file = folder / "config.json"
        config = cast("dict[str, object]", json.loads(file.read_text()))
        config[name] = value
        file.write_text(json.dumps({key: kept for key, kept in config.items() if kept is not None}))

    return damage


def cut_off(name: str, share: float = 0.5) -> Damage:
    """Loses the end of a file, as a download that was interrupted."""

    def damage(folder: Path) -> None:
        content = (folder / name).read_bytes()
        (folder / name).write_bytes(content[: int(len(content) * share)])

    return damage


def emptied(folder: Path) -> None:
    """Leaves the folder with nothing in it."""
    for file in folder.iterdir():
        file.unlink()


def fewer_words(folder: Path) -> None:
    """Puts a tokenizer of another model there, which knows a handful of words."""
    file = folder / "tokenizer.json"
    tokenizer = json.loads(file.read_text())
    vocabulary: dict[str, int] = tokenizer["model"]["vocab"]
    tokenizer["model"]["vocab"] = {word: number for word, number in vocabulary.items() if number < 30}
    file.write_text(json.dumps(tokenizer))


TOKENIZER = ("vocab.txt", "tokenizer.json", "tokenizer_config.json")

DAMAGES: Mapping[str, tuple[Damage, str]] = {
    "an empty folder": (emptied, r"no config\.json"),
    "not a checkpoint": (without("config.json"), r"no config\.json"),
    "a broken configuration": (cut_off("config.json"), r"Expected JSON in .*config\.json"),
    "no tokenizer": (without(*TOKENIZER), "Expected a tokenizer beside the weights"),
    "another tokenizer": (fewer_words, r"Expected a tokenizer for the \d+ words .* but got one of 30"),
    "no image processor": (
        without("preprocessor_config.json"),
        r"Expected preprocessor_config\.json beside the weights",
    ),
    "no weights": (without("model.safetensors"), "Expected a whole checkpoint"),
    "weights cut off": (cut_off("model.safetensors"), "Expected a whole checkpoint"),
    "another model": (with_setting("model_type", "bert"), r"but got model_type='bert'"),
    "no class": (with_setting("architectures", None), r"but got architecture=''"),
}
"""What is done to the checkpoint, and what the message must say."""
