"""What the report that is exported says of itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from pytest_vqamt.core.case_store import cases_in
from pytest_vqamt.core.codec import Json
from pytest_vqamt.core.errors import DataError
from pytest_vqamt.data.json_io import read_json
from pytest_vqamt.data.records import Record

ABOUT_FILE = "report.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """What of ``report.json`` matters here.

    Attributes:
        tags: of each relation variant.
        facts: which models and data it is of, for who reads the export.
    """

    tags: Mapping[str, Sequence[str]]
    facts: dict[str, Json]

    @classmethod
    def of(cls, report: Path) -> About:
        """What the report in this folder says.

        Raises:
            DataError: there is none, or it is not whole.
        """
        cases_in(report)
        if not (report / ABOUT_FILE).is_file():
            raise DataError(
                f"Expected a folder that --vqamt-report wrote, but got {str(report)!r}: it has no {ABOUT_FILE}"
            )
        row = cast("Mapping[str, Json]", Record.of(read_json(report / ABOUT_FILE), str(report / ABOUT_FILE)).row)
        try:
            relations = cast("list[dict[str, Json]]", row["relations"])
            models, data = (cast("list[dict[str, Json]]", row[name]) for name in ("models", "data"))
            return cls(
                tags={str(each["id"]): tuple(map(str, cast("list[Json]", each["tags"]))) for each in relations},
                facts={
                    "report": {
                        "vqamt_version": row["vqamt_version"],
                        "seed": row["seed"],
                        "models": [{name: each[name] for name in ("name", "fingerprint")} for each in models],
                        "data": [{name: each[name] for name in ("spec", "digest")} for each in data],
                    }
                },
            )
        except (KeyError, TypeError) as error:
            raise DataError(
                f"Expected a whole report, but {str(report / ABOUT_FILE)!r} is not ({error!r}): make the report anew"
            ) from error
