"""What the files of a checkpoint are, as a digest."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

_READ_BY_LOADERS = (".safetensors", ".bin", ".json", ".jinja", ".model", ".txt", ".yaml", ".pkl")

_known: dict[tuple[str, int, int], str] = {}


def digest_of(folder: Path) -> str:
    """SHA-256 over names and contents of the files in ``folder`` that a model is read from, 16 hexadecimal digits."""
    total = sha256()
    for file in sorted(folder.iterdir()):
        if file.suffix in _READ_BY_LOADERS and file.is_file():
            total.update(f"{file.name}\0{sha256_of(file)}\0".encode())
    return total.hexdigest()[:16]


def sha256_of(file: Path) -> str:
    """SHA-256 of a file, 64 hexadecimal digits; read once, as long as its size and its time stay."""
    stat = file.stat()
    key = (str(file.resolve()), stat.st_size, stat.st_mtime_ns)
    if key not in _known:
        total = sha256()
        with file.open("rb") as opened:
            while block := opened.read(1 << 20):
                total.update(block)
        _known[key] = total.hexdigest()
    return _known[key]
