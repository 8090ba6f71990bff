"""Shared by all tests: repeatable property tests, and models that the command line itself trained once."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.helpers.command_line import TINY, TINY_FLAGS, Cli, Sms, Tennis, Three
from tests.helpers.paths import SMALL_SMS, TEST_DATA

settings.register_profile(
    "spamnb", derandomize=True, deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow]
)

settings.load_profile("spamnb")


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    return Cli(tmp_path)


def _write(path: Path, rows: list[list[str]]) -> Path:
    with open(path, "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)
    return path


@pytest.fixture(scope="session")
def sms(tmp_path_factory: pytest.TempPathFactory) -> Sms:
    home = Cli(tmp_path_factory.mktemp("sms"))
    with open(SMALL_SMS, newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    corpus = Sms(
        _write(home.here / "train.csv", [header, *rows[::2]]),
        _write(home.here / "test.csv", [header, *rows[1::2]]),
        home.here / "sms.spamnb",
    )
    home("train", corpus.train, "-o", corpus.model)
    return corpus


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model whose every probability can be reckoned by hand."""
    home = Cli(tmp_path_factory.mktemp("tiny"))
    home("train", home.write("tiny.csv", TINY), *TINY_FLAGS, "-o", "tiny.spamnb")
    return home.here / "tiny.spamnb"


@pytest.fixture(scope="session")
def three(tmp_path_factory: pytest.TempPathFactory) -> Three:
    home = Cli(tmp_path_factory.mktemp("three"))
    words = {
        "work": ("meeting", "report", "office"),
        "home": ("dinner", "milk", "kids"),
        "spam": ("prize", "win", "cash"),
    }
    rows = [
        f"{label},{own[i % 3]} {own[(i + 1) % 3]} at {i % 7}"
        for i in range(12)
        for label, own in words.items()
    ]
    data = home.write("three.csv", "label,text\n" + "\n".join(rows) + "\n")
    home("train", data, "-o", "three.spamnb")
    return Three(data, home.here / "three.spamnb")


TENNIS = """outlook,temperature,humidity,wind,play
sunny,85,85,weak,no
sunny,80,90,strong,no
overcast,83,86,weak,yes
rain,70,96,weak,yes
rain,68,80,weak,yes
rain,65,70,strong,no
overcast,64,65,strong,yes
sunny,72,95,weak,no
sunny,69,70,weak,yes
rain,75,80,weak,yes
sunny,75,70,strong,yes
overcast,72,90,strong,yes
overcast,81,75,weak,yes
rain,71,91,strong,no
"""


@pytest.fixture(scope="session")
def tennis(tmp_path_factory: pytest.TempPathFactory) -> Tennis:
    home = Cli(tmp_path_factory.mktemp("tennis"))
    data = home.write("tennis.csv", TENNIS)
    columns = ["--label-column", "play", "--categorical", "outlook", "--categorical", "wind"]
    columns += ["--numeric", "temperature", "--numeric", "humidity"]
    flags = ["--scorer", "categorical", "--tokens", "plain", "-o", "tennis.spamnb"]
    done = home("train", data, *columns, *flags)
    return Tennis(data, home.here / "tennis.spamnb", done.err)


@pytest.fixture(scope="session")
def mails(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Mails enough for folds: the sample ones, each three times with a word of its own."""
    folder = tmp_path_factory.mktemp("mails")
    for path in (TEST_DATA / "mail").glob("*/*.eml"):
        for i in range(3):
            target = folder / path.parent.name / f"{path.stem}-{i}.eml"
            target.parent.mkdir(exist_ok=True)
            target.write_bytes(path.read_bytes() + f"\nnumber{i} {path.stem}\n".encode())
    return folder


@pytest.fixture(scope="session")
def mail_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = Cli(tmp_path_factory.mktemp("mail"))
    home("train", TEST_DATA / "mail", "-o", "mail.spamnb")
    return home.here / "mail.spamnb"
