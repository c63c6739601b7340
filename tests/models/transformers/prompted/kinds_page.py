"""Writes what becomes of each kind into hf.md: ``python -m tests.models.transformers.prompted.kinds_page``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from transformers.models.auto.modeling_auto import MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES

from pytest_vqamt.models.transformers.prompted.generative import FAMILIES
from tests.models.transformers.prompted.conftest import CHECKPOINTS
from tests.models.transformers.prompted.small.rows import ROWS

PAGE = Path(__file__).parents[4] / "docs" / "reference" / "models" / "hf.md"

TRANSFORMERS = "5.23"
"""The version whose kinds the page lists."""

_BEGIN = "<!-- written by python -m tests.models.transformers.prompted.kinds_page -->"
_END = "<!-- until here -->"

NO_TEMPLATE: Mapping[str, str] = {
    "evolla": "reads proteins",
    "fuyu": "as published",
    "instructblipvideo": "reads films",
    "kosmos-2": "as published",
    "kosmos-2.5": "as published",
    "mistral4": "reads no pictures",
    "pi0": "moves a robot",
    "pix2struct": "reads its question in the picture",
    "pp_formulanet": "writes the formula in the picture",
    "udop": "reads the layout of documents",
    "vision-encoder-decoder": "takes no questions",
}
"""Kinds without a chat template, so that nothing says how a question is put to them."""

REFUSED: Mapping[str, str] = {
    "diffusion_gemma": "writes its whole answer at once, not token by token",
    "phi4_multimodal": "sees through an adapter beside its weights, which is not loaded",
    "shieldgemma2": "sorts pictures by policies, and writes nothing",
}
"""Kinds that are refused by name."""

_NOT_COMPARED: Mapping[str, str] = {
    "gemma3n": "needs timm, and has no small encoder there",
    "inkling_mm_model": "",
    "nemotron_h_omni": "",
}
"""Kinds of which no small checkpoint was built."""

EVERY = tuple(sorted({*MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES, *FAMILIES, *REFUSED}))
"""Every kind that transformers lists, and those it lists elsewhere."""


def outcome(kind: str) -> tuple[str, str]:
    """What becomes of a checkpoint of this kind, and what else is to be said."""
    if kind == "blip":
        return "refused", "has an adapter of its own: `blip:PATH`"
    if kind in REFUSED:
        return "refused", REFUSED[kind]
    if kind in NO_TEMPLATE:
        return "refused", f"no chat template: {NO_TEMPLATE[kind]}"
    row = ROWS.get(kind)
    if row is not None and row.needs:
        return f"needs {row.needs}", ""
    if row is not None or kind in FAMILIES or kind in CHECKPOINTS:
        return "works", ""
    return "not compared", _NOT_COMPARED[kind]


def section() -> str:
    """The part of hf.md between its two marks."""
    by_outcome: dict[str, list[str]] = {}
    for kind in EVERY:
        found, remark = outcome(kind)
        by_outcome.setdefault(found, []).append(f"`{kind}`{f' ({remark})' if remark else ''}")
    return "\n".join((_BEGIN, "", *_lines(by_outcome), "", _END))


def _lines(by_outcome: Mapping[str, list[str]]) -> Iterator[str]:
    yield "| | how many | `model_type` |"
    yield "|---|--:|---|"
    for found in ("works", "needs torchvision", "needs timm", "not compared", "refused"):
        yield f"| {found} | {len(by_outcome[found])} | {', '.join(by_outcome[found])} |"


def with_section(page: str) -> str:
    """The page with its part written anew."""
    before, _, rest = page.partition(_BEGIN)
    _, _, after = rest.partition(_END)
    return f"{before}{section()}{after}"


if __name__ == "__main__":
    PAGE.write_text(with_section(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
