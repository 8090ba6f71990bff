"""`spamnb predict` keeps all columns of tables, in every format and in files of -o."""

from __future__ import annotations

import csv
import io
import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from spamnb.report.prediction_column_names import free_prefix
from tests.helpers.command_line import Cli, Sms, imported
from tests.helpers.workbooks import table_workbook

NEW = ["verdict", "probability", "log_odds"]
TABLE = 'id,text,sender\n007,"win, ""now""",=HYPERLINK(1)\n-8,"see\nyou",+491701\n'


def parsed(data: bytes) -> list[list[str]]:
    return list(csv.reader(io.StringIO(data.decode(), newline="")))


def parquet(path: Path) -> Any:
    return pytest.importorskip("pyarrow.parquet", reason="needs pyarrow").read_table(path)


# --- every format ----------------------------------------------------------------------------------


def test_csv_keeps_all_columns(cli: Cli, tiny: Path) -> None:
    cli.write("m.csv", TABLE)
    rows = parsed(cli("predict", "-m", tiny, "m.csv", "--format", "csv", "-q").out)
    assert rows[0] == [*NEW, "id", "text", "sender"]
    assert [row[3:] for row in rows[1:]] == [
        ["007", 'win, "now"', "=HYPERLINK(1)"],
        ["-8", "see\nyou", "+491701"],
    ]
    assert [row[0] for row in rows[1:]] == ["spam", "ham"]


@pytest.mark.parametrize("suffix", ["csv", "json", "parquet", "xlsx"])
def test_only_messages_get_an_apostrophe(cli: Cli, tiny: Path, suffix: str) -> None:
    ids = ["+44 7911 123456", "@anna", "-Xy12", "-1e5", "=1+1"]
    rows = [{"=id": text, "sms": f"={text}"} for text in ids]
    path = cli.here / f"m.{suffix}"
    if suffix == "csv":
        path.write_text("=id,sms\n" + "".join(f"{text},={text}\n" for text in ids))
    elif suffix == "json":
        path.write_text(json.dumps(rows))
    elif suffix == "parquet":
        pa = pytest.importorskip("pyarrow", reason="needs pyarrow")
        pytest.importorskip("pyarrow.parquet").write_table(pa.Table.from_pylist(rows), path)
    else:
        pytest.importorskip("python_calamine", reason="reading workbooks needs python-calamine")
        path.write_bytes(table_workbook(("=id", "sms"), *((text, f"={text}") for text in ids)))
    done = cli("predict", "-m", tiny, path.name, "-o", "out.csv")
    kept = [row[3:] for row in parsed((cli.here / "out.csv").read_bytes())]
    assert kept == [["=id", "sms"], *([text, f"'={text}"] for text in ids)]
    assert done.err.splitlines()[1] == (
        'note: 5 cells of "sms" that begin like a formula got an apostrophe; '
        "-o FILE.tsv or FILE.jsonl writes none"
    )
    cli("predict", "-m", tiny, path.name, "-o", "out.tsv")
    lines = (cli.here / "out.tsv").read_text().splitlines()[1:]
    assert [line.split("\t")[2:] for line in lines] == [[text, f"={text}"] for text in ids]


def test_tsv_has_a_header_and_all_columns(cli: Cli, tiny: Path) -> None:
    cli.write("m.csv", TABLE)
    assert cli("predict", "-m", tiny, "m.csv", "-q").text == (
        "verdict\tprobability\tid\ttext\tsender\n"
        'spam\t0.7500\t007\twin, "now"\t=HYPERLINK(1)\n'
        "ham\t0.1429\t-8\tsee\\nyou\t+491701\n"
    )
    why = cli("predict", "-m", tiny, "m.csv", "-q", "--explain", "--only", "spam").text.splitlines()
    assert why[0].split("\t") == ["verdict", "probability", "id", "text", "sender", "evidence"]
    assert [line.split("\t")[-1] for line in why[1:]] == ["win +1.10"]


