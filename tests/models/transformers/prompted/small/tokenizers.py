"""Small tokenizers as generative checkpoints have them: byte pairs, to which no text is unknown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
from transformers import PreTrainedTokenizerFast

from tests.models.small.words import WORDS
from tests.models.transformers.prompted.small.writing import made

BEGIN, END, PAD = "<s>", "</s>", "<pad>"


def byte_pairs(
    special: Iterable[str] = (),
    *,
    begin: str | None = None,
    end: str = END,
    pad: str | None = PAD,
    named: Mapping[str, str] | None = None,
) -> PreTrainedTokenizerFast:
    """A byte-level tokenizer trained on the words that tests use.

    Args:
        special: further tokens that stand for no text, such as "<image>".
        begin: the token with which a text begins, which the tokenizer adds; none where the model has none.
        end: the token that ends an answer.
        pad: the token that fills up a batch; none where the tokenizer has none.
        named: attributes of the tokenizer that name special tokens, such as ``{"image_token": "<image>"}``.
    """
    tokens = dict.fromkeys((PAD, BEGIN, END, *([begin] if begin else []), end, *special, *(named or {}).values()))
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=256 + len(tokens) + 60,
        special_tokens=list(tokens),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator([" ".join(WORDS)] * 2, trainer)
    if begin:
        tokenizer.post_processor = processors.TemplateProcessing(
            single=f"{begin} $A", special_tokens=[(begin, tokenizer.token_to_id(begin))]
        )
    return made(
        PreTrainedTokenizerFast,
        tokenizer_object=tokenizer,
        bos_token=begin,
        eos_token=end,
        pad_token=pad,
        extra_special_tokens=dict(named or {}),
    )
