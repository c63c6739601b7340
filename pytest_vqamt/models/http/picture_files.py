"""The files that servers are sent: a photo's own file where nothing is edited, else the picture encoded."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from io import BytesIO
from typing import TYPE_CHECKING

from pytest_vqamt.core.edits import Store
from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import FiledStore, PhotoStore, PictureFile
from pytest_vqamt.models.chat_settings import ChatSettings
from pytest_vqamt.models.http.http_settings import parse_number

if TYPE_CHECKING:
    from PIL.Image import Exif, Image

SETTING = "image-format"

_QUALITY = 95
"""Of JPEG. With whole chroma (4:4:4) a pixel is off by 1 or 2 of 255 on average."""

_COMPRESSION = 1
"""For photos the lowest level of PNG makes files 7 % larger than the default one, in a third of the time."""

_PNG = "image/png"

# EXIF's tag of the orientation; 1 is upright.
_ORIENTATION = 0x0112


class Form(StrEnum):
    """The forms of files."""

    AUTO = "auto"
    """A photo's own file, JPEG for an edited photo that was JPEG or WebP, and PNG for all other pictures."""
    PNG = "png"
    JPEG = "jpeg"
    WEBP = "webp"
    """Without loss."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageFormat:
    """The setting ``image-format``."""

    form: Form = Form.AUTO
    quality: int = _QUALITY
    """Of JPEG, as Pillow counts."""

    @classmethod
    def of(cls, settings: Mapping[str, str]) -> ImageFormat:
        """The format in the user's settings.

        >>> str(ImageFormat.of({"image-format": "jpeg"}))
        'jpeg:95'

        Raises:
            OptionError: there is no such format.
        """
        given = settings.get(SETTING, Form.AUTO)
        name, colon, quality = given.partition(":")
        if name not in set(Form) or (colon and name != Form.JPEG):
            raise OptionError(f"Expected auto, png, jpeg, jpeg:QUALITY or webp, but got {SETTING}={given!r}")
        if not colon:
            return cls(form=Form(name))
        return cls(
            form=Form.JPEG,
            quality=int(parse_number(quality, f"{SETTING} {name}:QUALITY", at_least=1, most=100, whole=True)),
        )

    def __str__(self) -> str:
        return f"{self.form}:{self.quality}" if self.form is Form.JPEG else self.form.value

    @property
    def is_lossy(self) -> bool:
        """True if some pictures lose pixels unless they are sent ``lossless``."""
        return self.form in (Form.AUTO, Form.JPEG)

    @property
    def words(self) -> str:
        """What is sent, for users."""
        match self.form:
            case Form.AUTO:
                return f"photos are sent as their own files, edited JPEG photos as JPEG {self.quality}, others as PNG"
            case Form.JPEG:
                return f"pictures are sent as JPEG {self.quality}"
            case Form.PNG | Form.WEBP:
                return f"pictures are sent as {'PNG' if self.form is Form.PNG else 'lossless WebP'}"


@dataclass(frozen=True, slots=True, kw_only=True)
class FileEncoder:
    """Makes the files of pictures in the format that the user chose, within the bounds of pixels."""

    format: ImageFormat = ImageFormat(form=Form.PNG)
    min_pixels: int | None = None
    max_pixels: int | None = None
    only_png: bool = False
    """The wire takes no other files: one that is tested in another form is sent by its pixels."""

    def encode(
        self, picture: Picture, image: Callable[[], Image], photos: PhotoStore | None, *, lossless: bool
    ) -> PictureFile:
        """The file of a picture; see ``PictureEncoder``."""
        store = photos if isinstance(photos, FiledStore) else None
        is_auto = self.format.form is Form.AUTO and not lossless
        if is_auto and store and not picture.edits and self._fits(picture):
            own = store.file(picture.photo)
            if own is not None:
                return _file(own.media_type, own.content)
        own_form = self._in_tested_form(picture, image)
        if own_form is not None:
            return own_form
        form = self.format.form
        if is_auto:
            # Lost pixels of the source are what its edited twin may lose, too: a PNG, or what our code draws, has lost
            # none.
            form = Form.JPEG if store and store.is_lossy(picture.photo) else Form.PNG
        elif lossless and self.format.is_lossy:
            form = Form.PNG
        resized = ChatSettings(min_pixels=self.min_pixels, max_pixels=self.max_pixels).resized(image())
        return _encoded(resized, form, self.format.quality)

    def _in_tested_form(self, picture: Picture, image: Callable[[], Image]) -> PictureFile | None:
        """The very file of a picture whose form of file is tested; None of all others, or where it is too large."""
        # An edit of the stored picture has other pixels than its file.
        if not (picture.edits and isinstance(picture.edits[-1], Store) and self._fits(picture)):
            return None
        from pytest_vqamt.imaging.file_forms import stored_file

        file = stored_file(image())
        if file is None or (self.only_png and file.media_type != _PNG):
            return None
        return _file(*file)

    def _fits(self, picture: Picture) -> bool:
        """True if the photo is within the bounds of pixels."""
        pixels = picture.scene.width * picture.scene.height
        return (self.min_pixels or 0) <= pixels and (self.max_pixels is None or 0 < pixels <= self.max_pixels)


LOSSLESS = FileEncoder(only_png=True)
"""Sends every picture as PNG."""


def _encoded(image: Image, form: Form, quality: int) -> PictureFile:
    from pytest_vqamt.imaging.file_forms import in_its_form

    stored = in_its_form(image)
    # A form of file that is tested (alpha, palette, grayscale) is one of PNG.
    if form is Form.PNG or stored.mode != "RGB":
        return _file(_PNG, png_bytes(image))
    file = BytesIO()
    if form is Form.WEBP:
        # The fastest of its settings, and a quarter smaller than PNG.
        stored.save(file, "WEBP", lossless=True, method=0, quality=0, **_kept_exif(image))
    else:
        stored.save(file, "JPEG", quality=quality, subsampling=0, **_kept_exif(image))
    return _file(f"image/{form}", file.getvalue())


def _file(media_type: str, content: bytes) -> PictureFile:
    return PictureFile(media_type, b64encode(content).decode("ascii"))


def png_bytes(image: Image) -> bytes:
    """The image as a lossless PNG file, in its mode or in the form of its edit ``Store``; keeps an EXIF orientation."""
    from pytest_vqamt.imaging.file_forms import in_its_form

    file = BytesIO()
    in_its_form(image).save(file, "PNG", compress_level=_COMPRESSION, **_kept_exif(image))
    return file.getvalue()


def _kept_exif(image: Image) -> dict[str, Exif]:
    # Pillow writes only the EXIF that it is given, and a probe's card is upright by its EXIF alone.
    exif = image.getexif()
    return {"exif": exif} if exif.get(_ORIENTATION, 1) != 1 else {}
