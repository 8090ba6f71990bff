"""Describes requests and answers for OpenAPI, with examples."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from spamnb.service.http_body import FORM, JSON, MAIL, MOST_MESSAGES, TEXT

JSONL = ("application/jsonl", "application/x-ndjson")


class Problem(BaseModel):
    """What is wrong with a request, and the next step."""

    error: str = Field(examples=["the body is not JSON"])
    hint: str = Field(examples=['send {"text": "..."}'])


class Prediction(BaseModel):
    """The verdict on one message."""

    model_config = ConfigDict(extra="allow")
    id: str | int | None = Field(
        None, description="The id that was sent, else the number of the request, as in the log. Not in lists."
    )
    verdict: str = Field(description="`spam`, `ham`, `unsure` or a class of the model.", examples=["spam"])
    probability: float | None = Field(description="P(spam).", examples=[0.9991])
    log_odds: float | None = Field(description="Sum of the evidence.", examples=[7.02])
    known: int = Field(description="Number of tokens that the model knows.", examples=[14])
    unsure_reason: str | None = Field(None, description="Only if the verdict is `unsure`.")
    taught_as: str | None = Field(None, description="Label of this message, if it was taught word for word.")
    listed: str | None = Field(
        None, description="Entry of an allow or block list, if it decided the verdict."
    )


class Predictions(BaseModel):
    """The verdicts on a list of messages, in its order."""

    id: str | int | None = Field(None, description="The id that was sent.")
    predictions: list[Prediction]


class Explanation(Prediction):
    """A verdict with its evidence: bias and evidence sum to the log-odds."""

    bias: float | None
    evidence: list[dict[str, Any]]


class LessonResult(BaseModel):
    """What a lesson did, as `spamnb learn --json` reports it."""

    model_config = ConfigDict(extra="allow")
    id: str | int
    action: str = Field(examples=["learn"])
    lesson: int | None = Field(description="Number for /undo; null if nothing changed.", examples=[17])
    undone: list[int] = Field(description="Numbers of the lessons that were taken back.")
    model: str = Field(description="File of the model that has learned.")
    learned: dict[str, int] = Field(examples=[{"spam": 1}])
    forgotten: dict[str, int]
    known: dict[str, int]


class Health(BaseModel):
    """State of the server and the models in use."""

    status: str = Field(examples=["ok"])
    version: str
    models: dict[str, str] = Field(description="Name of the model for each kind of message.")


_TEXT = {"type": "string", "example": "WIN a FREE prize! Call 0909 879 0123 now"}
_LABEL = {
    "type": "string",
    "minLength": 1,
    "description": "`spam`, `ham` or a class of the model.",
    "example": "spam",
}
_ID = {
    "oneOf": [{"type": "string"}, {"type": "integer"}],
    "description": "Given back with the answer.",
    "example": "m77",
}
_TEXTS = {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": MOST_MESSAGES}


def _object(name: str, schema: dict[str, Any], label: bool, required: bool) -> dict[str, Any]:
    names = [name, *(["label"] if required else [])]
    properties = {name: schema, "id": _ID, **({"label": _LABEL} if label else {})}
    return {"type": "object", "properties": properties, "required": names, "additionalProperties": False}


def message_body(*, lists: bool = True, label: bool = False, required: bool = False) -> dict[str, Any]:
    """Returns the part of OpenAPI about a body with messages, and for lessons about the label of raw ones."""
    one = _object("text", _TEXT, label, required)
    many = [_object("texts", _TEXTS, label, required)] if lists else []
    raw = {"type": "string", "minLength": 1}
    form_fields = {"Body": _TEXT, "From": {"type": "string"}, **({"label": _LABEL} if label else {})}
    form = {
        "type": "object",
        "properties": form_fields,
        "required": ["Body", *(["label"] if required else [])],
    }
    content = {
        JSON: {"schema": {"oneOf": [one, *many]} if many else one},
        MAIL: {"schema": raw | {"description": "A raw email.", "format": "binary"}},
        TEXT: {"schema": raw | {"description": "A text, or an email if it begins like one."}},
        FORM: {"schema": form},
    }
    query = {
        "name": "label", "in": "query", "schema": {"type": "string"},
        "description": "Label of a raw message: `spam`, `ham` or a class of the model.",
    }  # fmt: skip
    return {
        "requestBody": {"required": True, "content": content},
        **({"parameters": [query]} if label else {}),
    }


REFUSALS: dict[int | str, dict[str, Any]] = {
    code: {"model": Problem, "description": text}
    for code, text in {
        400: "The body cannot be parsed.",
        401: "The token is missing or wrong.",
        403: "The host or the origin is refused.",
        409: "The model cannot do this.",
        413: "The body is too large.",
        415: "The content type is unknown.",
        422: "The body does not have the expected fields.",
        500: "Internal error.",
        503: "The model cannot be written, for example because the disk is full.",
    }.items()
}
