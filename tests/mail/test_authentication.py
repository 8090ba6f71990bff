"""Authentication-Results count if a trusted server wrote them; what a sender wrote is a fact of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from spamnb.mail.authentication import UNTRUSTED
from spamnb.mail.parse import parse_mail
from spamnb.mail.parsed_mail import Limits
from tests.helpers.command_line import Cli

RECEIVED = b"Received: from a.example ([192.0.2.1] by.forged.example)\n by mail.example.org with SMTP; Mon\n"
OURS = b"Authentication-Results: mx.example.org; spf=pass smtp.mailfrom=a; dkim=fail (bad)\n"
FORGED = b"Authentication-Results: forged.example; spf=fail; dkim=pass; dmarc=pass\n"
RESULTS = {f"{method}_{result}" for method in ("spf", "dkim", "dmarc", "arc") for result in ("pass", "fail")}


def results(header: bytes, *trusted: bytes) -> set[str]:
    """The tokens of results, and whether there are untrusted ones."""
    words = parse_mail(header + b"\nbody", Limits(authserv_ids=trusted)).tags["header"].decode().split()
    return {word for word in words if word in RESULTS | {UNTRUSTED.decode()}}


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        (OURS + RECEIVED, {"spf_pass", "dkim_fail"}),
        (RECEIVED + OURS, {"spf_pass", "dkim_fail"}),
        (OURS + RECEIVED + FORGED, {"spf_pass", "dkim_fail", UNTRUSTED.decode()}),
        (OURS + OURS.replace(b"spf=pass", b"dmarc=fail") + RECEIVED, {"spf_pass", "dkim_fail", "dmarc_fail"}),
        (FORGED + RECEIVED, {UNTRUSTED.decode()}),
        (FORGED + OURS + RECEIVED, {UNTRUSTED.decode()}),
        (OURS, {UNTRUSTED.decode()}),
        (OURS + b"Received: by elsewhere.example; Mon\n" + RECEIVED, {UNTRUSTED.decode()}),
        (OURS + b"Received: (by mx.example.org) by elsewhere.example; Mon\n", {UNTRUSTED.decode()}),
        (OURS.replace(b"mx", b"MX") + RECEIVED, {"spf_pass", "dkim_fail"}),
        (OURS.replace(b"mx.example.org", b'(c) mx.example.org 1') + RECEIVED, {"spf_pass", "dkim_fail"}),
        (OURS.replace(b"mx.example.org; ", b"") + RECEIVED, {UNTRUSTED.decode()}),
        (b"Authentication-Results:\n" + RECEIVED, set()),
        (b"Authentication-Results: mx.example.org; none\n" + RECEIVED, set()),
        (RECEIVED, set()),
    ],
)  # fmt: skip
def test_which_results_count(header: bytes, expected: set[str]) -> None:
    assert results(header) == expected


@pytest.mark.parametrize(
    "value",
    [
        b"mx.example.org; spf=fail smtp.mailfrom=dkim=pass@forged.example",
        b'mx.example.org; spf=fail smtp.mailfrom="; dkim=pass"@forged.example',
        b"mx.example.org; spf=fail (; dkim=pass)",
        rb"mx.example.org; spf=fail (bad \); dkim=pass) smtp.mailfrom=forged.example",
        rb'mx.example.org; spf=fail reason="bad \"; dkim=pass" smtp.mailfrom=forged.example',
        b"mx.example.org; spf/1 = fail",
    ],
)
def test_a_result_is_what_a_method_found_and_no_other_text(value: bytes) -> None:
    assert results(b"Authentication-Results: " + value + b"\n" + RECEIVED) == {"spf_fail"}


@pytest.mark.parametrize("helo", [b"a (b) by forged.example (c)", b"a) by forged.example (b"])
def test_a_sender_that_names_its_host_so_that_it_looks_like_the_receiver(helo: bytes) -> None:
    received = b"Received: from unknown (HELO " + helo + b") (192.0.2.1) by mail.example.org with SMTP; Mon\n"
    assert results(FORGED + received) == {UNTRUSTED.decode()}
    assert results(OURS + received) == {"spf_pass", "dkim_fail"}


def test_a_trusted_server_is_trusted_wherever_the_mail_was_received() -> None:
    assert results(OURS + FORGED, b"mx.example.org") == {"spf_pass", "dkim_fail", UNTRUSTED.decode()}
    assert results(FORGED + RECEIVED + OURS, b"mx.example.org") == results(OURS + FORGED, b"mx.example.org")
    assert results(OURS + RECEIVED, b"other.example") == {UNTRUSTED.decode()}
    assert results(OURS + FORGED, b"mx.example.org", b"forged.example") == {
        *("spf_pass", "dkim_fail", "spf_fail", "dkim_pass", "dmarc_pass")
    }


@pytest.fixture
def model(cli: Cli) -> Path:
    """A model that knows no more than that spam fails SPF where example.org received it."""
    for label, result in (("spam", b"fail"), ("ham", b"pass")):
        (cli.here / "mail" / label).mkdir(parents=True)
        for i in range(20):
            field = b"Authentication-Results: example.org; spf=" + result + b"\n"
            cli.write(f"mail/{label}/{i}", field + RECEIVED + b"Subject: %d\n\nbody\n" % i)
    cli("train", "mail", "-o", "m.spamnb", "--folds", "0")
    return cli.here / "m.spamnb"


@pytest.mark.parametrize("command", [("filter",), ("predict", "--input-format", "eml", "--explain")])
def test_the_command_line_names_a_trusted_server(command: tuple[str, ...], cli: Cli, model: Path) -> None:
    mail = b"Authentication-Results: Relay.example; spf=fail\n" + RECEIVED + b"Subject: x\n\nbody\n"
    explain = () if "--explain" in command else ("--explain",)
    plain = cli(*command, *explain, "-m", model, stdin=mail).text
    trusted = cli(*command, *explain, "-m", model, "--set", "authserv-id=relay.EXAMPLE", stdin=mail).text
    assert "header:spf_fail" not in plain
    assert "header:spf_fail" in trusted


def test_a_name_that_is_none(cli: Cli, model: Path) -> None:
    flags = ("--set", "authserv-id=two words", "-m", model)
    assert cli.fails("predict", *flags, stdin=b"x", code=2) == [
        "Error: --set authserv-id must be the name of a server, got ['two words']",
        "Hint: for example --set authserv-id=mx.example.org",
    ]
    assert cli.fails("filter", *flags, stdin=b"x", code=2) == [
        "Error: --set authserv-id must be the name of a server, got ['two words']",
        "Hint: for example --set authserv-id=mx.example.org",
    ]
