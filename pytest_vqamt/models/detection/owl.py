"""OWL-ViT and OWLv2: every patch of the picture proposes a box, and each text is held against each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, cast

from pytest_vqamt.annotation.detectors.base import Look
from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.language.english.nouns import indefinite
from pytest_vqamt.models.detection.reading import EVERY, Reading, readings
from pytest_vqamt.models.loading.config import check_model_type
from pytest_vqamt.models.loading.files import digest_of
from pytest_vqamt.models.loading.words import load_tokenizer
from pytest_vqamt.models.transformers.checkpoint import Checkpoint
from pytest_vqamt.models.transformers.inputs import load_image_processor
from pytest_vqamt.models.transformers.runtime import Runtime
from pytest_vqamt.models.transformers.weights import load_weights

if TYPE_CHECKING:
    import torch
    from PIL.Image import Image
    from transformers import PreTrainedModel


class Owl:
    """One checkpoint."""

    kinds = ("owlvit", "owlv2")
    least_score = 0.2
    reads_each_alone = True

    def __init__(self, checkpoint: Checkpoint, runtime: Runtime) -> None:
        """Loads all of it.

        Raises:
            ModelError: a file is missing or of another model.
        """
        from transformers import Owlv2ForObjectDetection, OwlViTForObjectDetection

        kinds: dict[str, type[PreTrainedModel]] = {"owlvit": OwlViTForObjectDetection, "owlv2": Owlv2ForObjectDetection}
        network = load_weights(kinds[check_model_type(checkpoint, self.kinds)], checkpoint, runtime)
        text = network.config.text_config
        self._longest = int(text.max_position_embeddings)
        self._tokenizer = load_tokenizer(checkpoint, int(text.vocab_size))
        self._look = Look(network=network, processor=load_image_processor(checkpoint), runtime=runtime)
        self._folder = checkpoint.folder

    @property
    def files(self) -> str:
        return digest_of(self._folder)

    def prompt(self, name: str) -> str:
        """As in Minderer et al. (ECCV 2022), who use this and six more of CLIP's."""
        return f"a photo of {indefinite(name)}"

    def groups(self, texts: Sequence[str]) -> Iterator[Sequence[str]]:
        for text in texts:
            length = len(self._tokenizer(text)["input_ids"])
            if not text.strip() or length > self._longest:
                raise ModelError(
                    f"Expected a text of 1 to {self._longest} tokens, as many as the model in {self._folder} reads, "
                    f"but got text={text!r} of {length}: say it in fewer words"
                )
        if texts:
            yield texts

    def read(self, image: Image, texts: Sequence[str]) -> Sequence[Reading]:
        inputs = self._look.pixels(image)
        told = self._tokenizer(list(texts), padding="max_length", max_length=self._longest, return_tensors="pt")
        device = inputs["pixel_values"].device
        inputs |= {name: cast("torch.Tensor", told[name]).to(device) for name in ("input_ids", "attention_mask")}
        outputs = self._look(inputs)
        # OWLv2 is shown the picture in the corner of a square, and its boxes are shares of that; the processor knows.
        return readings(self._look.boxes(outputs, image, above=EVERY)["boxes"], outputs.logits[0].sigmoid())
