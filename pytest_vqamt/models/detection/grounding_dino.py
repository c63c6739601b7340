"""Grounding DINO: proposes boxes for one text of many phrases, and scores each box against each token of the text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, cast

from pytest_vqamt.annotation.detectors.base import Look
from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.models.detection.reading import EVERY, Reading, readings
from pytest_vqamt.models.loading.config import check_model_type
from pytest_vqamt.models.loading.files import digest_of
from pytest_vqamt.models.loading.words import load_tokenizer
from pytest_vqamt.models.transformers.checkpoint import Checkpoint
from pytest_vqamt.models.transformers.inputs import load_image_processor
from pytest_vqamt.models.transformers.runtime import Runtime
from pytest_vqamt.models.transformers.weights import load_weights

if TYPE_CHECKING:
    from PIL.Image import Image
    from transformers import PreTrainedModel


_DELIMITERS = {"[CLS]": 101, "[SEP]": 102, ".": 1012, "?": 1029}
"""The tokens that part phrases from each other, with the numbers that transformers' code has them fixed to."""


class GroundingDino:
    """One checkpoint. Tokens see those of their own phrase alone, but all of the text decides what boxes there are."""

    kinds = ("grounding-dino", "mm-grounding-dino")
    least_score = 0.3
    reads_each_alone = False

    def __init__(self, checkpoint: Checkpoint, runtime: Runtime) -> None:
        """Loads all of it.

        Raises:
            ModelError: a file is missing or of another model.
        """
        from transformers import GroundingDinoForObjectDetection, MMGroundingDinoForObjectDetection

        kinds: dict[str, type[PreTrainedModel]] = {
            "grounding-dino": GroundingDinoForObjectDetection,
            "mm-grounding-dino": MMGroundingDinoForObjectDetection,
        }
        network = load_weights(kinds[check_model_type(checkpoint, self.kinds)], checkpoint, runtime)
        self._longest = int(network.config.max_text_len)
        self._tokenizer = load_tokenizer(checkpoint, int(network.config.text_config.vocab_size))
        numbers = {token: self._tokenizer.convert_tokens_to_ids(token) for token in _DELIMITERS}
        if numbers != _DELIMITERS:
            raise ModelError(
                f"Expected the tokens that part phrases to have the numbers {_DELIMITERS!r} in {checkpoint.folder}, as "
                f"BERT's tokenizer has them, but got {numbers!r}: phrases would run into each other"
            )
        self._look = Look(network=network, processor=load_image_processor(checkpoint), runtime=runtime)
        self._folder = checkpoint.folder

    @property
    def files(self) -> str:
        return digest_of(self._folder)

    def prompt(self, name: str) -> str:
        return name

    def groups(self, texts: Sequence[str]) -> Iterator[Sequence[str]]:
        group: list[str] = []
        room = self._longest - 2
        for text in texts:
            length = len(self._tokens(text))
            if not 1 < length <= self._longest - 2:
                raise ModelError(
                    f"Expected a text of 1 to {self._longest - 3} tokens, as many as the model in {self._folder} "
                    f"reads, but got text={text!r} of {length - 1}: say it in fewer words"
                )
            if length > room:
                yield tuple(group)
                group, room = [], self._longest - 2
            group.append(text)
            room -= length
        if group:
            yield tuple(group)

    def read(self, image: Image, texts: Sequence[str]) -> Sequence[Reading]:
        import torch

        ids, spans = [_DELIMITERS["[CLS]"]], []
        for text in texts:
            tokens = self._tokens(text)
            spans.append((len(ids), len(ids) + len(tokens) - 1))
            ids.extend(tokens)
        inputs = self._look.pixels(image)
        inputs["input_ids"] = torch.tensor([[*ids, _DELIMITERS["[SEP]"]]], device=inputs["pixel_values"].device)
        outputs = self._look(inputs)
        # The mean over a phrase's tokens, as the authors take it where names are scored (demo/test_ap_on_coco.py).
        tokens_fit = outputs.logits[0].sigmoid()
        scores = torch.stack([tokens_fit[:, start:end].mean(dim=1) for start, end in spans], dim=1)
        return readings(self._look.boxes(outputs, image, above=EVERY)["boxes"], scores)

    def _tokens(self, text: str) -> list[int]:
        """The tokens of a text in lower case, without stops and question marks, and the full stop that ends it."""
        plain = " ".join(text.lower().replace(".", " ").replace("?", " ").split())
        ids = cast("list[int]", self._tokenizer(plain, add_special_tokens=False)["input_ids"])
        return [*ids, _DELIMITERS["."]]
