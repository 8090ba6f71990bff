"""Counts verdicts, latencies and corrections for Prometheus."""

from __future__ import annotations

import os
import time
from collections import Counter as Tally
from functools import partial

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from spamnb.model import MESSAGE_KINDS
from spamnb.service.live_model import LiveModels
from spamnb.service.verdict_events import Answered, Corrected

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
SHARED_FOLDER = "PROMETHEUS_MULTIPROC_DIR"  # of all workers
_SECONDS = 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 5.0


class _TaughtMessages:
    """New messages that were taught, and how many of them had a wrong verdict before."""

    def __init__(self, registry: CollectorRegistry) -> None:
        taught, wrong = "New messages that were taught.", "Of these, messages with a wrong verdict before."
        self._classified = Counter("spamnb_taught_messages", taught, registry=registry)
        self._wrong = Counter("spamnb_taught_misclassified", wrong, registry=registry)
        share = "Share of taught messages with a wrong verdict before."
        self._error = Gauge(
            "spamnb_running_error_ratio", share, multiprocess_mode="mostrecent", registry=registry
        )

    def add(self, classified: int, misclassified: int) -> None:
        self._classified.inc(classified)
        self._wrong.inc(misclassified)

    def set_error(self, registry: CollectorRegistry) -> None:
        """Computes the share of wrong verdicts from the counts of all workers."""
        taught = registry.get_sample_value("spamnb_taught_messages_total") or 0
        wrong = registry.get_sample_value("spamnb_taught_misclassified_total") or 0
        self._error.set(wrong / taught if taught else 0.0)


class ServiceMetrics:
    """The metrics of one server, of all its workers together."""

    def __init__(self, models: LiveModels) -> None:
        self._models, self.registry = models, CollectorRegistry()
        counter = partial(Counter, registry=self.registry)
        self._verdicts = counter("spamnb_verdicts", "Messages by verdict.", ["source", "verdict"])
        self._latency = Histogram(
            "spamnb_request_seconds",
            "Time from a complete request to its verdicts.",
            ["source"],
            buckets=_SECONDS,
            registry=self.registry,
        )
        before = "Messages learned as label, by their verdict before."
        self._corrections = counter("spamnb_corrections", before, ["label", "before"])
        self._lessons = counter("spamnb_lessons", "Requests that changed a model.", ["action"])
        self._taught = _TaughtMessages(self.registry)
        self._dropped = counter("spamnb_history_dropped", "Messages that the history could not keep.")
        self._age = Gauge(
            "spamnb_model_age_seconds",
            "Time since the files of the model changed.",
            ["kind"],
            multiprocess_mode="mostrecent",
            registry=self.registry,
        )

    def answered(self, event: Answered) -> None:
        for verdict, number in Tally(event.verdicts).items():
            self._verdicts.labels(event.source, verdict).inc(number)
        self._latency.labels(event.source).observe(event.seconds)

    def corrected(self, event: Corrected) -> None:
        verdicts = event.taught.outcome.verdicts
        self._lessons.labels(event.taught.action).inc()
        for lesson in verdicts.lessons:
            self._corrections.labels(lesson.label, lesson.before).inc()
        self._taught.add(verdicts.classified, verdicts.misclassified)

    def history_dropped(self, messages: int) -> None:
        self._dropped.inc(messages)

    def text(self) -> bytes:
        """Returns all metrics in Prometheus's text format."""
        for kind in MESSAGE_KINDS:
            self._age.labels(kind).set(time.time() - changed_at(self._models[kind].path))
        if SHARED_FOLDER not in os.environ:
            self._taught.set_error(self.registry)
            return generate_latest(self.registry)
        from prometheus_client.multiprocess import MultiProcessCollector

        shared = CollectorRegistry()
        MultiProcessCollector(shared)  # type: ignore[no-untyped-call]
        self._taught.set_error(shared)
        return generate_latest(shared)


def changed_at(path: str) -> float:
    """Returns when a model file or its journal last changed, in seconds since the epoch."""
    from spamnb.storage import JOURNAL

    files = (path, os.path.realpath(path) + JOURNAL)
    return max((os.stat(file).st_mtime for file in files if os.path.exists(file)), default=time.time())
