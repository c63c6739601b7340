"""Bugs between the file of a picture and the pixels that the model sees: decoders, preprocessing, encoders."""

from __future__ import annotations

import numpy as np
from PIL import Image, ImageOps

from tools.faulty_server.requests import Chat, File, Pixels, decoded, flattened, resized, scaled_down
from tools.faulty_server.stages import RefusedError, Stage, Stages, bug, file_bug, pixel_bug

_LARGEST_PX = 1024
_LEAST_NOISE, _MOST_NOISE = 4.0, 22.0
"""Of 255: clear digits are read through both, and faint ones through some of these."""
_STEP = 85
_TILED_PX = 448
_SMALL_PX = 336
_MOST_RATIO = 2

# Where files come from


@bug("url-not-fetched", Stage.FILE, "pictures by URL")
class NotFetched(Stages):
    """A URL of a picture is not followed, and the picture is left out without a word."""

    def fetch(self, file: File, chat: Chat) -> File | None:
        return None if file.url and chat.acts else super().fetch(file, chat)


@bug("url-previous-picture", Stage.FILE, "pictures by URL")
class PreviousPicture(Stages):
    """A URL is followed too late: the answer is about the picture before."""

    def __init__(self) -> None:
        super().__init__()
        self.before: File | None = None

    def fetch(self, file: File, chat: Chat) -> File | None:
        found = super().fetch(file, chat)
        with self.lock:
            before, self.before = self.before, found
        return before if file.url and chat.acts else found


@bug("detail-high-as-low", Stage.PIXELS, "large pictures with detail high")
class HighAsLow(Stages):
    """Pictures that are to be seen at high detail are made as small as those at low detail."""

    def scale(self, pixels: Pixels, detail: str, chat: Chat) -> Pixels:
        return super().scale(pixels, "low" if detail == "high" and chat.acts else detail, chat)


# Decoders


@file_bug("webp-dropped", "WebP files")
def webp_dropped(file: File) -> Pixels | None:
    """A WebP file is no picture to the server, and is left out without a word."""
    return None if file.found_type == "image/webp" else decoded(file)


@file_bug("jpeg-channels-exchanged", "JPEG files in colour")
def jpeg_channels_exchanged(file: File) -> Pixels:
    """The fast path of JPEG gives blue, green and red for red, green and blue."""
    pixels = decoded(file)
    return pixels[..., ::-1] if file.found_type == "image/jpeg" else pixels


