"""The families of checkpoints that put a picture into the prompt by a placeholder token."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, cast

from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.models.prompts import Prompts
from pytest_vqamt.models.transformers.checkpoint import Checkpoint
from pytest_vqamt.models.transformers.inputs import TextTokens
from pytest_vqamt.models.transformers.prompted.base import int_setting
from pytest_vqamt.models.transformers.prompted.image_token_model import (
    ImageTokenModel,
    PicturePixels,
    PicturePreprocessor,
)
from pytest_vqamt.models.transformers.prompted.processors import processor_settings
from pytest_vqamt.models.transformers.prompted.text import ChatTemplate, Prompt
from pytest_vqamt.models.transformers.runtime import Runtime

if TYPE_CHECKING:
    import torch


class ChatModel(ImageTokenModel):
    """A checkpoint with a chat template."""

    def read_files(self, checkpoint: Checkpoint) -> None:
        super().read_files(checkpoint)
        self._template = ChatTemplate(checkpoint, self.tokenizer, self.image_marker, self.chat)

    @property
    def adds_special_tokens(self) -> bool:
        return not self._template.begins

    @property
    def switches_reasoning(self) -> bool:
        return self._template.switches_reasoning

    @property
    def reasons(self) -> bool:
        return self._template.reasons

    def opening(self, reasoning: bool | None) -> str:
        return self._template.opening(reasoning)

    def prompt(self, prompt: Prompt) -> str:
        return self._template.write(prompt.prompt, prompt.reasoning)

    processor_text = prompt


class LlavaChat(ChatModel):
    """LLaVA 1.5 and its relatives (Liu et al. 2024)."""

    cls = "LlavaForConditionalGeneration"


class LlavaNextChat(ChatModel):
    """LLaVA-NeXT, which sees a picture whole and in tiles."""

    cls = "LlavaNextForConditionalGeneration"


class PixtralChat(ChatModel):
    """Pixtral in LLaVA's layout: its rows of patches are separated by a token (Agrawal et al. 2024).

    Its own processor cannot be imported without torchvision, so its rows are written here.
    """

    cls = "LlavaForConditionalGeneration"
    processor_name = "PixtralProcessor"
    encoder_inputs = ("image_sizes",)

    def read_files(self, checkpoint: Checkpoint) -> None:
        settings = processor_settings(checkpoint)
        self._break = str(settings.get("image_break_token", "[IMG_BREAK]"))
        self._end = str(settings.get("image_end_token", "[IMG_END]"))
        known = self.tokenizer.get_vocab()
        if missing := [token for token in (self._break, self._end) if token not in known]:
            raise ModelError(
                f"Expected the tokenizer in {checkpoint.folder} to know the tokens that end a row of patches and a "
                f"picture, but it has no {' and no '.join(missing)}: its files are incomplete or of another model"
            )
        super().read_files(checkpoint)

    @property
    def _patch(self) -> int:
        """The side of the square that a token stands for, in pixels."""
        merged: object = getattr(self.config, "spatial_merge_size", 1)
        patch = int_setting(getattr(self.config, "vision_config", None), "patch_size")
        return patch * merged if isinstance(merged, int) else patch

    def picture_preprocessor(self, checkpoint: Checkpoint, runtime: Runtime) -> PicturePreprocessor:
        # As its processor does, so that sides are a multiple of what one token stands for.
        return PicturePreprocessor(checkpoint, runtime, patch_size=self._patch)

    def image_text(self, metadata: PicturePixels, length: int) -> str:
        height, width = metadata.tensors["image_sizes"][0].tolist()
        rows, columns = height // self._patch, width // self._patch
        if rows * columns != length:
            raise ModelError(
                f"Expected a picture of {width} x {height} pixels to have {columns} x {rows} tokens, but the model "
                f"makes {length} of it: preprocessor_config.json and config.json belong to different checkpoints"
            )
        return self._break.join([self.image_token * columns] * rows) + self._end


class Mistral3Chat(PixtralChat):
    """Mistral 3, which merges the patches of Pixtral's encoder by squares."""

    cls = "Mistral3ForConditionalGeneration"


class MistralLarge4Chat(Mistral3Chat):
    """Mistral Large 4, which reads pictures as Mistral 3 does."""

    cls = "MistralLarge4ForConditionalGeneration"


FLORENCE_PROMPTS = Prompts(question="", entailment="", caption="<CAPTION>")
"""Published checkpoints describe. They answer questions only where fine-tuned to, by a prompt of their own."""

_FLORENCE_TASKS = {
    "<CAPTION>": "What does the image describe?",
    "<DETAILED_CAPTION>": "Describe in detail what is shown in the image.",
    "<MORE_DETAILED_CAPTION>": "Describe with a paragraph what is shown in the image.",
}
"""Florence's description tasks, and what the model reads for them (Xiao et al. 2024)."""


class Florence(ImageTokenModel):
    """Florence-2 in the layout of transformers."""

    cls = "Florence2ForConditionalGeneration"
    prompts = FLORENCE_PROMPTS

    @property
    def adds_special_tokens(self) -> bool:
        return False

    def prompt(self, prompt: Prompt) -> str:
        words, text = self.tokenizer, prompt.prompt
        return f"{self.image_marker}{words.bos_token}{_FLORENCE_TASKS.get(text, text)}{words.eos_token}"


