"""The HTTP routes of a running server: what they answer, what they refuse and how."""

from __future__ import annotations

import json
import re
import socket
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import spamnb
from spamnb.mail import mail_texts, parse_mail
from spamnb.service.http_api import error_response
from tests.helpers.command_line import PATIENCE, Cli
from tests.helpers.running_server import MAIL, SPAM_TEXT, Server

JSON = {"Content_Type": "application/json"}


def test_a_text_gets_the_verdict_of_predict(server: Server) -> None:
    answer = server.post("/predict", {"text": SPAM_TEXT})
    expected = spamnb.load("sms").score([SPAM_TEXT])
    assert answer.pop("id").count("-") == 1
    assert answer == {
        "verdict": "spam",
        "probability": pytest.approx(float(expected.probability[0])),
        "log_odds": pytest.approx(float(expected.log_odds[0])),
        "known": int(expected.known[0]),
    }


@pytest.mark.parametrize("content_type", ["message/rfc822", "text/plain; charset=utf-8"])
def test_a_raw_mail_gets_the_verdict_of_the_model_for_mail(server: Server, content_type: str) -> None:
    answer = server.post("/predict", MAIL, Content_Type=content_type)
    expected = spamnb.load("mail").score(mail_texts([parse_mail(MAIL)]))
    assert answer["log_odds"] == pytest.approx(float(expected.log_odds[0]))


def test_a_plain_text_and_a_long_one_choose_their_model(server: Server) -> None:
    short = server.post("/predict", SPAM_TEXT.encode() + b"\n", Content_Type="text/plain")
    assert short["log_odds"] == pytest.approx(float(spamnb.load("sms").log_odds([SPAM_TEXT])[0]))
    text = "minutes of the meeting " * 30
    long = server.post("/predict", {"text": text})
    assert long["log_odds"] == pytest.approx(float(spamnb.load("mail").log_odds([text])[0]))


@pytest.mark.parametrize(
    ("charset", "encoding"),
    [("; charset=ISO-8859-1", "latin-1"), ("", "cp1252"), ('; charset="utf-16"', "utf-16")],
)
def test_a_plain_text_is_decoded(server: Server, charset: str, encoding: str) -> None:
    text = "gr\u00fc\u00dfe dich"
    answer = server.post("/predict", text.encode(encoding), Content_Type=f"text/plain{charset}")
    assert answer["log_odds"] == server.post("/predict", {"text": text})["log_odds"]


def test_the_form_of_an_sms_gateway_is_read(server: Server) -> None:
    body = b"From=%2B441632960000&Body=WIN+a+FREE+prize%21+Call+0909+879+0123+now"
    answer = server.post("/predict", body, Content_Type="application/x-www-form-urlencoded")
    assert answer["verdict"] == "spam"


def test_a_list_is_answered_in_order(server: Server) -> None:
    texts = ["running late, home by 7", SPAM_TEXT, "", "meeting " * 100] * 600
    answer = server.post("/predict", {"texts": texts})["predictions"]
    assert [row["verdict"] for row in answer[:3]] == ["ham", "spam", "unsure"]
    assert answer[2]["unsure_reason"] == "nothing in it is known"
    assert answer[:4] * 600 == answer


@pytest.mark.parametrize("accept", ["application/jsonl", "application/x-ndjson, */*;q=0.1"])
def test_a_list_is_streamed_as_json_lines(server: Server, accept: str) -> None:
    body = json.dumps({"texts": [SPAM_TEXT, "running late, home by 7"] * 1500}).encode()
    status, header, content = server.ask("POST", "/predict", body, **JSON, Accept=accept)
    assert (status, header["content-type"]) == (200, accept.split(",")[0])
    assert header["transfer-encoding"] == "chunked"
    assert [json.loads(line)["verdict"] for line in content.splitlines()] == ["spam", "ham"] * 1500


