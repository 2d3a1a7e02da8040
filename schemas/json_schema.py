"""JSON Schema (2020-12, as in OpenAPI 3.1) of described classes and their kinds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from apispec.ext.marshmallow import MarshmallowPlugin
from apispec.ext.marshmallow.openapi import OpenAPIConverter
from marshmallow import Schema, fields

from service.rules import described
from service.rules.described import REQUIRED, Structure
from service.rules.kinds import Counts, Either, Flag, Free, Kind, Many, Maybe, OneOf, Text, Whole

Json = dict[str, Any]


def kind_schema(kind: Kind) -> Json:
    """Returns the JSON Schema that accepts what a kind accepts.

    Raises TypeError for an unknown kind. Texts are limited in bytes, but JSON Schema counts
    characters: the limit is in `format` (`utf8-64`) too.
    """
    match kind:
        case Whole(low, high):
            return {"type": "integer", "minimum": low, "maximum": high}
        case Flag():
            return {"type": "boolean"}
        case OneOf(values):
            return {"type": _types(values), "enum": list(values)}
        case Text(maximum, minimum):
            schema: Json = {"type": "string", "maxLength": maximum, "format": f"utf8-{maximum}"}
            return {**schema, "minLength": 1} if minimum else schema
        case Maybe(inner):
            return _nullable(kind_schema(inner))
        case Either(inner):
            return {"anyOf": [kind_schema(each) for each in inner]}
        case Many(inner, maximum, minimum):
            return {
                "type": "array",
                "items": kind_schema(inner),
                "minItems": minimum,
                "maxItems": maximum,
            }
        case Counts(ids, low, high):
            number = {"type": "integer", "minimum": low, "maximum": high}
            return {
                "type": "object",
                "properties": dict.fromkeys(ids, number),
                "additionalProperties": False,
            }
        case Structure(cls):
            return class_schema(cls)
        case Free():
            return {"description": "plain data"}
        case _:
            raise TypeError(f"{type(kind).__name__} has no JSON Schema")


def class_schema(cls: type, type_name: str | None = None, *, sealed: Iterable[str] = ()) -> Json:
    """Returns the schema of a described class: an object with exactly its fields.

    `type_name` adds the discriminator `type`; the fields named in `sealed` are left out.
    """
    hidden = set(sealed)
    properties: Json = {}
    required = []
    if type_name is not None:
        properties["type"] = {"type": "string", "enum": [type_name]}
        required.append("type")
    for field in described.fields(cls):
        if field.name in hidden:
            continue
        schema = {**kind_schema(field.kind), "description": field.meaning}
        if field.default is REQUIRED:
            required.append(field.name)
        else:
            schema["default"] = field.kind.dump(field.default)
        properties[field.name] = schema
    result: Json = {
        "type": "object",
        "description": summary(cls),
        "properties": properties,
        "additionalProperties": False,
    }
    if required:
        result["required"] = required
    return result


def summary(cls: type) -> str:
    """Returns the first paragraph of a class's docstring as one line."""
    return " ".join((cls.__doc__ or "").split("\n\n")[0].split())


def one_of(names: Mapping[str, str]) -> Json:
    """Returns the schema of a choice by `type`; `names` maps types to component names."""
    references = {name: f"#/components/schemas/{component}" for name, component in names.items()}
    return {
        "oneOf": [{"$ref": reference} for reference in references.values()],
        "discriminator": {"propertyName": "type", "mapping": references},
    }


def component_name(*words: str) -> str:
    """Returns words such as "table", "give_to_bot" as one name: "TableGiveToBot"."""
    return "".join(part.capitalize() for word in words for part in word.split("_"))


def _types(values: tuple[str | int, ...]) -> str | list[str]:
    types = sorted({"integer" if isinstance(value, int) else "string" for value in values})
    return types[0] if len(types) == 1 else types


def _nullable(schema: Json) -> Json:
    if isinstance(schema.get("type"), str) and "enum" not in schema:
        return {**schema, "type": [schema["type"], "null"]}
    return {"anyOf": [schema, {"type": "null"}]}


class DocumentedSchema(Schema):
    """A schema that provides its JSON Schema itself, as its fields do not describe it."""

    def documented(self, reference: Any) -> Json:
        """Returns its JSON Schema; `reference(schema)` gives the `$ref` of another one."""
        raise NotImplementedError


class Converter(OpenAPIConverter):
    """apispec's converter, extended by documented schemas and described fields."""

    def schema2jsonschema(self, schema: Any) -> Json:
        if isinstance(schema, DocumentedSchema):
            return schema.documented(self.resolve_nested_schema)
        result: Json = super().schema2jsonschema(schema)  # type: ignore[no-untyped-call]
        if schema.unknown == "raise":
            result["additionalProperties"] = False
        return result

    def init_attribute_functions(self) -> None:
        super().init_attribute_functions()  # type: ignore[no-untyped-call]
        self.add_attribute_function(field_schema)  # type: ignore[no-untyped-call]


def field_schema(converter: Any, field: fields.Field[Any], **_: Any) -> Json:
    """Returns a described field's JSON Schema (an apispec attribute function)."""
    documented: Json = getattr(field, "documented", None) or {}
    return documented


class Plugin(MarshmallowPlugin):
    """apispec's marshmallow plugin with this converter."""

    Converter = Converter