def test_json_arrays_and_workbooks_keep_them_too(cli: Cli, tiny: Path) -> None:
    cli.write("m.json", '[{"id": 7, "text": "win"},\n {"id": 8, "text": "see you"}]')
    shown = "verdict\tprobability\tid\ttext\nspam\t0.7500\t7\twin\nham\t0.1429\t8\tsee you\n"
    assert cli("predict", "-m", tiny, "m.json", "-q").text == shown
    first = cli("predict", "-m", tiny, "m.json", "-q", "--format", "jsonl").records[0]
    assert (first["id"], first["text"]) == (7, "win")
    pytest.importorskip("python_calamine", reason="reading workbooks needs python-calamine")
    (cli.here / "m.xlsx").write_bytes(table_workbook(("id", "text"), ("7", "win"), ("8", "see you")))
    assert cli("predict", "-m", tiny, "m.xlsx", "-q").text == shown


def test_jsonl_keeps_values_and_their_types(cli: Cli, tiny: Path) -> None:
    records = [
        {"id": 7, "text": "win", "tags": ["a", {"b": None}], "ok": True},
        {"id": None, "text": "see you", "x\u202e": 1.5},
    ]
    cli.write(
        "m.jsonl", "".join(json.dumps(record) + "\n" for record in records) + '{"text": "win", "n": NaN}\n'
    )
    done = cli("predict", "-m", tiny, "m.jsonl", "--format", "jsonl", "-q")
    usual = ("verdict", "probability", "log_odds", "known", "log_evidence")
    kept = [{name: value for name, value in record.items() if name not in usual} for record in done.records]
    assert kept == [*records, {"text": "win", "n": None}]
    assert "\u202e" not in done.text
    rows = parsed(cli("predict", "-m", tiny, "m.jsonl", "--format", "csv", "-q").out)
    assert rows[0] == [*NEW, "id", "text", "tags", "ok", "x\u202e", "n"]
    assert rows[1][3:] == ["7", "win", '[""a"", {""b"": null}]'.replace('""', '"'), "true", "", ""]


def test_lines_and_mail_have_no_header_in_tsv(cli: Cli, tiny: Path) -> None:
    cli.write("m.txt", "win\n")
    cli.write("m.eml", "Subject: win\n\nwin\n")
    lines = cli("predict", "-m", tiny, "m.txt", "m.eml", "-q").lines
    assert [line.split(b"\t")[2] for line in lines] == [b"win", b"m.eml"]


def test_terse_stays_as_it_is(cli: Cli, tiny: Path) -> None:
    cli.write("m.csv", TABLE)
    assert (
        cli("predict", "-m", tiny, "m.csv", "--format", "terse", "-q").out == b"spam\t0.7500\nham\t0.1429\n"
    )


def test_a_windows_csv(cli: Cli, tiny: Path) -> None:
    cli.write("m.csv", "Nr;Text;Käufer\r\n1;win;Müller\r\n".encode("cp1252"))
    rows = parsed(cli("predict", "-m", tiny, "m.csv", "--format", "csv", "-q").out)
    assert [row[3:] for row in rows] == [["Nr", "Text", "Käufer"], ["1", "win", "Müller"]]


def test_irregular_rows_keep_their_fields(cli: Cli, tiny: Path) -> None:
    cli.write("m.csv", "id,text,x\n1,win\n2,see you,a,b\n3,win,c\n")
    done = cli("predict", "-m", tiny, "m.csv", "-o", "out.csv")
    rows = parsed((cli.here / "out.csv").read_bytes())
    assert [row[3:] for row in rows[1:]] == [["1", "win", ""], ["2", "see you,a,b", ""], ["3", "win", "c"]]
    assert rows[2][:3] == ["unsure", "0.500000", "0.000000"]
    assert done.err.splitlines()[1:] == [
        "m.csv: 1 row unsure: cannot be read (line 3: 4 fields, expected 3)",
        "saved             out.csv: 3 messages (2 spam, 1 unsure)",
    ]


def test_a_text_in_the_last_column_has_its_commas(cli: Cli, tiny: Path) -> None:
    table = "id,text\n1,win, prize, now\n2,see you\n"
    cli.write("m.csv", table)
    shown = "verdict\tprobability\tid\ttext\nspam\t0.8571\t1\twin, prize, now\nham\t0.1429\t2\tsee you\n"
    for inputs, stdin in (
        (["m.csv"], b""),
        (["--input-format", "csv"], table.encode()),
        (["m.csv", "--jobs", "2!"], b""),
    ):
        done = cli("predict", "-m", tiny, *inputs, stdin=stdin)
        assert done.text == shown
        [_, joined] = done.err.splitlines()
        assert joined.endswith(": 1 text joined from several fields: unquoted delimiters")