def test_concurrent_messages_get_their_own_answers(server: Server) -> None:
    texts = [f"{SPAM_TEXT} {i}" if i % 3 else f"see you at {i}" for i in range(120)]
    with ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(lambda text: server.post("/predict", {"text": text}), texts))
    expected = spamnb.load("sms").log_odds(texts).tolist()
    assert [row["log_odds"] for row in answers] == pytest.approx(expected)


def test_an_explanation_sums_to_the_log_odds(server: Server) -> None:
    answer = server.post("/explain", {"text": SPAM_TEXT})
    total = answer["bias"] + sum(row["log_odds"] for row in answer["evidence"])
    assert total == pytest.approx(answer["log_odds"])
    assert "token" in answer["evidence"][0]
    assert server.post("/explain", {"texts": ["a", "b"]}, 422)["error"] == "expected one message, got a list"


def test_health_names_the_models_and_metrics_count(server: Server) -> None:
    status, _, content = server.ask("GET", "/healthz")
    health = json.loads(content)
    models = {"text": "sms", "long-text": "mail", "mail": "mail"}
    assert (status, health["status"], health["models"]) == (200, "ok", models)
    server.post("/predict", {"text": SPAM_TEXT})
    _, header, metrics = server.ask("GET", "/metrics")
    assert header["content-type"].startswith("text/plain; version=0.0.4")
    assert b'spamnb_verdicts_total{source="http",verdict="spam"}' in metrics
    assert b"spamnb_request_seconds_bucket" in metrics
    assert b'spamnb_model_age_seconds{kind="mail"}' in metrics
    assert b"spamnb_running_error_ratio 0.0" in metrics


@pytest.mark.parametrize(
    ("body", "content_type", "status", "error"),
    [
        (b"{", "application/json", 400, "the body is not JSON"),
        (b"[" * 100_000, "application/json", 400, "the body is not JSON"),
        (b"[]", "application/json", 422, "expected a JSON object"),
        (b"{}", "application/json", 422, "expected either text or texts"),
        (b'{"text": 1}', "application/json", 422, "a text must be a string, got int"),
        (b'{"texts": []}', "application/json", 422, "texts must be a list of 1 to 1,000,000 strings"),
        (b'{"texts": ["a", null]}', "application/json", 422, "a text must be a string, got NoneType"),
        (b'{"text": "a", "x": 1}', "application/json", 422, "unknown field 'x'"),
        (b'{"text": "a", "id": [1]}', "application/json", 422, "id must be a string or an integer"),
        (b'{"text": "a", "id": true}', "application/json", 422, "id must be a string or an integer"),
        (b"", "text/plain", 422, "the request has no body"),
        (b"a", "text/plain; charset=x-none", 415, "cannot read the charset 'x-none'"),
        (b"a", "text/plain; charset=hex", 415, "cannot read the charset 'hex'"),
        (b"a", "image/png", 415, "cannot read the content type 'image/png'"),
        (b"a", "", 415, "the request has no content type"),
        (b"From=1", "application/x-www-form-urlencoded", 422, "the form has no field Body"),
        (b"Body=\xff", "application/x-www-form-urlencoded", 400, "the body is not a form"),
    ],
)
def test_a_wrong_body_is_refused_with_a_reason(
    server: Server, body: bytes, content_type: str, status: int, error: str
) -> None:
    answer = server.post("/predict", body, status, Content_Type=content_type)
    assert answer["error"] == error
    assert answer.keys() == {"error", "hint"}


def test_unknown_routes_and_methods_are_refused_as_json(server: Server) -> None:
    assert server.post("/nothing", {}, 404) == {
        "error": "not found",
        "hint": "GET /openapi.json lists all routes",
    }
    status, header, content = server.ask("GET", "/predict")
    assert (status, header["allow"]) == (405, "POST")
    assert json.loads(content) == {"error": "method not allowed", "hint": "use POST"}


def test_a_mail_without_its_content_type_is_told_which_one(server: Server) -> None:
    refused = server.post("/predict", MAIL, 422, Content_Type="application/x-www-form-urlencoded")
    assert refused == {
        "error": "the form has no field Body",
        "hint": "send the text in the field Body; "
        "JSON and email need a header, Content-Type: application/json or message/rfc822",
    }


