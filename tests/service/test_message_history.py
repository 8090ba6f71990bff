"""The history of a server: bounded, private, never in the way of requests; labels and undo."""

from __future__ import annotations

import json
import stat
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Event
from typing import Any

import pytest

import spamnb.service.history_writer as history_writer
from spamnb.errors import DataError
from spamnb.service.history_views import list_messages, measure_quality, measure_volume
from spamnb.service.history_writer import HistoryReport, HistoryWriter
from spamnb.service.message_history import MOST_RAW, Classified, Labelled, MessageHistory, Undone
from spamnb.service.message_scoring import Message
from spamnb.service.verdict_events import Answered
from tests.helpers.command_line import Cli
from tests.helpers.running_server import MAIL, SPAM_TEXT, Server

PAGE = {"X_Spamnb_Page": "1"}


def classified(text: str, verdict: str = "ham", p: float = 0.1, age: float = 0.0) -> Classified:
    return Classified(time.time() - age, "http", Message(text.encode()), verdict, p)


@pytest.fixture
def history(tmp_path: Path) -> Iterator[MessageHistory]:
    store = MessageHistory(str(tmp_path / "new" / "history.sqlite"), 5)
    yield store
    store.close()


def texts(history: MessageHistory, view: str = "all", search: str = "") -> list[str]:
    return [row["text"] for row in list_messages(history, view, search, "spam")["messages"]]


def test_number_and_age_are_bounded(history: MessageHistory) -> None:
    history.write([classified(word) for word in ["one", "two", "three", "four", "five", "six", "seven"]])
    assert texts(history) == ["seven", "six", "five", "four", "three"]
    history.write([classified("old", age=31 * 86400), classified("new", age=29 * 86400)])
    assert texts(history) == ["new", "seven", "six", "five"]


def test_what_became_too_old_is_removed_at_the_start(tmp_path: Path) -> None:
    path = str(tmp_path / "h")
    first = MessageHistory(path, 5)
    first.write([classified("confidential"), classified("other")])
    first.query("UPDATE messages SET time = time - 31 * 86400 WHERE id = 1")
    first.close()
    assert b"confidential" in (tmp_path / "h").read_bytes()
    second = MessageHistory(path, 5)
    assert texts(second) == ["other"]
    second.close()
    assert b"confidential" not in (tmp_path / "h").read_bytes()


def test_only_the_owner_can_read_it(history: MessageHistory, tmp_path: Path) -> None:
    history.write([classified("one")])
    files = sorted((tmp_path / "new").iterdir())
    assert [file.name for file in files] == ["history.sqlite", "history.sqlite-shm", "history.sqlite-wal"]
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    (tmp_path / "history.sqlite").write_bytes(b"no database at all" * 100)
    with pytest.raises(DataError, match=r"cannot open the history .*: file is not a database"):
        MessageHistory(str(tmp_path / "history.sqlite"), 5)


def test_a_server_does_not_start_without_its_history(cli: Cli) -> None:
    path = cli.own_model.parent / "history.sqlite"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"no database at all" * 100)
    done = cli("serve", "--port", "0", "--history", "5", code=1)
    assert done.err == (
        f"Error: cannot open the history {path}: file is not a database\n"
        "Hint: check its folder, or remove the file\n"
    )


def test_duplicates_are_one_group_with_one_label(history: MessageHistory) -> None:
    history.write([classified("pay 12.50 now"), classified("see you"), classified("Pay 9 NOW!", "spam", 0.9)])
    rows = list_messages(history, "all", "", "spam")["messages"]
    assert [(row["text"], row["copies"], row["label"]) for row in rows] == [
        ("Pay 9 NOW!", 2, ""),
        ("see you", 1, ""),
    ]
    history.write([Labelled([Message(b"pay 12.50 now")], "spam", "m", 1)])
    labelled = list_messages(history, "corrected", "", "spam")["messages"]
    assert [(row["text"], row["label"], row["lesson"]) for row in labelled] == [("Pay 9 NOW!", "spam", 1)]
    quality = measure_quality(history, "spam")
    assert (quality["labelled"], quality["misses"]["part"], quality["misses"]["of"]) == (1, 1, 1)


def test_views_and_search(history: MessageHistory) -> None:
    history.write(
        [
            classified("sure", "spam", 0.99),
            classified("doubt", "unsure", 0.7),
            classified("50% off_x", "unsure", 0.5),
            classified("mum", "ham", 0.01),
        ]
    )
    assert texts(history, "unsure") == ["50% off_x", "doubt", "mum", "sure"]
    assert (texts(history, "spam"), texts(history, "ham")) == (["sure"], ["mum"])
    assert texts(history, search="% off_") == ["50% off_x"]
    assert texts(history, search="%") == ["50% off_x"]
    assert texts(history, search="DOUBT") == ["doubt"]