def test_a_quote_that_is_never_closed_loses_no_row(cli: Cli, tiny: Path) -> None:
    table = 'id,text,x\n1,win,a\n2,"see you,b\n' + "3,win,c\n" * 398
    cli.write("m.csv", table)
    for inputs, stdin, name in ((["m.csv"], b"", "m.csv"), ([], table.encode(), "stdin")):
        done = cli("predict", "-m", tiny, *inputs, "--input-format", "csv", "--format", "csv", stdin=stdin)
        rows = parsed(done.out)[1:]
        assert [row[0] for row in rows] == ["spam", "unsure", *["spam"] * 398]
        assert rows[1][3:] == ["2", '"see you', "b"]
        assert done.err.splitlines()[1:] == [
            f"{name}: 1 row unsure: cannot be read (line 3: quote is never closed)"
        ]


def test_columns_of_the_same_name_stay_apart(cli: Cli, tiny: Path) -> None:
    cli.write("m.csv", "id,text,id\n1,win,2\n")
    (record,) = cli("predict", "-m", tiny, "m.csv", "--format", "jsonl", "-q").records
    assert (record["id"], record["id_2"]) == ("1", "2")


def test_a_table_without_rows_has_a_header(cli: Cli, tiny: Path) -> None:
    cli.write("m.csv", "id,text\n")
    assert cli("predict", "-m", tiny, "m.csv", "-q").text == "verdict\tprobability\tid\ttext\n"
    cli.write("empty.csv", "")
    both = cli("predict", "-m", tiny, "empty.csv", "m.csv", "-q", "--format", "csv").text
    assert both == "verdict,probability,log_odds,id,text\r\n"
    assert cli("predict", "-m", tiny, "empty.csv", "-q").out == b""


def test_a_table_on_stdin_is_answered_as_it_comes(cli: Cli, tiny: Path) -> None:
    with cli.start("predict", "-m", tiny, "--input-format", "csv") as talk:
        talk.say(b"id,text\n1,win\n")
        assert talk.hear() == b"verdict\tprobability\tid\ttext"
        assert talk.hear() == b"spam\t0.7500\t1\twin"
        talk.say(b"2,see you\n")
        assert talk.hear() == b"ham\t0.1429\t2\tsee you"
        assert talk.end() == (0, 'stdin: CSV (comma, header, UTF-8), text column "text"\n')


# --- names that are taken --------------------------------------------------------------------------


def test_new_columns_never_clash(cli: Cli, tiny: Path) -> None:
    cli.write("m.csv", "Verdict,text,probability\nno,win,0.1\n")
    done = cli("predict", "-m", tiny, "m.csv", "-o", "a.csv")
    assert done.err.splitlines()[1:] == [
        "note: the input has columns of these names, so the new ones are "
        "spamnb_verdict, spamnb_probability, spamnb_log_odds",
        "saved             a.csv: 1 message (1 spam)",
    ]
    rows = parsed((cli.here / "a.csv").read_bytes())
    assert rows[0] == [
        "spamnb_verdict",
        "spamnb_probability",
        "spamnb_log_odds",
        "Verdict",
        "text",
        "probability",
    ]
    assert rows[1][3:] == ["no", "win", "0.1"]
    again = cli("predict", "-m", tiny, "a.csv", "--format", "jsonl", "-q").records[0]
    assert again["spamnb2_verdict"] == again["spamnb_verdict"] == "spam"


def test_a_name_that_only_a_later_record_has(cli: Cli, tiny: Path) -> None:
    many = '{"text": "win"}\n' * 60_000
    cli.write("m.jsonl", many + '{"text": "win", "verdict": "mine", "more": 1}\n')
    last = cli("predict", "-m", tiny, "m.jsonl", "--format", "jsonl", "-q").records[-1]
    assert (last["verdict"], last["spamnb_verdict"]) == ("mine", "spam")
    assert cli("predict", "-m", tiny, "m.jsonl", "--format", "csv").err.splitlines()[-1] == (
        "note: values that the first records lack were left out: more, verdict; --format jsonl keeps all"
    )


@given(st.lists(st.sampled_from(["verdict", "Verdict ", "spamnb_verdict", "SPAMNB2_log_odds", "id"])))
def test_a_prefix_is_free(taken: list[str]) -> None:
    prefix = free_prefix(NEW, taken)
    assert not {prefix + name for name in NEW} & {name.strip().lower() for name in taken}


