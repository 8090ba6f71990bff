"""Serves predictions, explanations and lessons over HTTP, and describes its routes at /openapi.json."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Annotated, Any

from fastapi import FastAPI, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import StreamingResponse
from starlette.exceptions import HTTPException

from spamnb._version import __version__
from spamnb.errors import ModelError, SpamnbError
from spamnb.model import MESSAGE_KINDS, name_of
from spamnb.service import http_schema as schema
from spamnb.service.filter_service import FilterService
from spamnb.service.history_writer import HistoryWriter
from spamnb.service.http_answers import (
    encode,
    explained_row,
    prediction_items,
    prediction_lines,
    prediction_list,
    prediction_row,
    taught_row,
)
from spamnb.service.http_body import (
    ClientGoneError,
    HttpError,
    MessageRequest,
    Scope,
    header_of,
    parse_messages,
    read_body,
)
from spamnb.service.http_security import RequestGuard
from spamnb.service.lessons import NothingToUndoError
from spamnb.service.log_line import log_fault
from spamnb.service.page_files import PATHS
from spamnb.service.page_routes import PageRoutes
from spamnb.service.service_metrics import CONTENT_TYPE, ServiceMetrics
from spamnb.service.verdict_events import Refused

MOST_LESSONS = 1000  # messages of one lesson
_JSON = "application/json"
_DESCRIPTION = (
    "Classifies text messages and mail as spam, ham or unsure, explains verdicts, learns from corrections. "
    'An error is JSON: what is wrong, and the next step as "hint". The page of the server is at /.'
)
_ROUTES = {
    *PATHS,
    "/predict",
    "/explain",
    "/learn",
    "/forget",
    "/undo",
    "/healthz",
    "/metrics",
    "/openapi.json",
}
LessonNumber = Annotated[int | None, Query(ge=1, description="Its number, as in the answer of /learn.")]
LessonModel = Annotated[str | None, Query(description="Its model, as in the answer of /learn.")]
Send = Callable[[Any], Awaitable[None]]
Receive = Callable[[], Awaitable[Any]]


class HttpApi:
    """The application: `guard` checks every request, `/predict` is answered directly, the rest by FastAPI.

    FastAPI's router takes 0.2 ms of a request, several times as long as a message in a batch of 32.
    """

    def __init__(
        self,
        service: FilterService,
        metrics: ServiceMetrics,
        guard: RequestGuard,
        max_size: int,
        history: HistoryWriter | None = None,
        most_history: int = 0,
    ) -> None:
        self.service, self.metrics, self._guard, self._max_size = service, metrics, guard, max_size
        self.app = FastAPI(
            title="spamnb", version=__version__, description=_DESCRIPTION, docs_url=None, redoc_url=None
        )
        _add_error_handlers(self.app)
        self._add_routes()
        self.app.include_router(PageRoutes(service, self.messages_of, history, most_history).router)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        send = self._logging_refusals(scope, send)
        try:
            self._guard.check(scope)
            if scope["path"] != "/predict" or scope["method"] != "POST":
                await self._route(scope, receive, send)
                return
            response = await self.predict(scope, receive)
        except ClientGoneError:
            return
        except Exception as error:
            response = error_response(error)
        if isinstance(response, bytes):
            await _send_json(send, response)
        else:
            await response(scope, receive, send)  # type: ignore[arg-type]

    def _logging_refusals(self, scope: Scope, send: Send) -> Send:
        async def send_and_log(event: Any) -> None:
            if event["type"] == "http.response.start" and event["status"] >= 400:
                self.refused(event["status"], f"{scope['method']} {_route_name(scope['path'])}")
            await send(event)

        return send_and_log

    def refused(self, status: int, route: str) -> None:
        """Reports that a request was refused."""
        self.service.events.refused(Refused("http", status, route))

    async def _route(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers all other routes. FastAPI answers an unexpected error, and raises it again."""
        with suppress(Exception):
            await self.app(scope, receive, send)  # type: ignore[arg-type]

    async def predict(self, scope: Scope, receive: Receive) -> bytes | Response:
        request = await self.messages_of(scope, receive)
        if not request.is_list:
            number, scored = await self.service.classify(request.messages[0], "http")
            return encode(request.named({"id": number, **prediction_row(scored.predictions, scored.row)}))
        accepted = header_of(scope, b"accept").decode("latin-1")
        if kind := next((kind for kind in schema.JSONL if kind in accepted), ""):
            lines = self.service.classify_all(request.messages, "http", prediction_lines)
            return StreamingResponse(lines, media_type=kind)
        blocks = self.service.classify_all(request.messages, "http", prediction_items)
        return prediction_list([block async for block in blocks], request.id)

    async def messages_of(self, scope: Scope, receive: Receive) -> MessageRequest:
        return parse_messages(scope, await read_body(scope, receive, self._max_size))

    async def explain(self, request: Request) -> Response:
        """Shows the evidence for and against the verdict on one message."""
        read = await self.messages_of(request.scope, request.receive)
        return _json(read.named(explained_row(*await self.service.explain(read.only, "http"))))

    async def learn(self, request: Request) -> Response:
        """Teaches messages with a label: the next request sees it, as does `spamnb predict`."""
        lesson = await self._lesson_of(request)
        if not lesson.label:
            raise HttpError(
                422, "a lesson needs a label", 'add "label": "spam", or ?label=spam to a raw message'
            )
        if not all(message.raw.strip() for message in lesson.messages):
            raise HttpError(422, "a message is empty", "leave it out: it has no words to learn")
        done = await self.service.learn(lesson.messages, lesson.label, "http")
        return _json(lesson.named(taught_row(*done)))

    async def forget(self, request: Request) -> Response:
        """Removes learned messages: afterwards the model is as if it had never learned them."""
        lesson = await self._lesson_of(request)
        done = await self.service.forget(lesson.messages, lesson.label, "http")
        return _json(lesson.named(taught_row(*done)))

    async def undo(self, lesson: LessonNumber = None, model: LessonModel = None) -> Response:
        """Takes a lesson back: this one, or else the last of a server that is not undone yet.

        The models for text and for mail count their lessons each. Where both have a lesson of this number,
        `model` says which one is meant.
        """
        return _json(taught_row(*await self.service.undo("http", lesson, model)))

    async def health(self) -> Response:
        """Tells that the server works, and which models it uses. Needs no token."""
        models = {kind: name_of(self.service.models[kind].path) for kind in MESSAGE_KINDS}
        return _json({"status": "ok", "version": __version__, "models": models})

    async def show_metrics(self) -> Response:
        """Returns metrics in Prometheus's text format."""
        return Response(self.metrics.text(), media_type=CONTENT_TYPE)

    async def _lesson_of(self, request: Request) -> MessageRequest:
        lesson = await self.messages_of(request.scope, request.receive)
        if len(lesson.messages) > MOST_LESSONS:
            raise HttpError(
                422,
                f"a lesson has at most {MOST_LESSONS:,} messages, got {len(lesson.messages):,}",
                "send several, or use `spamnb learn` for files",
            )
        return lesson

    def _add_routes(self) -> None:
        async def predict(request: Request) -> Response:
            """Classifies a text, a list of texts, or a raw email.

            A list is answered as JSON lines, block by block, if the client accepts `application/jsonl` or
            `application/x-ndjson`.
            """
            answer = await self.predict(request.scope, request.receive)
            return answer if isinstance(answer, Response) else Response(answer, media_type=_JSON)

        one, lists = schema.message_body(lists=False), schema.message_body()
        lesson = schema.message_body(label=True, required=True)
        optional = schema.message_body(label=True)
        _post(self.app, "/predict", predict, schema.Prediction | schema.Predictions, lists)
        _post(self.app, "/explain", self.explain, schema.Explanation, one)
        _post(self.app, "/learn", self.learn, schema.LessonResult, lesson)
        _post(self.app, "/forget", self.forget, schema.LessonResult, optional)
        _post(self.app, "/undo", self.undo, schema.LessonResult)
        self.app.get("/healthz", response_model=schema.Health)(self.health)
        text = {200: {"content": {"text/plain": {"schema": {"type": "string"}}}}}
        self.app.get("/metrics", response_class=Response, responses=text)(self.show_metrics)  # type: ignore[arg-type]