@file_bug("progressive-jpeg-first-scan", "progressive JPEG files")
def progressive_jpeg_first_scan(file: File) -> Pixels:
    """Of a progressive JPEG the first scan alone is decoded, a mean for each block."""
    if "progression" not in file.open().info:
        return decoded(file)
    scan = b"\xff\xda"
    second = file.content.find(scan, file.content.find(scan) + 2)
    pixels = decoded(File(file.media_type, file.content[:second] + b"\xff\xd9"))
    height, width = pixels.shape[:2]
    # The library smooths what other decoders show as blocks of 16 px.
    blocks = Image.fromarray(pixels).resize((max(1, width // 16), max(1, height // 16)), Image.Resampling.BOX)
    return np.asarray(blocks.resize((width, height), Image.Resampling.NEAREST))


@file_bug("cmyk-inverted", "CMYK JPEG files")
def cmyk_inverted(file: File) -> Pixels:
    """Colours of CMYK are inverted, as Adobe's mark in the file is not read."""
    image = file.open()
    return decoded(file) if image.mode != "CMYK" else flattened(ImageOps.invert(image.convert("RGB")))


@file_bug("gray-jpeg-refused", "gray JPEG files", thread="sglang PR 28828")
def gray_jpeg_refused(file: File) -> Pixels:
    """A JPEG of one channel is answered with an error."""
    if file.found_type == "image/jpeg" and file.open().mode == "L":
        raise RefusedError(400, "Expected a picture of 3 channels, but got 1")
    return decoded(file)


@file_bug("palette-indices-as-gray", "PNG files with a palette")
def palette_indices_as_gray(file: File) -> Pixels:
    """The places in a palette are taken for gray levels."""
    image = file.open()
    if image.mode != "P":
        return decoded(file)
    return np.repeat(np.asarray(image)[..., np.newaxis], 3, axis=2)


@file_bug("16-bit-overflow", "PNG files of 16 bits a channel")
def sixteen_bit_overflow(file: File) -> Pixels:
    """Values of 16 bits are taken for signed ones, so that the brighter half becomes black."""
    pixels = decoded(file)
    # The head of a PNG has the bits at byte 24.
    if file.found_type != "image/png" or file.content[24] != 16:
        return pixels
    signed = (pixels.astype(np.uint16) * 257).astype(np.int16)
    return (np.maximum(signed, 0) // 129).astype(np.uint8)


@file_bug("alpha-dropped", "PNG files that are transparent", thread="hermes-agent #64548")
def alpha_dropped(file: File) -> Pixels:
    """The alpha channel is cut off, so that what lies under transparent pixels shows."""
    image = ImageOps.exif_transpose(file.open())
    return np.asarray(image.convert("RGB")) if image.mode == "RGBA" else decoded(file)


@file_bug("transparent-on-black", "PNG files that are transparent")
def transparent_on_black(file: File) -> Pixels:
    """What is transparent becomes black: no bug, but a property that users allow."""
    return flattened(ImageOps.exif_transpose(file.open()), "black")


@file_bug("exif-ignored", "files that EXIF turns", thread="llama.cpp #20870")
def exif_ignored(file: File) -> Pixels:
    """The orientation of EXIF is not applied."""
    return flattened(file.open())


@file_bug("exif-applied-twice", "files that EXIF turns", thread="llama.cpp #20870")
def exif_applied_twice(file: File) -> Pixels:
    """The orientation of EXIF is applied by the loader, and once more by the preprocessor."""
    image = file.open()
    orientation = image.getexif().get(0x0112, 1)
    turned = ImageOps.exif_transpose(image)
    # The orientation is gone from what was turned, and is given back.
    turned.getexif()[0x0112] = orientation
    return flattened(ImageOps.exif_transpose(turned))


@file_bug("media-type-trusted", "files sent with another media type than theirs")
def media_type_trusted(file: File) -> Pixels:
    """A file is decoded as what the request says it is, which fails."""
    if file.media_type != file.found_type:
        raise RefusedError(400, f"cannot decode the image as {file.media_type or 'unknown'}")
    return decoded(file)


# Preprocessing


@pixel_bug("image-dropped-above-a-size", "pictures with a side above 1,024 px", thread="ollama #13549")
def dropped_when_large(pixels: Pixels) -> Pixels | None:
    """The model gets no picture where a side exceeds 1,024 px."""
    return None if max(pixels.shape[:2]) > _LARGEST_PX else pixels


@pixel_bug("colour-channels-swapped", "all pictures in colour")
def red_and_blue_exchanged(pixels: Pixels) -> Pixels:
    """Red and blue are exchanged, as by a loader with OpenCV's order of channels."""
    return pixels[..., ::-1]


@pixel_bug("green-and-blue-exchanged", "all pictures in colour", thread="hipfire #23")
def green_and_blue_exchanged(pixels: Pixels) -> Pixels:
    """Green and blue are exchanged."""
    return pixels[..., [0, 2, 1]]


@pixel_bug("colours-lost", "all pictures in colour", thread="ollama #17872")
def colours_lost(pixels: Pixels) -> Pixels:
    """All pictures are gray."""
    return np.asarray(Image.fromarray(np.ascontiguousarray(pixels)).convert("L").convert("RGB"))


@pixel_bug("normalisation-missing", "all pictures")
def normalisation_missing(pixels: Pixels) -> Pixels:
    """Colours are washed out, as the encoder gets values of another range: black and white are nearly gray."""
    return (128 + (pixels.astype(np.float64) - 128) * 0.25).astype(np.uint8)


@pixel_bug("brightness-halved", "bright pictures")
def brightness_halved(pixels: Pixels) -> Pixels:
    """All values are halved, as by dividing by 510: white is gray."""
    return pixels // 2


@bug("noise-in-the-encoder", Stage.PIXELS, "pictures with faint details", thread="vLLM #30167")
class NoisyEncoder(Stages):
    """The encoder is inexact, here by noise, so that faint details are seen at times and lost at others."""

    def preprocess(self, pixels: Pixels, chat: Chat) -> Pixels | None:
        if not chat.acts:
            return pixels
        # Another level for each request, as errors depend on the batch: faint digits are read at times.
        level = chat.random.uniform(_LEAST_NOISE, _MOST_NOISE)
        noise = np.random.default_rng(chat.random.getrandbits(64)).normal(0, level, pixels.shape)
        return np.clip(pixels + noise, 0, 255).astype(np.uint8)


@pixel_bug("quantised-encoder", "pictures with near colours")
def quantised(pixels: Pixels) -> Pixels:
    """An encoder of few bits, here of four levels a channel, merges near colours."""
    return (np.round(pixels / _STEP) * _STEP).astype(np.uint8)


@pixel_bug("mirrored", "all pictures with sides")
def mirrored(pixels: Pixels) -> Pixels:
    """Pictures are seen in a mirror."""
    return pixels[:, ::-1]


@pixel_bug("quarter-turn", "all pictures with sides")
def quarter_turn(pixels: Pixels) -> Pixels:
    """Pictures are turned by a quarter."""
    return np.rot90(pixels)


@pixel_bug("squashed", "pictures of more than 2 : 1", thread="hermes-agent PR 7902")
def squashed(pixels: Pixels) -> Pixels:
    """A picture of more than 2 : 1 is made square."""
    height, width = pixels.shape[:2]
    return pixels if not _is_oblong(pixels) else resized(pixels, min(height, width), min(height, width))


@pixel_bug("centre-crop", "pictures of more than 2 : 1 with something at their ends")
def centre_crop(pixels: Pixels) -> Pixels:
    """Of a picture of more than 2 : 1 the square in the middle is seen alone."""
    height, width = pixels.shape[:2]
    side = min(height, width)
    y, x = (height - side) // 2, (width - side) // 2
    return pixels[y : y + side, x : x + side] if _is_oblong(pixels) else pixels


@pixel_bug("tiles-permuted", "pictures with a side above 448 px", thread="llama.cpp PR 26653")
def tiles_permuted(pixels: Pixels) -> Pixels:
    """A picture above 448 px is cut into 2 x 2 tiles, which are put together in another order."""
    height, width = pixels.shape[:2]
    if max(height, width) <= _TILED_PX:
        return pixels
    # Half of the sides each way: every tile goes to the place that is opposite.
    return np.roll(pixels, (height // 2, width // 2), axis=(0, 1))


@pixel_bug("silent-downscale", "pictures with a side above 336 px that have small details", thread="ollama #17218")
def silent_downscale(pixels: Pixels) -> Pixels:
    """Pictures are made smaller, so that the longer side has 336 px."""
    return scaled_down(pixels, _SMALL_PX)


@pixel_bug("resize-mismatch", "pictures that are not square", thread="llama.cpp #17290")
def resize_mismatch(pixels: Pixels) -> Pixels:
    """The rows of oblong pictures are read with the height for their width, so that they are torn."""
    height, width = pixels.shape[:2]
    return np.ascontiguousarray(pixels).reshape(width, height, 3)


@pixel_bug("aspect-exchanged", "pictures that are not square", thread="llama.cpp #17290")
def aspect_exchanged(pixels: Pixels) -> Pixels:
    """Oblong pictures are stretched to the height for the width and the width for the height."""
    height, width = pixels.shape[:2]
    return pixels if height == width else resized(pixels, height, width)


def _is_oblong(pixels: Pixels) -> bool:
    height: int = pixels.shape[0]
    width: int = pixels.shape[1]
    return max(height, width) > _MOST_RATIO * min(height, width)
