"""The ResNet of the detector, in the variant of Caffe: strides in the first 1x1, a pool without padding."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from pytest_vqamt.models.region_models.frcnn.config import DetectorConfig


class ConvBN(nn.Conv2d):
    """A convolution without bias, then batch normalisation by the statistics of the training."""

    def __init__(
        self, inputs: int, outputs: int, size: int, *, stride: int = 1, padding: int = 0, dilation: int = 1
    ) -> None:
        super().__init__(inputs, outputs, size, stride=stride, padding=padding, dilation=dilation, bias=False)
        self.norm: nn.Module = nn.BatchNorm2d(outputs)

    def forward(self, x: Tensor) -> Tensor:
        normed: Tensor = self.norm(super().forward(x))
        return normed

    def fold(self) -> None:
        """Makes the normalisation a part of the convolution: two sevenths faster, and the same to 7 digits."""
        norm = self.norm
        if isinstance(norm, nn.BatchNorm2d) and norm.running_var is not None and norm.running_mean is not None:
            scale = norm.weight / torch.sqrt(norm.running_var + norm.eps)
            self.bias = nn.Parameter(norm.bias - norm.running_mean * scale, requires_grad=False)
            weight = (self.weight * scale[:, None, None, None]).contiguous(memory_format=torch.channels_last)
            self.weight = nn.Parameter(weight, requires_grad=False)
            self.norm = nn.Identity()


class Bottleneck(nn.Module):
    """Three convolutions, 1x1, 3x3 and 1x1, beside a shortcut; ``dilation`` widens the middle one."""

    def __init__(self, inputs: int, middle: int, outputs: int, *, stride: int = 1, dilation: int = 1) -> None:
        super().__init__()
        self.shortcut = ConvBN(inputs, outputs, 1, stride=stride) if inputs != outputs else None
        self.conv1 = ConvBN(inputs, middle, 1, stride=stride)
        self.conv2 = ConvBN(middle, middle, 3, padding=dilation, dilation=dilation)
        self.conv3 = ConvBN(middle, outputs, 1)

    def forward(self, x: Tensor) -> Tensor:
        y = functional.relu(self.conv1(x), inplace=True)
        y = functional.relu(self.conv2(y), inplace=True)
        y = self.conv3(y)
        y += x if self.shortcut is None else self.shortcut(x)
        return functional.relu(y, inplace=True)


class Stem(nn.Module):
    """Pixels to a map of a quarter of their size."""

    def __init__(self, outputs: int) -> None:
        super().__init__()
        self.conv1 = ConvBN(3, outputs, 7, stride=2, padding=3)

    def forward(self, pixels: Tensor) -> Tensor:
        x = functional.relu(self.conv1(pixels), inplace=True)
        return functional.max_pool2d(x, kernel_size=3, stride=2, padding=0, ceil_mode=True)


class Backbone(nn.Module):
    """Pixels (1, 3, h, w), the mean subtracted, to res4 (1, 4 * res2_channels, h / 16, w / 16), zero or more."""

    def __init__(self, config: DetectorConfig) -> None:
        super().__init__()
        self.stem = Stem(config.stem_channels)
        width, middle = config.res2_channels, config.width_per_group
        blocks = config.blocks
        self.res2 = stage(blocks[0], config.stem_channels, middle, width, stride=1)
        self.res3 = stage(blocks[1], width, 2 * middle, 2 * width, stride=2)
        self.res4 = stage(blocks[2], 2 * width, 4 * middle, 4 * width, stride=2)

    def forward(self, pixels: Tensor) -> Tensor:
        res4: Tensor = self.res4(self.res3(self.res2(self.stem(pixels))))
        return res4


def stage(blocks: int, inputs: int, middle: int, outputs: int, *, stride: int, dilation: int = 1) -> nn.Sequential:
    """Blocks in a row, of which the first changes width and size."""
    first = Bottleneck(inputs, middle, outputs, stride=stride, dilation=dilation)
    rest = (Bottleneck(outputs, middle, outputs, dilation=dilation) for _ in range(blocks - 1))
    return nn.Sequential(first, *rest)


def fold(network: nn.Module) -> None:
    """Folds every normalisation of a loaded network, whose keys are no longer those of the checkpoint then."""
    for module in network.modules():
        if isinstance(module, ConvBN):
            module.fold()
