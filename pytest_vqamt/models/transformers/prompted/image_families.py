"""The families of checkpoints that put a picture into the prompt by a placeholder token."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Protocol, cast

from pytest_vqamt.core.conversation import Ability
from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.core.query import ModelInput
from pytest_vqamt.models.chat_settings import ChatSettings
from pytest_vqamt.models.prompts import INSTRUCTION_PROMPTS, Prompts
from pytest_vqamt.models.transformers.checkpoint import Checkpoint
from pytest_vqamt.models.transformers.inputs import (
    PICTURE_SHARE,
    BatchPictures,
    PictureFeatureCache,
    TextTokens,
    load_tokenizer,
    tokenize,
)
from pytest_vqamt.models.transformers.prompted.family import (
    CheckpointFamily,
    PretrainedModel,
    Processor,
    int_setting,
    processor_settings,
)
from pytest_vqamt.models.transformers.prompted.image_token_model import (
    ImageTokenModel,
    PicturePixels,
    PicturePreprocessor,
)
from pytest_vqamt.models.transformers.prompted.prompt_text import (
    ChatTemplate,
    Completions,
    Prompt,
    context_length,
    tokenize_prompts,
    trial_conversations,
)
from pytest_vqamt.models.transformers.runtime import Runtime

if TYPE_CHECKING:
    import torch
    from PIL.Image import Image


FLORENCE_PROMPTS = Prompts(question="", entailment="", caption="<CAPTION>")
"""Published checkpoints describe. They answer questions only where fine-tuned to, by a prompt of their own."""

_FLORENCE_TASKS = {
    "<CAPTION>": "What does the image describe?",
    "<DETAILED_CAPTION>": "Describe in detail what is shown in the image.",
    "<MORE_DETAILED_CAPTION>": "Describe with a paragraph what is shown in the image.",
}
"""Florence's description tasks, and what the model reads for them (Xiao et al. 2024)."""

_IMAGE_SEPARATOR = "<fake_token_around_image>"
_GLOBAL_IMAGE = "<global-img>"

PALIGEMMA_PROMPTS = Prompts(question="answer en {text}", entailment="", caption="caption en")
"""The tasks that the "mix" checkpoints were trained on; there is none for hypotheses.

https://ai.google.dev/gemma/docs/paligemma/prompt-system-instructions
"""

ENTAILMENT_PROMPT = f"Question: {INSTRUCTION_PROMPTS.entailment} Answer:"

OPT_PROMPTS = Prompts(question="Question: {text} Answer:", entailment=ENTAILMENT_PROMPT, caption="a photo of")
"""OPT continues a text (Li et al. 2023, section 4.1)."""

FLAN_T5_PROMPTS = Prompts(question="Question: {text} Short answer:", entailment=ENTAILMENT_PROMPT, caption="a photo of")
"""Flan-T5 follows instructions (same section)."""

INSTRUCTBLIP_PROMPTS = Prompts(
    question="Question: {text} Short answer:", entailment=ENTAILMENT_PROMPT, caption="A short image description:"
)
"""Templates of its training (Dai et al. 2023, appendix)."""

QFORMER_TOKENIZER = "qformer_tokenizer"
"""The subfolder of the Q-Former's tokenizer."""


class ChatModel(ImageTokenModel):
    """A checkpoint with a chat template."""

    def read_files(self, checkpoint: Checkpoint) -> None:
        super().read_files(checkpoint)
        self._template = ChatTemplate(checkpoint, self.tokenizer, self.image_marker, self.chat)
        self._takes = self._template.takes

    @property
    def takes(self) -> frozenset[Ability]:
        return self._takes

    def compare_prompts(self, processor: Processor) -> tuple[list[int], list[int]] | None:
        several = Ability.PICTURES in self._takes
        # What the template renders, the checkpoint's own processor must read as this family does.
        self._takes = frozenset(
            ability
            for ability in self._takes
            if not any(self.differing(processor, each) for each in trial_conversations(ability, several=several))
        )
        return super().compare_prompts(processor)

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
        return self._template.write(prompt.prompt, prompt.reasoning, prompt.turns)

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
        """The side in pixels of the square that becomes one token."""
        merged: object = getattr(self.config, "spatial_merge_size", 1)
        patch = int_setting(getattr(self.config, "vision_config", None), "patch_size")
        return patch * merged if isinstance(merged, int) else patch

    def picture_preprocessor(self, checkpoint: Checkpoint, runtime: Runtime) -> PicturePreprocessor:
        # As its processor does, so that sides are a multiple of what one token stands for.
        return PicturePreprocessor(checkpoint, runtime, patch_size=self._patch)

    def image_text(self, metadata: PicturePixels, length: int) -> str:
        height, width = metadata.tensors["image_sizes"][0].tolist()
        rows, columns = height // self._patch, width // self._patch
        # Rows of another length would shift the picture against its own positions, and nothing would fail.
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


