"""`spamnb model export` and `spamnb model import`: the same file comes back, and damaged lines are named."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path

from tests.helpers.command_line import Cli, Sms

HINT_LINE = "Hint: correct the line, or export the model again"


def test_export_and_import_give_the_same_file(cli: Cli, sms: Sms) -> None:
    text = cli("model", "export", sms.model).out
    assert text.startswith(b'{"format":"spamnb-counts","version":1,')
    cli("model", "import", "-", "-o", "a.spamnb", stdin=text)
    cli("model", "export", sms.model, "-o", "m.jsonl", "-q")
    packed = cli.write("m.jsonl.gz", gzip.compress((cli.here / "m.jsonl").read_bytes()))
    cli("model", "import", packed, "-o", "b.spamnb")
    for name in ("a.spamnb", "b.spamnb"):
        assert (cli.here / name).read_bytes() == sms.model.read_bytes()


def test_an_export_that_was_cut_is_imported_with_a_note(cli: Cli, tiny: Path) -> None:
    lines = cli("model", "export", tiny).out.splitlines(keepends=True)
    assert "note" not in cli("model", "import", "-", "-o", "x.spamnb", stdin=b"".join(lines)).err
    cut = b"".join(lines[:3])
    done = cli("model", "import", "-", "-o", "x.spamnb", stdin=cut)
    note = "note: the header of stdin announces 6 tokens, got 2: it was cut short, or lines were removed"
    assert note in done.err.splitlines()
    assert "imported          2 tokens from stdin" in done.err.splitlines()
    assert cli("model", "import", "-", "-o", "x.spamnb", "-q", stdin=cut).err == ""


def test_a_damaged_export_names_its_line(cli: Cli, tiny: Path) -> None:
    cli("model", "export", tiny, "-o", "m.jsonl")
    with open(cli.here / "m.jsonl", "ab") as file:
        file.write(b"oops\n")
    errors = cli.fails("model", "import", "m.jsonl", "-o", "x.spamnb")
    assert errors == ["Error: m.jsonl line 9: bad JSON", HINT_LINE]


def test_an_export_without_its_last_line_is_noticed(cli: Cli, tiny: Path, sms: Sms) -> None:
    cli("model", "age", tiny, "-o", "old.spamnb", "-q")
    cli("train", sms.train, "--base", "ready-made", "--set", "digests=no", "-o", "start.spamnb", "-q")
    lost = "lacks its last line, and with it"
    for model in (tiny, Path("old.spamnb")):
        lines = cli("model", "export", model).out.splitlines(keepends=True)
        status_lines = cli(
            "model", "import", "-", "-o", "x.spamnb", stdin=b"".join(lines[:-1])
        ).err.splitlines()
        assert f"note: stdin {lost} which messages were learned" in status_lines
    lines = cli("model", "export", "start.spamnb").out.splitlines(keepends=True)
    status_lines = cli.fails("model", "import", "-", "-o", "x.spamnb", stdin=b"".join(lines[:-1]))
    assert status_lines[0] == f"Error: stdin {lost} the base model"


def test_totals_that_are_too_large_to_add_up(cli: Cli, tiny: Path) -> None:
    data = re.sub(
        rb'"message_totals":\[\d+', b'"message_totals":[9223372036854775807', cli("model", "export", tiny).out
    )
    errors = cli.fails("model", "import", "-", "-o", "x.spamnb", stdin=data)
    assert errors == ["Error: stdin line 1: the settings are damaged", HINT_LINE]


def test_counts_that_are_too_large_to_add_up(cli: Cli, tiny: Path) -> None:
    lines = cli("model", "export", tiny).out.splitlines(keepends=True)
    row = json.loads(lines[1])
    most = (1 << 63) - 1
    row["occurrences"] = [most if n else 0 for n in row["messages"]]
    lines[1] = json.dumps(row).encode() + b"\n"
    errors = cli.fails("model", "import", "-", "-o", "x.spamnb", stdin=b"".join(lines))
    assert errors == ["Error: stdin line 2: the occurrences are too many to add up", HINT_LINE]


def test_an_import_has_the_name_of_its_file(cli: Cli, tiny: Path) -> None:
    cli("model", "export", tiny, "-o", "office.jsonl", "-q")
    done = cli("model", "import", "office.jsonl")
    path = cli.data / "spamnb" / "office.spamnb"
    assert path.read_bytes() == tiny.read_bytes()
    lines = done.err.splitlines()
    assert lines[1].startswith(f"saved             {path} (")
    assert lines[2] == "default           unchanged: `spamnb model use office` makes it this model"
    assert not cli.own_model.exists()


def test_an_import_replaces_no_model_unasked(cli: Cli, tiny: Path) -> None:
    packed = cli.write("my-text.jsonl.gz", gzip.compress(cli("model", "export", tiny).out))
    cli("train", "-", "-o", "my-text", "-q", stdin=b"label,text\nham,hi\nspam,win\n")
    before = cli.own_model.read_bytes()
    assert cli.fails("model", "import", packed) == [
        "Error: there is a model named my-text already",
        "Hint: -o my-text replaces it, -o NAME writes another one",
    ]
    assert cli.own_model.read_bytes() == before
    done = cli("model", "import", packed, "-o", "my-text")
    assert "default           for text: commands without -m use it" in done.err.splitlines()
    assert cli.own_model.read_bytes() == tiny.read_bytes()


def test_an_import_from_stdin_needs_a_name(cli: Cli, tiny: Path) -> None:
    errors = cli.fails("model", "import", "-", stdin=cli("model", "export", tiny).out, code=2)
    assert errors[-1] == "Error: -o is needed here: the model needs a name, for example -o office."
