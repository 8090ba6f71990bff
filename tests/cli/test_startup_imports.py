"""What a command imports: nothing that it does not need. Looked up in sys.modules, not by the clock."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.helpers.command_line import PATIENCE, Cli, Sms, imported


@pytest.mark.parametrize(
    "args",
    [
        ("--help",),
        ("--version",),
        *((name, "--help") for name in ("train", "predict", "evaluate", "compare", "tune", "model", "imap")),
        ("model", "list", "--help"),
        ("imap", "run", "--help"),
        ("train", "--help-all"),
    ],
)
def test_help_imports_nothing_but_click(cli: Cli, args: tuple[str, ...]) -> None:
    packages = imported(cli, *args)
    assert not packages & {"numpy", "pandas", "joblib", "rich", "jinja2", "sklearn", "json", "csv", "email"}
    assert not packages & {"tomllib", "platformdirs", "imapclient", "ssl", "sqlite3"}


def test_the_list_of_commands_imports_no_command(cli: Cli) -> None:
    modules = {name for name in imported(cli, "--help") if name.startswith("spamnb.cli.")}
    assert modules == {"spamnb.cli.command_group"}


def test_the_list_of_commands_imports_little_besides_click(cli: Cli) -> None:
    """The time of `--help` is that of `import click`: what else is loaded can be counted."""
    plain_help = (
        "import click, sys; c = click.Command('x'); c.get_help(click.Context(c)); print(*sys.modules)"
    )
    click_alone = subprocess.run(
        [sys.executable, "-c", plain_help],
        capture_output=True,
        env=cli.env,
        timeout=PATIENCE,
        check=True,
    )
    more = imported(cli, "--help") - set(click_alone.stdout.decode().split())
    own = {name for name in more if name.partition(".")[0] == "spamnb"}
    assert more - own <= {"gc", "signal"}
    assert own <= {
        *("spamnb", "spamnb._version", "spamnb.cli", "spamnb.cli.command_group", "spamnb.errors"),
        *("spamnb.core", "spamnb.core.cpu_and_memory", "spamnb.core.lazy_names"),
    }


def test_predicting_one_message_imports_little(cli: Cli, sms: Sms) -> None:
    modules = imported(cli, "predict", "-m", sms.model, stdin=b"WIN a FREE prize\n")
    assert "numpy" in modules
    assert not modules & {"pandas", "joblib", "rich", "jinja2", "sklearn", "scipy", "json", "csv", "email"}
    assert not modules & {"multiprocessing", "asyncio", "logging", "subprocess", "unittest"}
    assert not modules & {"spamnb.training.trainer", "spamnb.metrics", "spamnb.readers.tables.delimited"}


def test_training_without_a_terminal_imports_neither_pandas_nor_rich(cli: Cli, sms: Sms) -> None:
    modules = imported(cli, "train", sms.train, "-o", "x.spamnb")
    assert "joblib" in modules
    assert not modules & {"pandas", "rich", "jinja2", "sklearn", "scipy"}


def test_evaluating_as_json_imports_neither_pandas_nor_joblib(cli: Cli, sms: Sms) -> None:
    modules = imported(cli, "evaluate", sms.test, "-m", sms.model, "--json", "-")
    assert not modules & {"pandas", "joblib", "rich", "jinja2", "sklearn", "scipy"}


def test_only_a_report_imports_jinja2(cli: Cli, sms: Sms) -> None:
    assert "jinja2" not in imported(cli, "evaluate", sms.test, "-m", sms.model, "--plots", "p")
    assert "jinja2" in imported(cli, "evaluate", sms.test, "-m", sms.model, "--report", "r.html")


@pytest.mark.parametrize("statement", ["import spamnb", "import spamnb; spamnb.__version__"])
def test_importing_the_package_costs_next_to_nothing(cli: Cli, statement: str) -> None:
    listing = "print([n for n in sys.modules if n.partition('.')[0] in ('numpy', 'click', 'pandas')])"
    script = f"import sys; {statement}; {listing}"
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        cwd=cli.here,
        env=cli.env,
        timeout=PATIENCE,
        check=True,
    )
    assert done.stdout == b"[]\n"
