"""`spamnb export` and `spamnb import`: the same file comes back, and damaged lines are named."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

from tests.helpers.command_line import Cli, Sms

HINT_LINE = "Hint: correct the line, or export the model again"


def test_export_and_import_give_the_same_file(cli: Cli, sms: Sms) -> None:
    text = cli("export", sms.model).out
    assert text.startswith(b"# spamnb-counts 1\n# {")
    cli("import", "-", "-o", "a.spamnb", stdin=text)
    cli("export", sms.model, "-o", "m.jsonl", "-q")
    packed = cli.write("m.jsonl.gz", gzip.compress((cli.here / "m.jsonl").read_bytes()))
    cli("import", packed, "-o", "b.spamnb")
    for name in ("a.spamnb", "b.spamnb"):
        assert (cli.here / name).read_bytes() == sms.model.read_bytes()


def test_an_export_that_was_cut_is_imported_with_a_note(cli: Cli, tiny: Path) -> None:
    for form in ("tsv", "jsonl"):
        lines = cli("export", tiny, "--format", form).out.splitlines(keepends=True)
        head = 3 if form == "tsv" else 1
        assert "note" not in cli("import", "-", "-o", "x.spamnb", stdin=b"".join(lines)).err
        cut = b"".join(lines[: head + 2])
        done = cli("import", "-", "-o", "x.spamnb", stdin=cut)
        note = "note: the header of stdin promises 6 tokens, 2 came: it was cut short, or lines were removed"
        assert note in done.err.splitlines()
        assert "imported          2 tokens from stdin" in done.err.splitlines()
        assert cli("import", "-", "-o", "x.spamnb", "-q", stdin=cut).err == ""
        # As it was written before these stood there.
        old = re.sub(rb'"tokens":6,|"at_the_end":\["known"\],', b"", cut)
        assert old != cut
        assert "note" not in cli("import", "-", "-o", "x.spamnb", stdin=old).err


def test_a_damaged_export_names_its_line(cli: Cli, tiny: Path) -> None:
    cli("export", tiny, "-o", "m.tsv")
    with open(cli.here / "m.tsv", "ab") as file:
        file.write(b"oops\n")
    assert cli.fails("import", "m.tsv", "-o", "x.spamnb") == [
        "Error: m.tsv line 11: 1 fields, expected 7",
        HINT_LINE,
    ]


def test_an_export_without_its_last_line_is_told(cli: Cli, tiny: Path, sms: Sms) -> None:
    cli("age", tiny, "-o", "old.spamnb", "-q")
    cli("train", sms.train, "--base", "ready-made", "--no-digests", "-o", "start.spamnb", "-q")
    lost = "has lost its last line, and with it"
    for form in ("tsv", "jsonl"):
        for model in (tiny, Path("old.spamnb")):
            lines = cli("export", model, "--format", form).out.splitlines(keepends=True)
            said = cli("import", "-", "-o", "x.spamnb", stdin=b"".join(lines[:-1])).err.splitlines()
            assert f"note: stdin {lost} which messages were learned" in said
        lines = cli("export", "start.spamnb", "--format", form).out.splitlines(keepends=True)
        said = cli.fails("import", "-", "-o", "x.spamnb", stdin=b"".join(lines[:-1]))
        assert said[0] == f"Error: stdin {lost} the model that it starts from"


def test_totals_that_nobody_can_add_up(cli: Cli, tiny: Path) -> None:
    data = re.sub(
        rb'"message_totals":\[\d+', b'"message_totals":[9223372036854775807', cli("export", tiny).out
    )
    said = cli.fails("import", "-", "-o", "x.spamnb", stdin=data)
    assert said == ["Error: stdin line 2: the settings are damaged", HINT_LINE]


def test_the_columns_of_an_export_must_be_in_order(cli: Cli, tiny: Path) -> None:
    data = cli("export", tiny).out
    expected = "token, kind, occurrences:ham, occurrences:spam, messages:ham, messages:spam, key"
    for wrong in (
        data.replace(b"occurrences:ham\toccurrences:spam", b"occurrences:spam\toccurrences:ham"),
        b"".join(line for i, line in enumerate(data.splitlines(keepends=True)) if i != 2),
    ):
        assert wrong != data
        said = cli.fails("import", "-", "-o", "x.spamnb", stdin=wrong)
        assert said == [f"Error: stdin line 3: expected the names of the columns: {expected}", HINT_LINE]


def test_counts_that_nobody_can_add_up(cli: Cli, tiny: Path) -> None:
    lines = cli("export", tiny).out.splitlines(keepends=True)
    fields = lines[3].split(b"\t")
    lines[3] = b"\t".join([*fields[:2], b"9223372036854775807", b"9223372036854775807", *fields[4:]])
    fewer = [line.replace(b"\t0\t", b"\t1\t") if i == 3 else line for i, line in enumerate(lines)]
    said = cli.fails("import", "-", "-o", "x.spamnb", stdin=b"".join(fewer))
    assert said == ["Error: stdin line 4: the occurrences are too many to add up", HINT_LINE]
