"""Writes the report and the symbols of a verdict, as clients of spamd show them."""

from __future__ import annotations

from spamnb._version import __version__
from spamnb.core import visible
from spamnb.model import REQUIRED, Explanation, MailVerdict
from spamnb.service.message_scoring import Scored

_MOST_TOKENS = 15


def symbols_of(verdict: MailVerdict, scored: Scored) -> bytes:
    """Returns the names of rules, separated by commas: the verdict, and if a lesson or a list decides it."""
    name = "SPAM" if verdict.is_spam else "UNSURE" if verdict.label == "unsure" else "HAM"
    taught = ["SPAMNB_TAUGHT"] if scored.predictions.taught_label(scored.row) else []
    listed = ["SPAMNB_LISTED"] if scored.predictions.listed_entry(scored.row) else []
    return ",".join([f"SPAMNB_{name}", *taught, *listed]).encode()


def format_report(verdict: MailVerdict, explanation: Explanation) -> bytes:
    """Formats the strongest evidence in the columns of SpamAssassin's report."""
    lines = [
        f"Spam detection software: spamnb {__version__}",
        f"Verdict: {visible(verdict.label)}, probability of spam {verdict.probability:.4f}",
        *([f"The sender is listed: {visible(verdict.listed)}"] if verdict.listed else []),
        "",
        f"Content analysis details:   ({verdict.score:.1f} points, {REQUIRED:.1f} required)",
        "",
        " pts token",
        "---- ----------------------",
        *(f"{e.log_odds:4.1f} {visible(e.token)}" for e in explanation.evidence[:_MOST_TOKENS]),
    ]
    return "".join(f"{line}\n" for line in lines).encode()
