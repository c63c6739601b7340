"""What is to be served, and how: all that the processes of a server must know."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path

from pytest_vqamt.models.protocol import ModelOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """One server.

    Attributes:
        model: the spec of the model.
        data: the specs of the scene sources whose photos recipes may name.
        settings: what ``--vqamt-option`` gave the model.
        inpaint: the inpainter as the user named it ("lama:PATH"), beside those that need no file; "" for none.
        batch_size, device, dtype, cache: as ``ModelOptions`` has them.
        on_device, reads_meaning, needs_scenes: as the kind of the model has them.
        replicas: how many there are to be; None for one a device.
        wait_ms: how long a batch that is not full waits for more.
        max_bytes: the most that the body of a request may have.
        host, port: where the door is.
        session: names this server among all; a model that does not say what it is is known by it.
        folder: where all files of the server are.
        cluster: the address of the Ray cluster; "" for a Ray of our own.
    """

    model: str
    data: tuple[str, ...]
    settings: dict[str, str] = field(default_factory=dict)
    inpaint: str = ""
    batch_size: int | None = None
    device: str = "auto"
    dtype: str | None = None
    cache: str | None = None
    on_device: bool = False
    reads_meaning: bool = True
    needs_scenes: bool = False
    replicas: int | None = None
    wait_ms: float = 10
    max_bytes: int = 32 * 2**20
    host: str = "127.0.0.1"
    port: int = 8000
    session: str = ""
    folder: str = ""
    cluster: str = ""

    @property
    def model_options(self) -> ModelOptions:
        """What the model is loaded with: a replica sees the one device that is its own."""
        return ModelOptions(
            batch_size=self.batch_size,
            device=self.device.partition(":")[0],
            dtype=self.dtype,
            settings=self.settings,
            cache=None if self.cache is None else Path(self.cache),
        )

    @property
    def url(self) -> str:
        """Where the door is, as ``served:`` takes it."""
        return f"http://{f'[{self.host}]' if ':' in self.host else self.host}:{self.port}"

    @property
    def application(self) -> str:
        """What the application is called in Ray Serve, where those of others may be."""
        return f"vqamt-{self.session}"

    def as_line(self) -> str:
        """The offer as one line."""
        return json.dumps(asdict(self))

    @classmethod
    def from_line(cls, line: str) -> Offer:
        """The offer that ``as_line`` wrote."""
        row = json.loads(line)
        return cls(**{**row, "data": tuple(row["data"])})
