"""The whole network: the pixels of one picture to what was made of each proposal."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from pytest_vqamt.models.region_models.frcnn.config import DetectorConfig
from pytest_vqamt.models.regions.backbone import Backbone
from pytest_vqamt.models.regions.heads import Candidates, RoIHeads
from pytest_vqamt.models.regions.proposals import ProposalGenerator


class Network(nn.Module):
    """Faster R-CNN with attributes (Anderson et al., CVPR 2018); its keys are those of the published checkpoint."""

    def __init__(self, config: DetectorConfig) -> None:
        super().__init__()
        self.backbone = Backbone(config)
        self.proposal_generator = ProposalGenerator(config)
        self.roi_heads = RoIHeads(config)

    def forward(self, pixels: Tensor) -> Candidates:
        """What was made of each proposal, the best first; none where the picture gives none.

        Args:
            pixels: float32 (1, 3, height, width), of one resized picture, the mean subtracted.

        Raises:
            FloatingPointError: the features overflow.
        """
        height, width = pixels.shape[2:]
        res4 = self.backbone(pixels.to(self.precision, memory_format=torch.channels_last))
        if not res4.isfinite().all():
            raise FloatingPointError(
                f"Expected features of the picture that are numbers, but in {self.precision} some are not: give "
                "--vqamt-dtype=float32"
            )
        proposals = self.proposal_generator(res4.float(), width, height)
        candidates: Candidates = self.roi_heads(res4, proposals, width, height)
        return candidates

    @property
    def precision(self) -> torch.dtype:
        """That of the two parts that take all the time."""
        return self.backbone.stem.conv1.weight.dtype

    def reduce(self, precision: torch.dtype) -> None:
        """Has the ResNet compute in another precision; what chooses among boxes stays in float32."""
        self.backbone.to(precision)
        self.roi_heads.res5.to(precision)