def _route_name(path: str) -> str:
    """Returns a path for the log; one that the server does not know could be the text of a message.

    >>> _route_name("/predict"), _route_name("/page/messages/7/learn"), _route_name("/free%20prize")
    ('/predict', '/page/...', 'unknown')
    """
    if path in _ROUTES:
        return path
    return "/page/..." if path.startswith("/page/") else "unknown"


def _post(
    app: FastAPI, path: str, endpoint: Callable[..., Any], answer: Any, body: dict[str, Any] | None = None
) -> None:
    app.post(path, response_model=answer, responses=schema.REFUSALS, openapi_extra=body)(endpoint)


async def _send_json(send: Send, body: bytes) -> None:
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def _json(row: object, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    return Response(encode(row), status, media_type=_JSON, headers=headers)


def error_response(error: Exception) -> Response:
    """Returns the answer to a request that failed: what happened and the next step, as JSON."""
    headers = dict(getattr(error, "headers", None) or {})
    if isinstance(error, HttpError):
        status, message, hint = error.status, error.message, error.hint
        headers |= {"WWW-Authenticate": "Bearer"} if status == 401 else {}
    elif isinstance(error, SpamnbError):
        status = 409 if isinstance(error, ModelError | NothingToUndoError) else 422
        if isinstance(error.__cause__, OSError):  # nothing is wrong with the request: the disk is full
            status = 503
        message, hint = error.message, error.hint
    elif isinstance(error, RequestValidationError):
        where = "/".join(str(part) for part in error.errors()[0]["loc"])
        status, message, hint = 422, f"wrong value of {where}", "GET /openapi.json describes all values"
    elif isinstance(error, HTTPException):
        status, message, hint = error.status_code, error.detail.lower(), "GET /openapi.json lists all routes"
        if "allow" in (names := {name.lower(): value for name, value in headers.items()}):
            hint = f"use {names['allow']}"
    else:
        log_fault(error)
        status, message, hint = 500, f"internal error: {type(error).__name__}", "see the log of the server"
    return _json({"error": message, "hint": hint}, status, headers)


def _add_error_handlers(app: FastAPI) -> None:
    async def handle(_: Request, error: Exception) -> Response:
        return error_response(error)

    for kind in (HttpError, SpamnbError, RequestValidationError, HTTPException, Exception):
        app.add_exception_handler(kind, handle)
