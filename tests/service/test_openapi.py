"""The OpenAPI description is true: schemathesis derives requests from it, and checks all answers."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from tests.helpers.command_line import Cli
from tests.helpers.running_server import Server

schemathesis = pytest.importorskip("schemathesis")

from schemathesis.specs.openapi.checks import positive_data_acceptance  # noqa: E402

ROUTES = {"/predict", "/explain", "/learn", "/forget", "/undo", "/healthz", "/metrics"}


def test_every_route_is_described(server: Server) -> None:
    description = json.loads(server.ask("GET", "/openapi.json")[2])
    assert set(description["paths"]) == ROUTES
    for path in re.findall(r"(?<= )/\S*?(?=[., ]|$)", description["info"]["description"]):
        assert server.ask("GET", path)[0] == 200, path
    for route in description["paths"].values():
        for operation in route.values():
            assert operation["summary"]
            assert operation["description"]
    kinds = description["paths"]["/predict"]["post"]["requestBody"]["content"]
    assert set(kinds) == {
        *("application/json", "message/rfc822", "text/plain", "application/x-www-form-urlencoded"),
    }


def check_answers(operation: Any) -> None:
    """Sends requests that fit the description of one route, and some that do not."""
    # OpenAPI cannot say that the label is in the query of a raw message, and in the body of JSON.
    unchecked = [positive_data_acceptance] if operation.path == "/learn" else []

    @settings(max_examples=8, database=None, suppress_health_check=[*HealthCheck])
    @given(case=operation.as_strategy())
    def answer_conforms(case: Any) -> None:
        case.call_and_validate(excluded_checks=unchecked)

    answer_conforms()


def test_answers_agree_with_the_description(cli: Cli) -> None:
    with Server(cli) as server:
        schema = schemathesis.openapi.from_url(f"http://127.0.0.1:{server.port}/openapi.json")
        for result in schema.get_all_operations():
            check_answers(result.ok())
        assert server.ask("GET", "/healthz")[0] == 200