def test_undo_brings_the_label_before_back(history: MessageHistory) -> None:
    message = Message(b"see you")
    history.write(
        [classified("see you"), Labelled([message], "spam", "m", 1), Labelled([message], "ham", "m", 2)]
    )
    label = lambda: list_messages(history, "all", "", "spam")["messages"][0]["label"]  # noqa: E731
    assert label() == "ham"
    history.write([Undone("other", [2])])
    assert label() == "ham"
    history.write([Undone("m", [2])])
    assert label() == "spam"
    history.write([Labelled([Message(b"x")], "ham", "m", 1)])  # a model that was trained anew
    history.write([Undone("m", [1])])
    assert label() == "spam"
    history.write([Labelled([message], "", "m", 2)])  # forgotten
    assert label() == ""


def test_a_label_that_changes_nothing_can_still_be_undone(history: MessageHistory) -> None:
    message = Message(b"see you")
    history.write([classified("see you"), Labelled([message], "spam", "m", 1)])
    history.write([Labelled([message], "spam", "m", None)])
    (row,) = list_messages(history, "all", "", "spam")["messages"]
    assert (row["label"], row["lesson"]) == ("spam", 1)
    history.write([Undone("m", [1]), Labelled([message], "ham", "m", None)])
    (row,) = list_messages(history, "all", "", "spam")["messages"]
    assert (row["label"], row["lesson"]) == ("ham", None)


def test_intervals_are_those_of_the_metrics(history: MessageHistory) -> None:
    events: list[Any] = [
        classified("a", "ham"), classified("b", "spam"), classified("c", "unsure"), classified("d", "spam"),
        *(Labelled([Message(text)], label, "m", n) for n, (text, label) in enumerate(
            [(b"a", "ham"), (b"b", "ham"), (b"c", "spam"), (b"d", "spam")], 1)),
    ]  # fmt: skip
    history.write(events)
    quality = measure_quality(history, "spam")
    shares = {name: (quality[name]["part"], quality[name]["of"]) for name in ("accuracy", "false_positives")}
    assert shares == {"accuracy": (2, 4), "false_positives": (1, 2)}
    assert quality["misses"]["part"] == quality["unsure"] == 1
    assert quality["accuracy"]["interval"] == pytest.approx([0.15003899, 0.84996101])


def test_without_labels_there_is_no_quality(history: MessageHistory) -> None:
    history.write([classified("a")])
    assert measure_quality(history, "spam")["accuracy"] == {"part": 0, "of": 0, "interval": None}
    assert measure_volume(history, "spam")["total"] == 1


def test_volume_is_counted_over_the_whole_time(history: MessageHistory) -> None:
    history.write([classified("a", "spam", age=1000), classified("b"), classified("c", "spam")])
    volume = measure_volume(history, "spam")
    assert (volume["messages"][0], volume["messages"][-1], sum(volume["messages"])) == (1, 2, 3)
    assert (volume["spam"][0], volume["spam"][-1], volume["total"]) == (1, 1, 3)


def test_a_large_message_is_seen_but_not_kept(history: MessageHistory) -> None:
    history.write([classified("x " * MOST_RAW)])
    (row,) = list_messages(history, "all", "", "spam")["messages"]
    assert (row["kept"], len(row["text"]), history.message(row["id"])) == (0, 320, None)
    assert history.recent(10, 1 << 20) == []


class _Stuck(MessageHistory):
    """Writes only when it may."""

    def __init__(self, path: str) -> None:
        self.may, self.writes = Event(), list[int]()
        self.may.set()
        super().__init__(path, 100)
        self.may.clear()
        self.writes.clear()

    def write(self, events: Any) -> None:
        self.may.wait(20)
        self.writes.append(len(events))


def test_what_cannot_be_written_in_time_is_dropped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history_writer, "MOST_WAITING", 10)
    dropped, stuck = list[int](), _Stuck(str(tmp_path / "h"))
    writer = HistoryWriter(stuck, HistoryReport(dropped.append))
    event = Answered("1", "http", [Message(b"x")] * 25, ["ham"] * 25, [0.1] * 25, 0.1)
    writer.answered(event)
    assert dropped == [15]
    writer.answered(event._replace(source="page"))  # what is tried on the page is not kept
    assert dropped == [15]
    stuck.may.set()
    writer.close()
    assert stuck.writes == [10]


