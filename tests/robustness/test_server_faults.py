"""A small sample of the malformed requests and kills of `make hardening`."""

from __future__ import annotations

from tests.robustness import killed_servers, malformed_requests


def test_malformed_requests_do_not_stop_a_server() -> None:
    assert all(ok for _, ok, _, _ in malformed_requests.tries(200))


def test_no_lesson_is_lost_when_workers_are_killed() -> None:
    [(lessons, failures)] = killed_servers.runs(4)
    assert lessons > 0
    assert failures == 0
