"""Makes the schemas of ``report.json`` and ``probe.json`` from their types and the sentences under their fields.

python -m tools.reference
"""

from __future__ import annotations

import ast
import inspect
import json
from collections.abc import Iterator, Sequence
from types import ModuleType
from typing import Any

import msgspec
from msgspec.structs import FieldInfo

from pytest_vqamt.core import pairs, report_rows, results, tallies
from pytest_vqamt.core.report_rows import SCHEMA, MetricsRow, ReportRow
from pytest_vqamt.probing import probe_rows
from pytest_vqamt.probing.probe_rows import PROBE_SCHEMA, AgainstRow, ProbeRow

Node = dict[str, Any]

_DIALECT = "https://json-schema.org/draft/2020-12/schema"


def report_schema() -> str:
    """The text of ``report.schema.json``."""
    # metrics has any member, or none, so that its type has to be named here.
    types = _described((ReportRow, MetricsRow), (report_rows, results, tallies, pairs))
    whole = types.pop("ReportRow")
    head = {
        "$schema": _DIALECT,
        "$id": f"urn:pytest-vqamt:report:{SCHEMA}",
        "title": "report.json of pytest-vqamt",
        "description": "The results of every relation of a run. Fields may be added; one that is renamed or removed "
        "raises schema.",
    }
    return _text({**head, **whole, "$defs": types} | head) + "\n"


def probe_schema() -> str:
    """The text of ``probe.schema.json``."""
    kinds = ProbeRow, AgainstRow
    types = _described(kinds, (probe_rows,))
    whole = {
        "$schema": _DIALECT,
        "$id": f"urn:pytest-vqamt:probe:{PROBE_SCHEMA}",
        "title": "probe.json of pytest-vqamt",
        "description": "The probe of a deployment, or the comparison of two. Fields may be added; one that is renamed "
        "or removed raises schema.",
        "oneOf": [{"$ref": f"#/$defs/{kind.__name__}"} for kind in kinds],
        "$defs": types,
    }
    return _text(whole) + "\n"


def _described(kinds: Sequence[type], sources: Sequence[ModuleType]) -> dict[str, Node]:
    """The schemas of types and of those in their fields, by name, with the sentences of the modules ``sources``."""
    _, types = msgspec.json.schema_components(kinds, ref_template="#/$defs/{name}")
    sentences = {name: told for module in sources for name, told in _sentences(inspect.getsource(module))}
    for name, node in types.items():
        node.pop("title")
        kind = next((getattr(module, name) for module in sources if hasattr(module, name)), None)
        if "properties" not in node or kind is None:
            continue
        for field in msgspec.structs.fields(kind):
            member = node["properties"][field.encode_name]
            member.pop("default", None)
            member["description"] = _sentence(kind, field.name, sentences)
        # Not a field: msgspec adds the tag.
        tagged = [kind.__struct_config__.tag_field] if kind.__struct_config__.tag_field else []
        for tag in tagged:
            node["properties"][tag]["description"] = "Which of the objects of this file it is."
        node["required"] = tagged + [
            field.encode_name for field in msgspec.structs.fields(kind) if not _may_be_absent(kind, field)
        ]
    return types


def _text(node: Node, indent: str = "") -> str:
    """JSON with a line for each field of a type."""
    deeper = f"{indent} "
    members = (
        f"{deeper}{json.dumps(name)}: "
        + (
            _text(each, deeper)
            if name in ("properties", "$defs") or (isinstance(each, dict) and "properties" in each)
            else json.dumps(each, ensure_ascii=False)
        )
        for name, each in node.items()
    )
    return "{\n" + ",\n".join(members) + f"\n{indent}}}"


def _may_be_absent(kind: type, field: FieldInfo) -> bool:
    """True if it is left out where it equals its default, which a default of ``codec.written`` is not."""
    return kind.__struct_config__.omit_defaults and field.default is not msgspec.NODEFAULT  # type: ignore[attr-defined]


def _sentences(source: str) -> Iterator[tuple[tuple[str, str], str]]:
    """Yields the sentence under each field of each class, by the names of both."""
    for made in ast.parse(source).body:
        if isinstance(made, ast.ClassDef):
            for field, below in zip(made.body, made.body[1:], strict=False):
                match field, below:
                    case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(told))):
                        yield (made.name, name), " ".join(told.split())


def _sentence(kind: type, field: str, sentences: dict[tuple[str, str], str]) -> str:
    """The sentence of a field, or that of the class which it comes from. JSON has null for None."""
    told = next(sentences[each.__name__, field] for each in kind.__mro__ if (each.__name__, field) in sentences)
    return told.replace("None where", "null where").replace("; None for", "; null for")
