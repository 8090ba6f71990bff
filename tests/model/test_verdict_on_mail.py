"""The fields of a verdict agree with each other, whatever decided it."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from spamnb import train
from spamnb.mail import Limits
from spamnb.model import Decision, SpamModel, with_verdict
from spamnb.report import header_reasons
from tests.helpers.command_line import Cli

SPAM, HAM = "win a prize now", "see you at lunch"
RULES = {
    "default": Decision(),
    "high": Decision(0.9999),
    "band": Decision(0.97, unsure_from=0.01),
    "narrow band": Decision(0.5, unsure_from=0.4999),
    "all": Decision(0.0),
    "none": Decision(1.0),
    "rate": Decision.from_cutoff(2.0, 0.001),
    "costs": Decision.from_costs(100.0, 1.0),
}


@pytest.fixture(scope="module")
def model() -> SpamModel:
    return train([f"{SPAM} {i}" for i in range(20)] + [f"{HAM} {i}" for i in range(20)], [1] * 20 + [0] * 20)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("text", [SPAM, HAM, f"{SPAM} {HAM}", "prize lunch", "xyzzy", ""])
def test_the_score_agrees_with_the_flag(rule: str, text: str, model: SpamModel) -> None:
    mail = with_verdict(
        b"Subject: x\n\n" + text.encode(), replace(model, decision=RULES[rule]), Limits(), header_reasons
    )
    head = mail.partition(b"Subject:")[0].decode().replace("\n ", " ")
    match = re.fullmatch(
        r"X-Spam-Flag: (\w+)\nX-Spam-Status: (\w+), score=(\S+) required=(\S+) tests=spamnb version=\S+\n"
        r"X-Spam-Score: \3\nX-Spam-Level: ?(\**)\nX-Spamnb: (\w+), .*\n",
        head,
    )
    assert match is not None, head
    flag, yes, score, required, level, label = match.groups()
    assert required == "5.0"
    assert (flag, yes) == (("YES", "Yes") if label == "spam" else ("NO", "No"))
    assert (float(score) >= 5.0) == (flag == "YES")
    assert len(level) == min(50, max(0, int(float(score))))


def test_a_lesson_moves_the_score_with_the_verdict(cli: Cli) -> None:
    """A mail that was taught word for word is spam even with the log-odds of ham, and vice versa."""
    cli.write("d.csv", "label,text\n" + "".join(f"spam,{SPAM} {i}\nham,{HAM} {i}\n" for i in range(30)))
    cli("train", "d.csv", "-o", "m.spamnb")
    for text, label, flag in ((HAM, "spam", "YES"), (SPAM, "ham", "NO")):
        mail = f"Subject: hello\n\n{text} again\n".encode()
        cli("learn", f"--{label}", "-m", "m.spamnb", "--input-format", "eml", stdin=mail)
        head = cli("filter", "-m", "m.spamnb", stdin=mail).text
        assert head.startswith(f"X-Spam-Flag: {flag}\n")
        assert (float(head.partition("score=")[2].split()[0]) >= 5.0) == (flag == "YES")
