"""The published checkpoint's tensors, written down from its description: a table that owes nothing to our modules.

Source: ``modeling_frcnn.py`` of Hugging Face's LXMERT example and the configuration beside it. Widths can be made
smaller, so that the same layout serves for small checkpoints.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

Shape = tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Widths:
    """What the shapes depend on; as published where nothing is said."""

    stem: int = 64
    middle: int = 64
    out: int = 256
    blocks: tuple[int, int, int, int] = (3, 4, 23, 3)
    anchors: int = 12
    hidden: int = 512
    classes: int = 1600
    attributes: int = 400


PUBLISHED = Widths()


def table(widths: Widths = PUBLISHED) -> dict[str, Shape]:
    """Every key with its shape."""
    return dict(_all(widths))


def _all(w: Widths) -> Iterator[tuple[str, Shape]]:
    yield from _conv_bn("backbone.stem.conv1", w.stem, 3, 7)
    for number, (blocks, factor) in enumerate(zip(w.blocks[:3], (1, 2, 4), strict=True), start=2):
        inputs = w.stem if factor == 1 else factor * w.out // 2
        yield from _stage(f"backbone.res{number}", blocks, inputs, factor * w.middle, factor * w.out)
    rpn = "proposal_generator.rpn_head"
    yield "proposal_generator.anchor_generator.cell_anchors.0", (w.anchors, 4)
    yield from _with_bias(f"{rpn}.conv", (w.hidden, 4 * w.out, 3, 3))
    yield from _with_bias(f"{rpn}.objectness_logits", (w.anchors, w.hidden, 1, 1))
    yield from _with_bias(f"{rpn}.anchor_deltas", (4 * w.anchors, w.hidden, 1, 1))
    yield from _stage("roi_heads.res5", w.blocks[3], 4 * w.out, 8 * w.middle, 8 * w.out)
    head, features = "roi_heads.box_predictor", 8 * w.out
    yield from _with_bias(f"{head}.cls_score", (w.classes + 1, features))
    yield from _with_bias(f"{head}.bbox_pred", (4 * w.classes, features))
    yield f"{head}.cls_embedding.weight", (w.classes + 1, features // 8)
    yield from _with_bias(f"{head}.fc_attr", (features // 4, features + features // 8))
    yield from _with_bias(f"{head}.attr_score", (w.attributes + 1, features // 4))


def _stage(name: str, blocks: int, inputs: int, middle: int, outputs: int) -> Iterator[tuple[str, Shape]]:
    for block in range(blocks):
        here = inputs if block == 0 else outputs
        if block == 0:
            yield from _conv_bn(f"{name}.0.shortcut", outputs, here, 1)
        yield from _conv_bn(f"{name}.{block}.conv1", middle, here, 1)
        yield from _conv_bn(f"{name}.{block}.conv2", middle, middle, 3)
        yield from _conv_bn(f"{name}.{block}.conv3", outputs, middle, 1)


def _conv_bn(name: str, outputs: int, inputs: int, size: int) -> Iterator[tuple[str, Shape]]:
    yield f"{name}.weight", (outputs, inputs, size, size)
    for part in ("weight", "bias", "running_mean", "running_var"):
        yield f"{name}.norm.{part}", (outputs,)
    yield f"{name}.norm.num_batches_tracked", ()


def _with_bias(name: str, shape: Shape) -> Iterator[tuple[str, Shape]]:
    yield f"{name}.weight", shape
    yield f"{name}.bias", shape[:1]