class Florence(ImageTokenModel):
    """Florence-2 in the layout of transformers."""

    cls = "Florence2ForConditionalGeneration"
    prompts = FLORENCE_PROMPTS

    @property
    def adds_special_tokens(self) -> bool:
        return False

    def prompt(self, prompt: Prompt) -> str:
        words, text = self.tokenizer, prompt.prompt
        # As its processor does: the picture, then the task spelt out as a question.
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
        # Tokens of a picture attend to each other in both directions; without types they would be read as text.
        return {"token_type_ids": (tokens.ids == self.image_id).to(tokens.ids.dtype)}


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
        # Each tile and the whole picture have as many tokens.
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


class PaliGemma(ImageTokenModel):
    """PaliGemma and PaliGemma 2 (Beyer et al. 2024; Steiner et al. 2024)."""

    cls = "PaliGemmaForConditionalGeneration"
    prefix_is_causal = False
    prompts = PALIGEMMA_PROMPTS

    @property
    def adds_special_tokens(self) -> bool:
        return False

    def prompt(self, prompt: Prompt) -> str:
        return f"{self.image_marker}{self.tokenizer.bos_token}{prompt.prompt}\n"

    def extra_inputs(self, tokens: TextTokens, _metadata: Sequence[PicturePixels]) -> Mapping[str, torch.Tensor]:
        # Type 0 is the prefix, which attends to itself in both directions; only a suffix to be learned has type 1.
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


class Blip2Model(PretrainedModel, Protocol):
    """The further interface of transformers' BLIP-2 classes."""

    language_model: PretrainedModel
    query_tokens: torch.Tensor