def test_inputs_with_other_columns_are_refused(cli: Cli, tiny: Path) -> None:
    cli.write("a.csv", "id,text\n1,win\n")
    cli.write("b.csv", "text\nwin\n")
    done = cli("predict", "-m", tiny, "a.csv", "b.csv", "-o", "c.csv", "-q", code=1)
    assert done.err == (
        "Error: b.csv has other columns than the input before it: text in place of id, text\n"
        "Hint: classify them one by one, or use --format jsonl, in which each line has its own\n"
    )
    assert not (cli.here / "c.csv").exists()
    assert len(cli("predict", "-m", tiny, "a.csv", "b.csv", "--format", "jsonl", "-q").records) == 2
    assert len(cli("predict", "-m", tiny, "a.csv", "a.csv", "-q").lines) == 3


# --- Parquet ---------------------------------------------------------------------------------------


def typed_table() -> Any:
    pa = pytest.importorskip("pyarrow", reason="needs pyarrow")
    return pa.table(
        {
            "id": pa.array([1, None], pa.int32()),
            "verdict": ["a", "b"],
            "text": ["win", "see you"],
            "at": pa.array([1_234_567_890_123_456_789] * 2, pa.timestamp("ns")),
            "tags": [["x"], None],
            "probability": [1.0, float("nan")],
        }
    )


def test_parquet_keeps_types(cli: Cli, tiny: Path) -> None:
    table = typed_table()
    pq = pytest.importorskip("pyarrow.parquet", reason="needs pyarrow")
    pq.write_table(table, cli.here / "m.parquet")
    cli("predict", "-m", tiny, "m.parquet", "-o", "o.parquet", "-q")
    written = parquet(cli.here / "o.parquet")
    assert written.schema.names == [f"spamnb_{name}" for name in NEW] + table.schema.names
    assert [written.schema.field(n).type for n in table.schema.names] == table.schema.types
    assert written.column("at").equals(table.column("at"))
    assert written.column("spamnb_verdict").to_pylist() == ["spam", "ham"]
    first, second = cli("predict", "-m", tiny, "m.parquet", "--format", "jsonl", "-q").records
    assert (first["id"], first["at"], first["tags"]) == (1, "2009-02-13 23:31:30.123456789", ["x"])
    assert (second["id"], second["probability"], second["verdict"]) == (None, None, "b")


def test_other_inputs_become_parquet(cli: Cli, tiny: Path) -> None:
    cli.write("m.jsonl", '{"id": 7, "text": "win", "odd": 1}\n{"id": 8, "text": "see you", "odd": "b"}\n')
    cli("predict", "-m", tiny, "m.jsonl", "-o", "o.parquet", "-q")
    rows = parquet(cli.here / "o.parquet").to_pylist()
    assert [(row["verdict"], row["id"], row["odd"]) for row in rows] == [("spam", 7, "1"), ("ham", 8, "b")]
    cli("predict", "-m", tiny, "-t", "win", "-o", "o.parquet", "-q", "--explain")
    (row,) = parquet(cli.here / "o.parquet").to_pylist()
    assert list(row) == [*NEW, "message", "evidence"]
    cli.write("none.csv", "id,text\n")
    cli("predict", "-m", tiny, "none.csv", "-o", "o.parquet", "-q")
    assert parquet(cli.here / "o.parquet").schema.names == [*NEW, "id", "text"]


# --- files -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", ["csv", "tsv", "jsonl", "parquet"])
def test_the_suffix_chooses_the_format(cli: Cli, tiny: Path, suffix: str) -> None:
    if suffix == "parquet":
        pytest.importorskip("pyarrow", reason="needs pyarrow")
    cli.write("m.csv", TABLE)
    flags = ("predict", "-m", tiny, "m.csv", "-o", f"o.{suffix}")
    done = cli(*flags)
    assert done.out == b""
    assert done.err.splitlines()[-1] == f"saved             o.{suffix}: 2 messages (1 ham, 1 spam)"
    written = cli.here / f"o.{suffix}"
    assert stat.S_IMODE(written.stat().st_mode) == 0o600
    if suffix != "parquet":
        assert written.read_bytes() == cli(*flags[:4], "--format", suffix, "-q").out
    before = written.read_bytes()
    written.chmod(0o644)
    cli(*flags)  # what spamnb wrote may be overwritten
    assert (written.read_bytes(), stat.S_IMODE(written.stat().st_mode)) == (before, 0o644)
    assert not [name for name in os.listdir(cli.here) if name.startswith(".spamnb-")]