class Gemma3Chat(ChatModel):
    """Gemma 3 with pictures. "Pan and scan", which adds crops of long pictures, is off, as in its processor."""

    cls = "Gemma3ForConditionalGeneration"

    def picture_preprocessor(self, checkpoint: Checkpoint, runtime: Runtime) -> PicturePreprocessor:
        return PicturePreprocessor(checkpoint, runtime, do_pan_and_scan=False, do_convert_rgb=True)

    def read_files(self, checkpoint: Checkpoint) -> None:
        self._begin = self._word(int_setting(self.config, "boi_token_index"), checkpoint)
        self._end = self._word(int_setting(self.config, "eoi_token_index"), checkpoint)
        super().read_files(checkpoint)

    @property
    def image_marker(self) -> str:
        return self._begin

    def image_text(self, _metadata: PicturePixels, length: int) -> str:
        return f"\n\n{self._begin}{self.image_token * length}{self._end}\n\n"

    def extra_inputs(self, tokens: TextTokens, _metadata: Sequence[PicturePixels]) -> Mapping[str, torch.Tensor]:
        return {"token_type_ids": (tokens.ids == self.image_id).to(tokens.ids.dtype)}


_IMAGE_SEPARATOR = "<fake_token_around_image>"
_GLOBAL_IMAGE = "<global-img>"


class Idefics3Chat(ChatModel):
    """Idefics3 (Laurencon et al. 2024)."""

    cls = "Idefics3ForConditionalGeneration"

    def picture_preprocessor(self, checkpoint: Checkpoint, runtime: Runtime) -> PicturePreprocessor:
        return PicturePreprocessor(checkpoint, runtime, nested=True, return_row_col_info=True)

    def parts(self, pixels: PicturePixels) -> int:
        rows, columns = _tile_grid(pixels)
        return rows * columns + 1

    def image_text(self, metadata: PicturePixels, length: int) -> str:
        rows, columns = _tile_grid(metadata)
        tile = self.image_token * (length // (rows * columns + 1))
        lines = [
            "".join(f"{_IMAGE_SEPARATOR}<row_{row + 1}_col_{column + 1}>{tile}" for column in range(columns)) + "\n"
            for row in range(rows)
        ]
        split = "".join(lines) + "\n" if lines else ""
        return f"{split}{_IMAGE_SEPARATOR}{_GLOBAL_IMAGE}{tile}{_IMAGE_SEPARATOR}"


def _tile_grid(pixels: PicturePixels) -> tuple[int, int]:
    """The rows and columns of a picture's tiles; (0, 0) for a small picture."""
    (rows,), (columns,) = (cast("Sequence[Sequence[int]]", pixels.lists[name]) for name in ("rows", "cols"))
    return int(rows[0]), int(columns[0])


class SmolVlmChat(Idefics3Chat):
    """SmolVLM and SmolVLM2, which read pictures as Idefics3 does."""

    cls = "SmolVLMForConditionalGeneration"


PALIGEMMA_PROMPTS = Prompts(question="answer en {text}", entailment="", caption="caption en")
"""The tasks that the "mix" checkpoints were trained on; there is none for hypotheses.

https://ai.google.dev/gemma/docs/paligemma/prompt-system-instructions
"""


class PaliGemma(ImageTokenModel):
    """PaliGemma and PaliGemma 2 (Beyer et al. 2024; Steiner et al. 2024)."""

    cls = "PaliGemmaForConditionalGeneration"
    prompts = PALIGEMMA_PROMPTS

    @property
    def adds_special_tokens(self) -> bool:
        return False

    def prompt(self, prompt: Prompt) -> str:
        return f"{self.image_marker}{self.tokenizer.bos_token}{prompt.prompt}\n"

    def extra_inputs(self, tokens: TextTokens, _metadata: Sequence[PicturePixels]) -> Mapping[str, torch.Tensor]:
        return {"token_type_ids": tokens.ids * 0}


# The processor of these checkpoints wants torchvision, for videos, so its part for pictures is done here: one token for
# each square of merged patches, and ``mm_token_type_ids``, without which positions would count the picture as a line of
# text and every answer change in silence.


class Qwen2VlChat(ChatModel):
    """Qwen2-VL (Wang et al. 2024)."""

    cls = "Qwen2VLForConditionalGeneration"
    takes_pixels = True

    def picture_preprocessor(self, checkpoint: Checkpoint, runtime: Runtime) -> PicturePreprocessor:
        return PicturePreprocessor(
            checkpoint, runtime, min_pixels=self.chat.min_pixels, max_pixels=self.chat.max_pixels
        )

    def extra_inputs(self, tokens: TextTokens, metadata: Sequence[PicturePixels]) -> Mapping[str, torch.Tensor]:
        import torch

        return {
            "mm_token_type_ids": (tokens.ids == self.image_id).int(),
            "image_grid_thw": torch.cat([each.tensors["image_grid_thw"] for each in metadata]).to(tokens.ids.device),
        }


class Qwen25VlChat(Qwen2VlChat):
    """Qwen2.5-VL."""

    cls = "Qwen2_5_VLForConditionalGeneration"


class Qwen3VlChat(Qwen2VlChat):
    """Qwen3-VL."""

    cls = "Qwen3VLForConditionalGeneration"
