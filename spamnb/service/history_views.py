"""Lists the messages of a history for the page: searched, filtered, duplicates together; and sums them up."""

from __future__ import annotations

import time
from typing import Any

from spamnb.metrics import Confusion, wilson_interval
from spamnb.service.message_history import MessageHistory

Row = dict[str, Any]
UNSURE = "unsure"
SHOWN = 100  # groups of duplicates in a list
EXCERPT = 320  # characters of a text in a list
BUCKETS = 48  # of the time that the history covers
# Of each group the newest message; its label is that of the last lesson.
_GROUPS = """
WITH grouped AS (
  SELECT id, time, source, kind, size, raw IS NOT NULL AS kept, substr(text, 1, :excerpt) AS text, digest,
    verdict, probability, COUNT(*) OVER (PARTITION BY digest) AS copies,
    ROW_NUMBER() OVER (PARTITION BY digest ORDER BY id DESC) AS place
  FROM messages WHERE :search = '' OR text LIKE :pattern ESCAPE '\\'),
latest AS (SELECT MAX(id), digest, label, lesson, model FROM labels GROUP BY digest)
SELECT grouped.*, COALESCE(label, '') AS label, lesson, model FROM grouped LEFT JOIN latest USING (digest)
WHERE place = 1
"""
_FILTERS = {
    "all": "",
    "unsure": "AND label IS NULL",
    "spam": "AND verdict = :spam",
    "ham": "AND verdict NOT IN (:spam, 'unsure')",
    "corrected": "AND label IS NOT NULL",
}
VIEWS = tuple(_FILTERS)
_ORDERS = {"unsure": "verdict <> 'unsure', ABS(probability - 0.5), id DESC"}


def list_messages(history: MessageHistory, view: str, search: str, spam: str) -> Row:
    """Returns the newest groups of a view; `unsure` has those without a label, the least certain first."""
    literal = search.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    order = _ORDERS.get(view, "id DESC")
    rows = history.query(
        f"{_GROUPS} {_FILTERS[view]} ORDER BY {order} LIMIT {SHOWN + 1}",
        {"search": search, "pattern": f"%{literal}%", "excerpt": EXCERPT, "spam": spam},
    )
    for row in rows:
        del row["place"], row["digest"]
    return {"messages": rows[:SHOWN], "more": len(rows) > SHOWN}


def measure_quality(history: MessageHistory, spam: str) -> Row:
    """Compares the first verdict of each labelled group with its label: shares with 95% intervals.

    A verdict `unsure` counts as one that lets the message through, as in `spamnb evaluate`.
    """
    pairs = history.query(
        "SELECT m.verdict AS verdict, l.label AS label FROM "
        "(SELECT MIN(id), digest, verdict FROM messages GROUP BY digest) AS m JOIN "
        "(SELECT MAX(id), digest, label FROM labels GROUP BY digest) AS l USING (digest)"
    )
    truth = [pair["label"] == spam for pair in pairs]
    confusion = Confusion.of(truth, [pair["verdict"] == spam for pair in pairs])
    spams, hams = sum(truth), len(truth) - sum(truth)
    return {
        "labelled": len(pairs),
        "unsure": sum(pair["verdict"] == UNSURE for pair in pairs),
        "accuracy": _share(confusion.tp + confusion.tn, len(pairs)),
        "false_positives": _share(confusion.fp, hams),
        "misses": _share(confusion.fn, spams),
    }


def _share(part: int, whole: int) -> Row:
    low, high = wilson_interval(part, whole)
    return {"part": part, "of": whole, "interval": [low, high] if whole else None}


def measure_volume(history: MessageHistory, spam: str) -> Row:
    """Counts messages and spam in equal parts of the time from the oldest message until now."""
    now = time.time()
    (first,) = history.query("SELECT MIN(time) AS time, COUNT(*) AS messages FROM messages")
    begin = min(first["time"] or now, now - 60)
    width = (now - begin) / BUCKETS
    rows = history.query(
        "SELECT MIN(CAST((time - :begin) / :width AS INTEGER), :last) AS bucket, COUNT(*) AS messages, "
        "SUM(verdict = :spam) AS spam FROM messages GROUP BY bucket",
        {"begin": begin, "width": width, "last": BUCKETS - 1, "spam": spam},
    )
    messages, spams = [0] * BUCKETS, [0] * BUCKETS
    for row in rows:
        messages[row["bucket"]], spams[row["bucket"]] = row["messages"], row["spam"]
    return {"begin": begin, "end": now, "total": first["messages"], "messages": messages, "spam": spams}
