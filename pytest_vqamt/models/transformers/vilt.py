"""``vilt[:PATH]``: ViLT with a head for questions, or with one for statements that are true or false.

Kim, Son and Kim, ViLT: Vision-and-Language Transformer Without Convolution or Region Supervision, ICML 2021.

``architectures`` in config.json names the head:

``ViltForQuestionAnswering``
    Answers questions by the best of the answers that ``id2label`` lists (3,129 in the published checkpoint).
``ViltForImagesAndTextClassification``
    Judges hypotheses. The published one (NLVR2) classifies statements about two pictures as true or false, and gets the
    same picture twice. True counts as entailment and False as contradiction; an answer is neutral only if the head has
    an output for it. **Deviation**: NLVR2's statements speak of a left and a right picture, hypotheses of one.

``ViltForImageAndTextRetrieval`` is refused: its one output ranks the texts of a picture, and no threshold on it means
that a text is true. The other heads (masked words, tokens) do none of the tasks.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import TYPE_CHECKING

from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.core.query import Answer, ModelInput, Task
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.transformers.checkpoint import (
    Checkpoint,
    check_model_type,
    first_architecture,
    locate_checkpoint,
    read_checkpoint_config,
    tasks_by_head,
)
from pytest_vqamt.models.transformers.classifier import answers_from_logits
from pytest_vqamt.models.transformers.inputs import (
    PictureTextModel,
    TensorPictures,
    TextTokens,
    preprocess_images,
)

if TYPE_CHECKING:
    import torch
    from PIL.Image import Image
    from transformers.image_processing_utils import BaseImageProcessor
    from transformers.models.vilt.modeling_vilt import ViltEmbeddings


DEFAULT = "dandelin/vilt-b32-finetuned-vqa"

_UNNAMED = re.compile(r"LABEL_\d+")
"""Transformers' placeholder for an unnamed output."""

_FOREIGN_ANSWER_LISTS = {
    "LXMERT": ("", "woods", "trash can", "hanging"),  # airsplay/lxmert, trainval_label2ans.json
    "VisualBERT": ("<unk>", "0", "000", "1"),  # Pythia, answers_vqa.txt
}
"""The beginnings of other models' lists that are as long as ViLT's, 3,129 answers."""

_LABEL_MEANINGS = {
    "true": "entailment", "yes": "entailment", "entailment": "entailment",
    "false": "contradiction", "no": "contradiction", "contradiction": "contradiction",
    "neutral": "neutral", "maybe": "neutral",
}  # fmt: skip

_LONGEST_TO_SHORTEST = 1333 / 800
"""The largest longer edge of ViLT's processor, divided by its target for the shorter edge."""


def load(argument: str, options: ModelOptions) -> ViltAnswers | ViltStatements:
    """The checkpoint ``argument``, a folder or a name on the hub; the published one where it is empty.

    Raises:
        ModelError: it is no checkpoint of ViLT, has no head for a task of ours, or is incomplete.
    """
    checkpoint = locate_checkpoint(argument, default=DEFAULT, kind="vilt")
    check_model_type(checkpoint, ("vilt",))
    architecture = first_architecture(checkpoint)
    # A ViLT checkpoint has one head, so the spec need not say which.
    for adapter in (ViltAnswers, ViltStatements):
        if adapter.head == architecture:
            return adapter(checkpoint, options)
    hint = ""
    if architecture == "ViltForImageAndTextRetrieval":
        hint = "; a retrieval head orders the texts of a picture, and no threshold on its score tells what is true"
    raise ModelError(
        "Expected architectures to be ViltForQuestionAnswering or ViltForImagesAndTextClassification in "
        f"{checkpoint.folder / 'config.json'}, but got architecture={architecture!r}{hint}"
    )