def test_the_log_has_refusals_without_what_the_client_wrote(cli: Cli) -> None:
    with Server(cli, "-m", "sms", "--max-request", "1K") as server:
        server.post("/predict", b"{confidential", 400, **JSON)
        server.post("/explain", {"text": "a"}, 403, Origin="http://confidential.example")
        server.post("/confidential/rendezvous", {}, 404)
        server.ask("GET", "/learn?text=confidential")
        server.post("/predict", {"text": "confidential" * 200}, 413)
        server.post("/learn", {"text": "confidential", "label": "spam"}, 409)
        server.post("/page/messages/7/learn?label=confidential", {}, 422, X_Spamnb_Page="1")
        with socket.create_connection(("127.0.0.1", server.port), PATIENCE) as client:
            client.sendall(b"confidential\r\n\r\n")
            assert client.recv(100).startswith(b"HTTP/1.1 400")
        server.wait_for("malformed")
        assert re.findall("refused source=http (.*)", server.log) == [
            'status=400 route="POST /predict"',
            'status=403 route="POST /explain"',
            'status=404 route="POST unknown"',
            'status=405 route="GET /learn"',
            'status=413 route="POST /predict"',
            'status=409 route="POST /learn"',
            'status=422 route="POST /page/..."',
            "status=400 route=malformed",
        ]
        assert "confidential" not in server.log


def test_the_log_says_which_lesson_was_undone(cli: Cli) -> None:
    with Server(cli) as server:
        server.post("/learn", {"texts": ["the zeppelin"], "label": "spam"})
        server.post("/undo")
        server.wait_for(r"action=learn label=spam messages=1 changed=1 ms=[\d.]+\n")
        server.wait_for(r"action=undo undone=1 changed=1 ms=[\d.]+\n")


def test_a_web_page_of_another_origin_cannot_post(server: Server) -> None:
    refused = server.post("/learn", {"text": "a", "label": "spam"}, 403, Origin="http://evil.example")
    assert refused["error"] == "requests from other web pages are refused"
    renamed = server.post("/predict", {"text": "a"}, 403, Host="evil.example:7726")
    assert renamed["error"] == "the host 'evil.example:7726' is not served"
    own = f"127.0.0.1:{server.port}"
    assert server.post("/predict", {"text": "hi"}, Origin=f"http://{own}", Host=own)["verdict"]


def test_the_log_has_no_text_of_messages(server: Server) -> None:
    request = server.post("/predict", {"text": "confidential rendezvous"})["id"]
    server.post("/predict", b'{"text": "confidential" 1', 400, **JSON)
    line = server.wait_for(f"verdict id={request} source=http verdict=\\w+ p=[\\d.]+ ms=[\\d.]+\n")
    assert line
    assert "confidential" not in server.log


def test_lessons_are_seen_by_the_next_request_and_by_predict(cli: Cli) -> None:
    text = "the quarterly zeppelin newsletter"
    with Server(cli) as server:
        before = server.post("/predict", {"text": text})
        lesson = server.post("/learn", {"text": text, "label": "spam"})
        assert lesson["learned"] == {"spam": 1}
        assert lesson["model"] == str(cli.own_model)
        after = server.post("/predict", {"text": text})
        assert (after["verdict"], after["taught_as"]) == ("spam", "spam")
        assert cli("predict", "-t", text, "--format", "terse").text.startswith("spam\t")
        assert server.post("/learn", {"text": text, "label": "spam"})["known"] == {"spam": 1}
        assert server.post("/undo")["forgotten"] == {"spam": 1}
        assert server.post("/predict", {"text": text}) | {"id": ""} == before | {"id": ""}
        assert server.post("/undo", b"", 409)["error"] == "there is no lesson to undo"