def test_a_full_disk_does_not_stop_the_writer(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    dropped, warnings, history = list[int](), list[str](), MessageHistory(str(tmp_path / "h"), 5)
    writer = HistoryWriter(history, HistoryReport(dropped.append, warnings.append))
    event = Answered("1", "http", [Message(b"secret")], ["ham"], [0.1], 0.1)

    def answer() -> None:
        writer.answered(event)
        writer.flush()

    for expected in (1, 2):
        history._db.execute("PRAGMA query_only=ON")
        answer()
        answer()
        assert (len(dropped), len(warnings)) == (2 * expected, expected)
        history._db.execute("PRAGMA query_only=OFF")
        answer()
        assert len(history.recent(10, 1000)) == 1
    assert set(warnings) == {
        "the history cannot be written: attempt to write a readonly database; "
        "messages that it cannot keep are dropped"
    }
    history.write = None  # type: ignore[assignment, method-assign]  # a fault of the program
    answer()
    assert (len(warnings), "internal error: TypeError" in caplog.text) == (2, True)
    assert "secret" not in caplog.text
    writer.close()


def listed(server: Server, query: str = "") -> Any:
    status, _, body = server.ask("GET", f"/page/messages{query}")
    assert status == 200, body
    return json.loads(body)["messages"]


def test_all_workers_and_protocols_share_one_history(cli: Cli) -> None:
    with Server(cli, "--history", "50", "--workers", "2", "--spamd", "unix:s.sock") as server:
        server.wait_for(r'(?s)(ready message="process \d+".*){2}')
        server.post("/predict", {"texts": [SPAM_TEXT, "see you at one"]})
        server.spamd(
            str(cli.here / "s.sock"), b"CHECK SPAMC/1.5\r\nContent-length: %d\r\n\r\n%s" % (len(MAIL), MAIL)
        )
        server.post("/learn", {"text": "see you at one", "label": "spam"})
        until = time.monotonic() + 20
        while len(rows := listed(server)) < 3 or not any(row["label"] for row in rows):
            assert time.monotonic() < until, rows
            time.sleep(0.05)
        assert {row["source"] for row in rows} == {"http", "spamd"}
        assert [row["text"] for row in listed(server, "?view=corrected")] == ["see you at one"]
    assert stat.S_IMODE((cli.own_model.parent / "history.sqlite").stat().st_mode) == 0o600


def test_the_page_is_protected(cli: Cli) -> None:
    with Server(cli, "--history", "5") as server:
        number = server.post("/predict", {"text": "see you"})["id"]
        assert number
        (row,) = listed(server)
        path = f"/page/messages/{row['id']}/learn?label=spam"
        refused = server.post(path, b"", 403)
        assert refused["error"] == "this route is for the page of the server"
        assert server.post(path, b"", 403, Origin="http://evil.example", **PAGE)["error"] == (
            "requests from other web pages are refused"
        )
        assert server.post(path, b"", **PAGE)["effect"] == {"messages": 1, "changed": 1}
        assert server.ask("GET", "/page/messages", Host="evil.example")[0] == 403
        assert server.ask("GET", "/", Host="evil.example")[0] == 403
        assert server.post("/page/messages/99/learn?label=spam", b"", 404, **PAGE)["error"] == (
            "this message is no longer kept"
        )
        assert server.ask("GET", f"/page/messages/{2**70}/explain")[0] == 422
        assert server.post(f"{path}2", b"", 422, **PAGE)["error"] == "wrong value of query/label"
        status, headers, body = server.ask("GET", "/")
        assert (status, headers["x-content-type-options"]) == (200, "nosniff")
        assert "script-src 'self'" in headers["content-security-policy"]
        assert b"<style" not in body
        assert b" style=" not in body


def test_the_page_itself_needs_no_token_but_messages_do(cli: Cli) -> None:
    cli.write("token", b"0123456789abcdef")
    with Server(cli, "--token-file", "token", "--history", "5") as server:
        assert [server.ask("GET", path)[0] for path in ("/", "/page/page.js", "/page/page.css")] == [200] * 3
        assert [server.ask("GET", path)[0] for path in ("/page/messages", "/page/state")] == [401, 401]


def test_without_history_nothing_is_kept(cli: Cli) -> None:
    with Server(cli) as server:
        server.post("/predict", {"text": "see you"})
        assert server.ask("GET", "/page/messages")[0] == 404
        assert b"spamnb serve --history 1000" in server.ask("GET", "/")[2]
    assert not list(cli.here.rglob("history.sqlite*"))
