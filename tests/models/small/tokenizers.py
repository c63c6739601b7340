"""Real WordPiece tokenizers of a few words, written to disk the way published checkpoints bring theirs."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from transformers import BertTokenizer

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
"""The tokens that come first, so that the padding token is number 0."""


def bert_tokenizer(
    folder: Path, words: Iterable[str], *, longest: int = 512, added: Iterable[str] = ()
) -> BertTokenizer:
    """A BERT tokenizer of the lower-case ``words``, and of every letter, digit and mark so that none is unknown.

    It is written into ``folder`` (``vocab.txt``, ``tokenizer.json``, ``tokenizer_config.json``) and read back from it.

    Args:
        folder: the checkpoint directory; made where it is not there.
        words: what is a token of its own; other words fall into letters.
        longest: how many tokens a text may have, as ``model_max_length`` says.
        added: further special tokens, such as "[DEC]"; they come last.
    """
    folder.mkdir(parents=True, exist_ok=True)
    marks = "!\"#$%&'()*+,-./:;<=>?@[]_`{|}~"
    letters = "abcdefghijklmnopqrstuvwxyz0123456789"
    tokens = dict.fromkeys((*SPECIAL, *marks, *letters, *(f"##{letter}" for letter in letters), *words))
    (folder / "vocab.txt").write_text("".join(f"{token}\n" for token in tokens), encoding="utf-8")
    vocabulary = {token: number for number, token in enumerate(tokens)}
    made = BertTokenizer(vocab=vocabulary, model_max_length=longest)
    made.add_special_tokens({"additional_special_tokens": list(added)})
    made.save_pretrained(folder)
    read: BertTokenizer = BertTokenizer.from_pretrained(folder, local_files_only=True)
    return read