def test_lessons_on_text_and_on_mail_are_in_two_models(cli: Cli) -> None:
    mail = b"Subject: zeppelin\n\nthe quarterly newsletter"
    with Server(cli) as server:
        text = server.post("/learn", {"text": "the zeppelin", "label": "spam"})
        other = server.post("/learn?label=spam", mail, Content_Type="message/rfc822")
        assert (text["lesson"], other["lesson"]) == (1, 1)
        assert (text["model"], other["model"]) == (str(cli.own_model), str(cli.own_mail_model))
        assert json.loads(server.ask("GET", "/healthz")[2])["models"] == {
            "text": "my-text",
            "long-text": "my-text",
            "mail": "my-mail",
        }
        assert server.post("/undo?lesson=1", b"", 422) == {
            "error": "two models have a lesson 1",
            "hint": f"add &model= and one of {cli.own_model}, {cli.own_mail_model}",
        }
        assert server.post("/undo?lesson=1&model=x", b"", 409)["error"] == "no model in use is x"
        undone = server.post(f"/undo?lesson=1&model={other['model']}")
        assert (undone["model"], undone["forgotten"]) == (other["model"], {"spam": 1})
        undone = server.post("/undo")
        assert (undone["model"], undone["forgotten"]) == (text["model"], {"spam": 1})


def test_relabelled_and_forgotten_messages_can_be_undone(cli: Cli, tiny: Path) -> None:
    model = cli.write("m.spamnb", tiny.read_bytes())
    with Server(cli, "-m", model) as server:
        server.post("/learn", {"text": "win prize", "label": "ham"})
        assert server.post("/forget", {"texts": ["see you", "never seen"]})["not_found"] == 1
        raw = server.post("/learn?label=ham", b"Subject: x\n\nhello", Content_Type="message/rfc822")
        assert raw["learned"] == {"ham": 1}
        assert [server.post("/undo")["action"] for _ in range(3)] == ["undo"] * 3
        before, after = spamnb.load(str(tiny)), spamnb.load(str(model))
        assert after.store.message_totals.tolist() == before.store.message_totals.tolist()
        assert after.log_odds(["win", "mum"]).tolist() == before.log_odds(["win", "mum"]).tolist()
        assert server.post("/learn", {"text": "x"}, 422)["error"] == "a lesson needs a label"
        empty = server.post("/learn", {"texts": ["x", " "], "label": "ham"}, 422)
        assert empty["error"] == "a message is empty"
        refused = server.post("/learn", {"text": "x", "label": "y"}, 409)
        assert refused == {
            "error": "the model has no class 'y'",
            "hint": "label must be one of ham, spam",
        }
        assert b'spamnb_corrections_total{before="spam",label="ham"} 1.0' in server.ask("GET", "/metrics")[2]


def test_a_ready_made_model_that_is_stated_does_not_learn(cli: Cli) -> None:
    with Server(cli, "-m", "sms") as server:
        refused = server.post("/learn", {"text": "x", "label": "spam"}, 409)
        assert "is a ready-made model" in refused["error"]


def test_an_internal_error_is_answered_and_logged(caplog: pytest.LogCaptureFixture) -> None:
    answer = error_response(ZeroDivisionError("secret text"))
    assert answer.status_code == 500
    assert json.loads(bytes(answer.body)) == {
        "error": "internal error: ZeroDivisionError",
        "hint": "see the log of the server",
    }
    assert "internal error: ZeroDivisionError" in caplog.text
    assert "secret" not in caplog.text


def test_the_id_of_a_client_is_given_back(server: Server) -> None:
    for sent in ("m77", 77, "", 10**30, "\u20ac \x00"):
        assert server.post("/predict", {"id": sent, "text": "see you"})["id"] == sent
        assert server.post("/explain", {"id": sent, "text": "see you"})["id"] == sent
        answer = server.post("/predict", {"id": sent, "texts": ["see you", "win"]})
        assert (answer["id"], len(answer["predictions"])) == (sent, 2)
    assert server.post("/predict", {"text": "see you"})["id"].count("-") == 1
    assert "id" not in server.post("/predict", {"texts": ["see you"]})