class Blip2(CheckpointFamily):
    """BLIP-2 with OPT or Flan-T5."""

    cls = "Blip2ForConditionalGeneration"
    model: Blip2Model

    def __init__(self, checkpoint: Checkpoint, runtime: Runtime, chat: ChatSettings | None = None) -> None:
        super().__init__(checkpoint, runtime, chat)
        self.cache: PictureFeatureCache[PicturePixels, torch.Tensor] = PictureFeatureCache(
            self._preprocess_images,
            self._encoded,
            lambda made: made.nbytes,
            runtime.cache_bytes(PICTURE_SHARE),
        )
        self.caches = (self.cache,)

    def read_files(self, checkpoint: Checkpoint) -> None:
        self.pictures = PicturePreprocessor(checkpoint, self._runtime)

    @property
    def generator(self) -> PretrainedModel:
        return self.model.language_model

    @property
    def prompts(self) -> Prompts:
        # Checkpoints of both have the model type blip-2.
        return OPT_PROMPTS if self.is_decoder_only else FLAN_T5_PROMPTS

    @property
    def is_decoder_only(self) -> bool:
        """True if the language model continues its input, unlike an encoder-decoder."""
        return not self.config.get_text_config().is_encoder_decoder

    def encode(self, pixels: torch.Tensor) -> torch.Tensor:
        """Encodings of pictures that depend on no prompt, along the first axis."""
        return cast("torch.Tensor", self.model.get_image_features(pixel_values=pixels).pooler_output)

    def query_tokens(self, _prompts: Sequence[Prompt]) -> TextTokens | None:
        """The prompts tokenized for the Q-Former; None if it reads none."""
        return None

    def conditioned(self, encoded: torch.Tensor, _tokens: TextTokens | None) -> torch.Tensor:
        """The vectors that the language model gets for each prompt: (prompts, vectors, width)."""
        return encoded

    def preprocess(
        self, inputs: Sequence[ModelInput], prompts: Sequence[Prompt], max_tokens: int
    ) -> Callable[[], Completions]:
        query_tokens = self.query_tokens(prompts)
        room = context_length(self.config)
        if room is not None:
            # The picture's vectors come before the prompt; a decoder's answer after it.
            room -= self.model.query_tokens.shape[1] + (max_tokens if self.is_decoder_only else 0)
        tokens = tokenize_prompts(prompts, self.tokenizer, self._runtime, pad_left=self.is_decoder_only, room=room)
        return partial(self._generate, self.cache.preprocess(inputs), query_tokens, tokens, max_tokens)

    def _generate(
        self,
        inputs: BatchPictures[PicturePixels, torch.Tensor],
        query_tokens: TextTokens | None,
        prompt_tokens: TextTokens,
        max_tokens: int,
    ) -> Completions:
        import torch

        tokens = prompt_tokens.on(self._runtime)
        vectors = self.conditioned(
            torch.stack(self.cache.encoded(inputs)), query_tokens and query_tokens.on(self._runtime)
        )
        words = self.model.get_input_embeddings()(tokens.ids)
        cut = query_tokens.cut if query_tokens else (False,) * len(tokens.cut)
        return self.complete(
            max_tokens,
            [one or other for one, other in zip(tokens.cut, cut, strict=True)],
            prompt_tokens=0 if self.is_decoder_only else 1,
            inputs_embeds=torch.cat([vectors.to(words.dtype), words], dim=1),
            attention_mask=torch.cat([tokens.attended.new_ones(vectors.shape[:2]), tokens.attended], dim=1),
        )

    def _preprocess_images(self, images: Sequence[Image]) -> list[PicturePixels]:
        return [each.for_device(self._runtime, self.model.dtype) for each in self.pictures.each(images)]

    def _encoded(self, ready: Sequence[PicturePixels]) -> list[torch.Tensor]:
        import torch

        pixels = torch.cat([self._runtime.to_device(each.tensors["pixel_values"]) for each in ready])
        # Cloned, since the cache drops pictures one by one, and a slice would keep the whole batch in memory.
        return [each.clone() for each in self.encode(pixels)]


class _Output(Protocol):
    last_hidden_state: torch.Tensor


class _InstructBlipModel(Blip2Model, Protocol):
    vision_model: Callable[..., _Output]
    qformer: Callable[..., _Output]
    language_projection: Callable[[torch.Tensor], torch.Tensor]


class InstructBlip(Blip2):
    """InstructBLIP with Vicuna or Flan-T5."""

    cls = "InstructBlipForConditionalGeneration"

    @property
    def prompts(self) -> Prompts:
        return INSTRUCTBLIP_PROMPTS

    def read_files(self, checkpoint: Checkpoint) -> None:
        super().read_files(checkpoint)
        qformer = self.config.qformer_config
        self._longest = int_setting(qformer, "max_position_embeddings")
        self._qformer_tokenizer = load_tokenizer(
            checkpoint, int_setting(qformer, "vocab_size"), subfolder=QFORMER_TOKENIZER
        )

    def encode(self, pixels: torch.Tensor) -> torch.Tensor:
        return cast(_InstructBlipModel, self.model).vision_model(pixel_values=pixels).last_hidden_state

    def query_tokens(self, prompts: Sequence[Prompt]) -> TextTokens:
        return tokenize([each.prompt for each in prompts], self._qformer_tokenizer, self._longest, self._runtime)

    def conditioned(self, encoded: torch.Tensor, query_tokens: TextTokens | None) -> torch.Tensor:
        import torch

        assert query_tokens is not None, "its Q-Former reads the prompts"
        model = cast(_InstructBlipModel, self.model)
        # transformers keeps this parameter in 32 bits, also in a model of float16.
        queries = model.query_tokens.to(encoded.dtype).expand(len(encoded), -1, -1)
        found = model.qformer(
            input_ids=query_tokens.ids,
            attention_mask=torch.cat([query_tokens.attended.new_ones(queries.shape[:2]), query_tokens.attended], dim=1),
            query_embeds=queries,
            encoder_hidden_states=encoded,
            encoder_attention_mask=query_tokens.attended.new_ones(encoded.shape[:2]),
        ).last_hidden_state[:, : queries.shape[1]]
        return model.language_projection(found)