def test_only_counts_what_was_written(cli: Cli, tiny: Path) -> None:
    cli.write("m.csv", TABLE)
    err = cli("predict", "-m", tiny, "m.csv", "-o", "o.csv", "--only", "spam").err
    assert err.splitlines()[-1] == "saved             o.csv: 1 message (of 2)"


@pytest.mark.parametrize("name", ["m.csv", "m.parquet"])
def test_a_file_of_another_kind_is_not_overwritten(cli: Cli, tiny: Path, name: str) -> None:
    if name == "m.csv":
        path = cli.write(name, TABLE)
    else:
        path = cli.here / name
        pytest.importorskip("pyarrow.parquet", reason="needs pyarrow").write_table(typed_table(), path)
    before = path.read_bytes()
    assert cli.fails("predict", "-m", tiny, "-t", "win", "-o", name) == [
        f"Error: {name} exists and is not predictions of spamnb: it was not overwritten",
        "Hint: choose another name for -o, or remove the file",
    ]
    assert path.read_bytes() == before


def test_wrong_outputs(cli: Cli, tiny: Path) -> None:
    flags = ("predict", "-m", tiny, "-t", "win")
    assert cli.fails(*flags, "-o", "x.dat", code=2)[-1] == (
        "Error: -o x.dat: cannot write .dat; "
        "write .csv, .tsv, .jsonl, .parquet or .txt, or state the --format."
    )
    assert cli.fails(*flags, "--format", "parquet", code=2)[-1] == "Error: --format parquet needs -o FILE."
    assert cli.fails(*flags, "-o", "no/where.csv") == [
        "Error: cannot write no/where.csv: No such file or directory",
        "Hint: choose another path",
    ]
    cli(*flags, "-o", "x.dat", "--format", "terse", "-q")
    assert (cli.here / "x.dat").read_text() == "spam\t0.7500\n"
    assert cli(*flags, "-o", "-").text == "spam\t0.7500\twin\n"
    assert cli(*flags, "-o", "/dev/stdout", "--format", "terse", "-q").text == "spam\t0.7500\n"


def test_a_text_file_gets_the_lines_of_stdout(cli: Cli, tiny: Path) -> None:
    flags = ("predict", "-m", tiny, "-t", "win", "-t", "see you")
    for _ in range(2):  # the second time it overwrites its own file
        cli(*flags, "-o", "x.txt", "-q")
        assert (cli.here / "x.txt").read_text() == cli(*flags).text


def test_predictions_of_labelled_data_can_be_evaluated_at_once(cli: Cli, sms: Sms) -> None:
    cli("predict", sms.test, "-m", sms.model, "-o", "p.csv", "-q")
    done = cli("evaluate", "--predictions", "p.csv", "--json", "-")
    assert done.err.rstrip().endswith('truth "label", score "log_odds", verdict "verdict"')
    expected = cli("evaluate", sms.test, "-m", sms.model, "--json", "-").json
    same = ("true_positives", "false_positives", "false_negatives", "true_negatives")
    assert [done.json[name] for name in same] == [expected[name] for name in same]


def test_a_table_in_a_pipe_imports_neither_rich_nor_pandas(cli: Cli, tiny: Path) -> None:
    cli.write("m.csv", TABLE)
    for flags in ((), ("--format", "csv"), ("--format", "table"), ("-o", "o.csv")):
        assert not imported(cli, "predict", "-m", tiny, "m.csv", *flags) & {
            "pandas",
            "joblib",
            "rich",
            "pyarrow",
        }


@pytest.mark.parametrize(
    ("output", "stated", "error"),
    [("v2.xlsx", "csv", "does not go with .xlsx"), ("v.csv", "jsonl", "does not go with .csv")],
)
def test_a_suffix_that_says_another_format_is_refused(
    cli: Cli, tiny: Path, output: str, stated: str, error: str
) -> None:
    errors = cli.fails("predict", "-m", tiny, "-t", "win", "-o", output, "--format", stated, code=2)
    assert errors[-1] == f"Error: -o {output}: --format {stated} {error}; leave out one of them."
    assert not (cli.here / output).exists()
    cli("predict", "-m", tiny, "-t", "win", "-o", "v.dat", "--format", "csv", "-q")
