"""The text of a file that a pool is read from."""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path

from pytest_vqamt.core.errors import OptionError


def plain_text(setting: str, path: Path) -> str:
    """What a file in UTF-8 says, with or without a byte order mark, compressed where its name ends in ``.gz``.

    Raises:
        OptionError: it cannot be read, decompressed or decoded.
    """
    where = f"pool={setting!r}: expected {path.name} to be text in UTF-8"
    try:
        data = path.read_bytes()
        plain = gzip.decompress(data) if path.suffix == ".gz" else data
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise OptionError(f"{where} and whole, but it cannot be decompressed ({error}): fetch it again") from error
    except OSError as error:
        raise OptionError(f"{where}, but it cannot be read ({error.strerror or error}): name one that can") from error
    try:
        return plain.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = plain.count(b"\n", 0, error.start) + 1
        raise OptionError(f"{where}, but line {line} is not ({error.reason}): save it as UTF-8") from error
