"""Answers the page of a server: files, recent messages, explanations and lessons. Not part of OpenAPI."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Mapping
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query, Request, Response

from spamnb.model import MESSAGE_KINDS, TEXT, card, name_of
from spamnb.service.filter_service import FilterService
from spamnb.service.history_views import SHOWN, list_messages, measure_quality, measure_volume
from spamnb.service.history_writer import PAGE, HistoryWriter
from spamnb.service.http_answers import encode, explained_row, taught_row
from spamnb.service.http_body import HttpError, MessageRequest, Receive, Scope
from spamnb.service.lessons import Taught
from spamnb.service.live_model import LoadedModel
from spamnb.service.message_preview import preview_of
from spamnb.service.message_scoring import Message, score_messages, verdict_of
from spamnb.service.page_files import FILE_NAMES, HEADERS, page_file, render_page

View = Literal["all", "unsure", "spam", "ham", "corrected"]
Label = Literal["spam", "ham"]
Lesson = Annotated[int, Query(ge=1)]
Number = Annotated[int, Path(ge=1, lt=1 << 63)]
Search = Annotated[str, Query(max_length=200)]
RESCORED, RESCORED_BYTES = 200, 1 << 20  # recent messages that are classified again after a lesson
ReadMessages = Callable[[Scope, Receive], Awaitable[MessageRequest]]


class PageRoutes:
    """The routes `/` and `/page/...`."""

    def __init__(
        self, service: FilterService, read: ReadMessages, writer: HistoryWriter | None, most: int
    ) -> None:
        self._service, self._read, self._writer, self._most = service, read, writer, most
        self.router = APIRouter(include_in_schema=False)
        get, post = self.router.get, self.router.post
        get("/")(self.show)
        for name in FILE_NAMES:
            get(f"/page/{name}")(_file_route(name))
        get("/page/state")(self.state)
        get("/page/messages")(self.messages)
        get("/page/messages/{number}/explain")(self.explain_kept)
        post("/page/messages/{number}/learn")(self.learn_kept)
        post("/page/explain")(self.explain)
        post("/page/learn")(self.learn)
        post("/page/undo")(self.undo)

    async def show(self) -> Response:
        return _page_response(render_page(self._most).encode(), "text/html")

    async def state(self) -> Response:
        return await self._answer(self._state)

    async def messages(self, view: View = "all", search: Search = "") -> Response:
        writer = self._history()
        await asyncio.to_thread(writer.flush)
        return await self._answer(lambda: self._with_new_verdicts(writer, view, search))

    async def explain(self, request: Request) -> Response:
        return await self._explained((await self._read(request.scope, request.receive)).only)

    async def explain_kept(self, number: Number) -> Response:
        return await self._explained(await self._kept(number))

    async def learn(self, request: Request, label: Label) -> Response:
        return await self._taught((await self._read(request.scope, request.receive)).only, label)

    async def learn_kept(self, number: Number, label: Label) -> Response:
        return await self._taught(await self._kept(number), label)

    async def undo(self, lesson: Lesson, model: str) -> Response:
        before = self._snapshot()
        return await self._changed(before, await self._service.undo(PAGE, lesson, model))

    def _history(self) -> HistoryWriter:
        if self._writer is None:
            raise HttpError(404, "the server keeps no messages", "start it with --history 1000")
        return self._writer

    async def _kept(self, number: int) -> Message:
        message = await asyncio.to_thread(self._history().history.message, number)
        if message is None:
            raise HttpError(404, "this message is no longer kept", "load the list again")
        return message

    async def _explained(self, message: Message) -> Response:
        row = explained_row(*await self._service.explain(message, PAGE))
        return _json(row | {"text": preview_of(message).text, "is_mail": message.is_mail})

    async def _taught(self, message: Message, label: str) -> Response:
        before = self._snapshot()
        return await self._changed(before, await self._service.learn([message], label, PAGE))

    async def _changed(self, before: Mapping[str, LoadedModel], lesson: tuple[str, Taught]) -> Response:
        """Reports a change, and how many verdicts on recent messages it changes."""
        return await self._answer(lambda: taught_row(*lesson) | {"effect": self._effect(before)})

    def _effect(self, before: Mapping[str, LoadedModel]) -> dict[str, int] | None:
        if self._writer is None:
            return None
        self._writer.flush()
        recent = self._writer.history.recent(RESCORED, RESCORED_BYTES)
        old, new = (score_messages(models, recent) for models in (before, self._snapshot()))
        pairs = [(verdict_of(a), verdict_of(b)) for a, b in zip(old, new, strict=True)]
        return {"messages": len(pairs), "changed": sum(a != b for a, b in pairs)}

    def _with_new_verdicts(self, writer: HistoryWriter, view: View, search: str) -> dict[str, Any]:
        """Lists messages; labelled ones get the verdict of now, and the one before in `was` if it differs."""
        answer = list_messages(writer.history, view, search, self._spam)
        labelled = [
            row for row in answer["messages"] if row["label"] and row["size"] <= RESCORED_BYTES // SHOWN
        ]
        kept = [(row, message) for row in labelled if (message := writer.history.message(row["id"]))]
        scored = score_messages(self._snapshot(), [message for _, message in kept])
        for (row, _), new in zip(kept, scored, strict=True):
            if not isinstance(new, Exception) and new.verdict != row["verdict"]:
                row |= {"was": row["verdict"], "verdict": new.verdict, "probability": new.probability}
        return answer

    def _snapshot(self) -> dict[str, LoadedModel]:
        return {kind: self._service.models[kind] for kind in MESSAGE_KINDS}

    @property
    def _spam(self) -> str:
        return self._service.models[TEXT].model.positive

    def _state(self) -> dict[str, Any]:
        state: dict[str, Any] = {"history": self._most, "spam": self._spam, "models": self._model_cards()}
        if self._writer is not None:
            self._writer.flush()
            history = self._writer.history
            state["quality"] = measure_quality(history, self._spam)
            state["volume"] = measure_volume(history, self._spam)
        return state

    def _model_cards(self) -> list[dict[str, Any]]:
        from spamnb.report import model_card  # imports rich, which a server without visitors does not need

        cards: dict[str, dict[str, Any]] = {}
        for kind, loaded in self._snapshot().items():
            if loaded.path in cards:
                cards[loaded.path]["kinds"].append(kind)
                continue
            size = os.path.getsize(loaded.path) if os.path.exists(loaded.path) else 0
            rows = model_card.card_rows(card(loaded.model, name_of(loaded.path), size))
            cards[loaded.path] = {"kinds": [kind], "name": name_of(loaded.path), "rows": rows}
        return list(cards.values())

    async def _answer(self, work: Callable[[], dict[str, Any]]) -> Response:
        return _json(await asyncio.to_thread(work))


def _file_route(name: str) -> Callable[[], Awaitable[Response]]:
    async def answer() -> Response:
        return _page_response(*page_file(name))

    return answer


def _page_response(content: bytes, media_type: str) -> Response:
    return Response(content, media_type=f"{media_type}; charset=utf-8", headers=HEADERS)


def _json(row: object) -> Response:
    return Response(encode(row), media_type="application/json", headers=HEADERS)