def tasks(argument: str, _options: ModelOptions) -> tuple[Task, ...] | None:
    """The task of its head, from the configuration; None where loading says what is wrong with it."""
    heads = {ViltAnswers.head: Task.VQA, ViltStatements.head: Task.ENTAILMENT}
    return tasks_by_head(argument, DEFAULT, "vilt", heads)


class _ViltHead(PictureTextModel):
    kind = "vilt"
    most_at_once = 512

    def _embed(self, pictures: TensorPictures, texts: TextTokens) -> tuple[Patches, TextTokens]:
        """The patches and tokens of each input, on the device."""
        return pad_patches(self._cache.encoded(pictures)), texts.on(self._runtime)

    def _preprocess_images(self, images: Sequence[Image]) -> list[torch.Tensor]:
        """(3, height, width) each, in 32 bits, as the patches are cut: 2.8 MB a picture at the published size."""
        pixels = preprocess_images(images, partial(vilt_pixels, processor=self._processor), self._runtime)
        return [self._runtime.pin(each) for each in pixels]

    def _encode(self, ready: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        """The embedded patches of each picture, (1 + patches, width)."""
        return embed_pictures([self._runtime.to_device(each) for each in ready], self._model.vilt.embeddings)


class ViltAnswers(_ViltHead):
    """ViLT as a classifier of questions."""

    head = "ViltForQuestionAnswering"

    def __init__(self, checkpoint: Checkpoint, options: ModelOptions) -> None:
        # Before the weights, which take seconds to load.
        self._labels = read_answer_labels(checkpoint)
        super().__init__(checkpoint, options)

    def answer(self, batch: Sequence[ModelInput]) -> tuple[Answer, ...]:
        """The best answer to each question, with the independent probabilities of the five best."""
        return self._answer_batch(Task.VQA, batch)

    def _answers(self, pictures: TensorPictures, texts: TextTokens) -> tuple[Answer, ...]:
        logits = self._logits(*self._embed(pictures, texts))
        return answers_from_logits(logits, logits.sigmoid(), self._labels, texts.cut)

    def _logits(self, patches: Patches, tokens: TextTokens) -> torch.Tensor:
        """float32 (inputs, answers)."""
        logits: torch.Tensor = self._model(
            input_ids=tokens.ids,
            attention_mask=tokens.attended,
            image_embeds=patches.embedded,
            pixel_mask=patches.counted,
        ).logits
        return logits.float()


class ViltStatements(_ViltHead):
    """ViLT as a judge of statements. Each picture is repeated for all places of the head."""

    head = "ViltForImagesAndTextClassification"

    def __init__(self, checkpoint: Checkpoint, options: ModelOptions) -> None:
        _check_num_images(checkpoint)
        self._labels = read_entailment_labels(checkpoint)
        super().__init__(checkpoint, options)

    def entail(self, batch: Sequence[ModelInput]) -> tuple[Answer, ...]:
        """The label of each hypothesis, with the probability of each label."""
        return self._answer_batch(Task.ENTAILMENT, batch)

    def _answers(self, pictures: TensorPictures, texts: TextTokens) -> tuple[Answer, ...]:
        logits = self._logits(*self._embed(pictures, texts))
        return answers_from_logits(logits, logits.softmax(dim=1), self._labels, texts.cut)

    def _logits(self, patches: Patches, tokens: TextTokens) -> torch.Tensor:
        """float32 (inputs, labels), each picture being in all places."""
        places = self._model.config.num_images
        logits: torch.Tensor = self._model(
            input_ids=tokens.ids,
            attention_mask=tokens.attended,
            image_embeds=patches.embedded.unsqueeze(1).expand(-1, places, -1, -1),
            pixel_mask=patches.counted[:, None, :, None].expand(-1, places, -1, -1),
        ).logits
        return logits.float()


def _check_num_images(checkpoint: Checkpoint) -> None:
    """Raises ModelError where the configuration does not say how many pictures a statement is about."""
    count = read_checkpoint_config(checkpoint).get("num_images")
    if not isinstance(count, int) or count < 1:
        raise ModelError(
            f"Expected in {checkpoint.folder / 'config.json'} how many pictures a statement is about, but got "
            f"num_images={count!r}: take the config.json that came with the weights"
        )


def read_answer_labels(checkpoint: Checkpoint) -> tuple[str, ...]:
    """The answers of a question head, in the order of its outputs.

    Raises:
        ModelError: there are none, or they are not this head's.
    """
    labels = _labels(checkpoint)
    other = next((name for name, begins in _FOREIGN_ANSWER_LISTS.items() if labels[: len(begins)] == begins), None)
    # Both lists have 3,129 answers, so their length shows nothing.
    if other is not None:
        raise ModelError(
            f"Expected ViLT's own answers as id2label in {_config_path(checkpoint)}, but got {other}'s list, which "
            f"begins {_FOREIGN_ANSWER_LISTS[other]!r}: both have 3,129 answers, but ViLT has them in another order, so "
            "that each output would be called by another's name. Take the config.json that came with the weights"
        )
    return labels


def read_entailment_labels(checkpoint: Checkpoint) -> tuple[str, ...]:
    """The entailment label of each output of a statement head.

    Raises:
        ModelError: an output has no such label, or two have the same.
    """
    labels = _labels(checkpoint)
    meant = tuple(_LABEL_MEANINGS.get(label.strip().lower(), "") for label in labels)
    if not {"entailment", "contradiction"} <= set(meant) or "" in meant or len(set(meant)) < len(meant):
        raise ModelError(
            "Expected the outputs True and False, or entailment, neutral and contradiction, as id2label in "
            f"{_config_path(checkpoint)}, but got id2label={dict(enumerate(labels[:5]))!r}: a head that was trained to "
            "tell something else says nothing about entailment"
        )
    return meant


def _labels(checkpoint: Checkpoint) -> tuple[str, ...]:
    named = read_checkpoint_config(checkpoint).get("id2label")
    if not isinstance(named, Mapping) or not named:
        raise ModelError(
            f"Expected id2label in {_config_path(checkpoint)}, which says what each output of the head stands for, but "
            "there is none: take the config.json that came with the weights"
        )
    # A gap would move all later answers by one.
    if {str(key) for key in named} != {str(number) for number in range(len(named))}:
        raise ModelError(
            f"Expected id2label in {_config_path(checkpoint)} to number the answers from 0 to {len(named) - 1}, but it "
            "does not: take the config.json that came with the weights"
        )
    labels = tuple(str(named[str(number)]) for number in range(len(named)))
    unnamed = [label for label in labels if _UNNAMED.fullmatch(label)]
    if unnamed:
        raise ModelError(
            f"Expected answers as id2label in {_config_path(checkpoint)}, but got {unnamed[0]!r} ({len(unnamed)} "
            "such), which transformers writes where the outputs have no names: take the config.json that came with the "
            "weights"
        )
    return labels


def _config_path(checkpoint: Checkpoint) -> str:
    return str(checkpoint.folder / "config.json")


# ``ViltEmbeddings.visual_embed`` of transformers draws from torch's global random state in two places: it shuffles the
# patches of the picture that has most of them (harmless but for rounding), and where ``max_image_length`` is less than
# a picture has, it samples the visible patches, so that the same picture gives another answer each time. Here patches
# stay in reading order, and the visible ones depend only on the numbers of rows and columns: a picture and its edited
# follow-up are seen at the same places, whatever else is in the batch, and no global random state is touched.


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Patches:
    """The embedded patches of some pictures, the class token first."""

    embedded: torch.Tensor
    """(pictures, tokens, width), padded with zeros."""
    counted: torch.Tensor
    """Int64 (pictures, tokens), 1 for a patch and 0 for padding."""


def vilt_pixels(image: Image, processor: BaseImageProcessor) -> torch.Tensor:
    """The picture resized and normalized by ViLT's processor over PIL: float32, (3, height, width), RGB, unpadded."""
    import torch

    (pixels,) = processor(_widened(image.convert("RGB"), processor), do_pad=False)["pixel_values"]
    return torch.as_tensor(pixels, dtype=torch.float32)


def embed_pictures(pictures: Sequence[torch.Tensor], embeddings: ViltEmbeddings) -> list[torch.Tensor]:
    """The class token and the patches of each picture with their positions: (1 + patches, width).

    Pictures, (3, height, width) each, of the same size go through the convolution together.
    """
    import torch

    places: dict[torch.Size, list[int]] = {}
    for place, pixels in enumerate(pictures):
        places.setdefault(pixels.shape, []).append(place)
    embedded: dict[int, torch.Tensor] = {}
    for some in places.values():
        together = _embed_equal(torch.stack([pictures[place] for place in some]), embeddings)
        # Cloned, since the cache drops pictures one by one, and a slice would keep the whole batch in memory.
        embedded.update((place, tokens.clone()) for place, tokens in zip(some, together, strict=True))
    return [embedded[place] for place in range(len(pictures))]


def pad_patches(tokens: Sequence[torch.Tensor]) -> Patches:
    """Pads the tokens of several pictures to one length."""
    import torch
    from torch.nn.utils.rnn import pad_sequence

    return Patches(
        embedded=pad_sequence(list(tokens), batch_first=True),
        counted=pad_sequence(
            [torch.ones(len(each), dtype=torch.int64, device=each.device) for each in tokens], batch_first=True
        ),
    )


def visible_patches(rows: int, columns: int, most: int) -> list[int]:
    """The visible patches of a grid, in reading order: all, or ``most`` of them in a fixed random sample.

    >>> visible_patches(2, 3, -1)
    [0, 1, 2, 3, 4, 5]
    >>> len(visible_patches(20, 20, 200)), visible_patches(20, 20, 200) == visible_patches(20, 20, 200)
    (200, True)
    """
    count = rows * columns
    if most < 0 or count <= most:
        return list(range(count))
    return sorted(Random(f"{rows}x{columns}").sample(range(count), most))


def _embed_equal(pixels: torch.Tensor, embeddings: ViltEmbeddings) -> torch.Tensor:
    """(pictures, 3, height, width) to (pictures, 1 + patches, width)."""
    import torch
    from torch.nn.functional import interpolate

    patches = embeddings.patch_embeddings(pixels)
    pictures, width, rows, columns = patches.shape
    # As transformers does: the grid of learned positions is stretched to that of the picture.
    side = embeddings.config.image_size // embeddings.config.patch_size
    positions = embeddings.position_embeddings
    grid = positions[:, 1:].transpose(1, 2).reshape(1, width, side, side)
    fitted = interpolate(grid, size=(rows, columns), mode="bilinear", align_corners=True)
    tokens = (patches + fitted).flatten(2).transpose(1, 2)
    first = (embeddings.cls_token + positions[:, :1]).expand(pictures, -1, -1)
    return torch.cat((first, tokens[:, visible_patches(rows, columns, embeddings.config.max_image_length)]), dim=1)


def _widened(image: Image, processor: BaseImageProcessor) -> Image:
    """Widens a picture that resizing would leave without a single column of patches."""
    shortest = getattr(getattr(processor, "size", None), "shortest_edge", None)
    divisor = getattr(processor, "size_divisor", None)
    # Of another form of processor nothing is known.
    if not shortest or not divisor:
        return image
    # The processor rounds sides down to a multiple of `divisor`, which may be 0 for a strip of 2000 x 20 pixels.
    longest = int(_LONGEST_TO_SHORTEST * shortest)
    least = -(-max(image.size) * divisor // longest)
    if min(image.size) >= least:
        return image
    return image.resize((max(image.width, least), max(image.height, least)))
