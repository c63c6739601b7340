"""BLIP's language model, as it puts answers and captions into words."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.models.finite_scores import check_step

if TYPE_CHECKING:
    import torch
    from transformers.models.blip.modeling_blip_text import BlipTextLMHeadModel


def decode(
    decoder: BlipTextLMHeadModel,
    begun: torch.Tensor,
    attended: torch.Tensor,
    counted: torch.Tensor | None,
    longest: int,
) -> torch.Tensor:
    """The likeliest next tokens, one after the other, up to so many: int64 (inputs, tokens), what was begun left off.

    Args:
        decoder: BLIP's language model.
        begun: int64 (inputs, tokens), what each text begins with.
        attended: (inputs, length, width), what is looked at.
        counted: int64 (inputs, length), 0 for padding; None where there is none.
        longest: how many tokens may follow.
    """
    import torch
    from transformers import GenerationConfig, LogitsProcessorList

    config = decoder.config
    # Given whole, since checkpoints of 2022 have settings of generation in their model's configuration.
    settings = GenerationConfig(  # type: ignore[no-untyped-call]  # transformers does not annotate it
        max_new_tokens=longest,
        do_sample=False,
        num_beams=1,
        bos_token_id=config.bos_token_id,
        eos_token_id=config.sep_token_id,
        pad_token_id=config.pad_token_id,
    )
    said = decoder.generate(  # type: ignore[misc]  # what it is a method of is declared by another class
        input_ids=begun,
        attention_mask=torch.ones_like(begun),
        encoder_hidden_states=attended,
        encoder_attention_mask=counted,
        generation_config=settings,
        logits_processor=LogitsProcessorList([check_step]),
    )
    return cast("torch.Tensor", said)[:, begun.shape[1] :]


def heed_padding(decoder: BlipTextLMHeadModel) -> None:
    """Makes the decoder leave padding out, so that no answer depends on the batch's other questions.

    In transformers 5.19 to 5.23 ``BlipTextAttention`` is given the mask as ``attention_mask``, where looking at other
    states wants it as ``encoder_attention_mask``, and drops it.

    Raises:
        ModelError: it does not help with the version that is installed.
    """
    import torch
    import transformers

    def handed_on(
        _module: object, args: tuple[object, ...], named: dict[str, object]
    ) -> tuple[tuple[object, ...], dict[str, object]]:
        if named.get("encoder_attention_mask") is None:
            named["encoder_attention_mask"] = named.get("attention_mask")
        return args, named

    for name, module in decoder.named_modules():
        if name.endswith(".crossattention.self"):
            module.register_forward_pre_hook(handed_on, with_kwargs=True)
    begun = torch.tensor([[decoder.config.bos_token_id]], device=decoder.device)
    attended = torch.ones((1, 2, decoder.config.hidden_size), device=decoder.device, dtype=decoder.dtype)
    counted = torch.tensor([[1, 0]], device=decoder.device)
    with torch.inference_mode():
        one, other = (
            decoder(begun, encoder_hidden_states=states, encoder_attention_mask=counted).logits
            for states in (attended, attended * torch.tensor([[[1.0], [2.0]]]).to(attended))
        )
    if not torch.allclose(one, other, rtol=0, atol=0, equal_nan=True):  # what is no number each query tells
        raise ModelError(
            f"Expected BLIP's decoder to leave padding out, but that of transformers {transformers.__version__} does "
            "not, so that answers would depend on the batch: install transformers 5.23"
        )
