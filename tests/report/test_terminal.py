"""What is printed: complete, readable at any width, and harmless whatever the data holds."""

import io
import json
import math
import re
import subprocess
import sys
import unicodedata

import numpy as np
import pytest
from hypothesis import example, given, strategies as st
from rich.console import Console

from spamnb.core.terminal_text import all_plain, visible, visible_bytes
from spamnb.metrics import Scores, evaluate_binary, evaluate_multi
from spamnb.model.calibration import probability
from spamnb.report import json_output, terminal
from spamnb.report.text_plots import Curves, TextPlot, roc_plot

EVIL = "[red]x[/red] \x1b[31m :smile: \u202e"
EVIL_SHOWN = "[red]x[/red] \\x1b[31m :smile: \\u202e"
MUST_ESCAPE = [
    *(chr(c) for c in [*range(0x20), *range(0x7F, 0xA0)] if c != 9),
    *(chr(c) for c in [0x200B, 0x200E, 0x200F, *range(0x2028, 0x202F), *range(0x2066, 0x206A), 0xFEFF]),
    "\u061c",
    "\ud800",
    "\udfff",
]
JOINED = ("👨\u200d👩\u200d👧", "می\u200cخواهم", "क्\u200dष")  # no one can write these without joiners


def filtered(n: int = 3000) -> tuple[np.ndarray, np.ndarray, Scores]:
    rng = np.random.default_rng(1)
    y = rng.random(n) < 0.13
    s = rng.normal(size=n) * 2 + y * 8 - 4
    p = probability(s)
    return y, s, evaluate_binary(y, p, p >= 0.6, (p > 0.4) & (p < 0.6), (10, 1), s)


def console(width: int, encoding: str = "utf-8", color: bool = False) -> tuple[Console, io.BytesIO]:
    raw = io.BytesIO()
    file = io.TextIOWrapper(raw, encoding=encoding, write_through=True)
    system = "standard" if color else None
    return Console(file=file, width=width, color_system=system, force_terminal=color), raw


def printed(width: int, encoding: str = "utf-8", spam: str = "spam") -> str:
    y, s, scores = filtered()
    out, raw = console(width, encoding)
    terminal.show_evaluation(out, scores, "messages.csv", ["5 folds"], Curves.of(y, s), (spam, "ham"))
    return raw.getvalue().decode(encoding)


# --- safe ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("char", MUST_ESCAPE, ids=lambda c: f"U+{ord(c):04X}")
def test_each_unsafe_character_is_escaped(char: str) -> None:
    shown = visible(f"a{char}b")
    assert re.fullmatch(r"a\\(x[0-9a-f]{2}|u[0-9a-f]{4}|n|r)b", shown)
    assert shown.isprintable()


def test_escapes_read_as_expected() -> None:
    assert visible("\x1b[2J\x7f\x9b\u202e\ufeff\n\r\t") == "\\x1b[2J\\x7f\\x9b\\u202e\\ufeff\\n\\r\t"
    assert visible("\t\n", tsv=True) == "\\t\\n"
    assert visible("\U000e0041") == "\\U000e0041"


def test_ordinary_text_is_untouched() -> None:
    for text in ("", "Grüße, 日本 €5\u00a0only 🎉", *JOINED, "tab\there", "back\\slash"):
        assert visible(text) == text
        assert visible_bytes(text.encode()) == text.encode()


@given(st.text(st.characters(codec=None)))
def test_nothing_steers_the_terminal(text: str) -> None:
    shown = visible(text)
    assert not {unicodedata.category(c) for c in shown.replace("\t", "")} & {"Cc", "Cs", "Zl", "Zp"}
    assert not set(shown) & set(MUST_ESCAPE)
    assert visible(shown) == shown
    assert "\t" not in visible(text, tsv=True)


@given(st.binary())
def test_bytes_and_text_agree(data: bytes) -> None:
    shown = visible_bytes(data)
    assert shown == visible(data.decode("utf-8", "backslashreplace")).encode()
    assert visible_bytes(data, tsv=True).count(b"\t") == 0


@given(st.lists(st.binary(max_size=8), max_size=5))
def test_all_plain_promises_that_no_line_changes(lines: list[bytes]) -> None:
    block = b"\n".join(lines)
    if all_plain(block):
        assert all(visible_bytes(line, tsv=True) == line for line in block.split(b"\n"))


def test_invalid_bytes_are_named() -> None:
    assert visible_bytes(b"\xff\xc3\xa9\x1b\t") == rb"\xff" + "é".encode() + rb"\x1b" + b"\t"


# --- json ------------------------------------------------------------------------------------------


def test_json_is_stable_and_strict() -> None:
    result = {"b": math.nan, "a": [math.inf, 1, (2.5, None)], "n": np.float64(0.5), "v": np.array([1, 2])}
    text = json_output.dumps(result)
    assert text == json_output.dumps(result)
    assert text.endswith("}\n")
    assert list(json.loads(text)) == ["b", "a", "n", "v"]
    assert json.loads(text) == {"b": None, "a": [None, 1, [2.5, None]], "n": 0.5, "v": [1, 2]}


@given(st.text())
@example("\x7f\x9b\u202e")
def test_json_is_printable_ascii_and_reads_back(label: str) -> None:
    text = json_output.dumps({"label": label}, indent=None)
    assert text.isascii()
    assert text[:-1].isprintable()
    assert json.loads(text) == {"label": label}


def test_evaluations_fit_json() -> None:
    assert json.loads(json_output.dumps(filtered()[2].to_dict()))["messages"] == 3000


# --- curves ----------------------------------------------------------------------------------------


def test_plot_of_a_diagonal_in_ascii() -> None:
    shown = TextPlot([0, 1], [0, 1], title="T", xlabel="x", ylabel="y").draw(16, 5, ascii_only=True)
    assert shown.splitlines() == [
        "       T",
        "y",
        "100% +        **",
        "     |      **",
        " 50% +    **",
        "     |  **",
        "  0% +**",
        "     ++-+-+--+-+",
        "     0%     100%",
        "               x",
    ]


def test_plot_in_braille_connects_the_points() -> None:
    rows = TextPlot([0, 0, 1], [0, 1, 1], "", "", "").draw(16, 3).splitlines()[2:5]
    assert [row[6:] for row in rows] == ["⡏" + "⠉" * 9, "⡇", "⡇"]


def test_log_axis_spreads_the_left_corner() -> None:
    fpr, tpr = np.array([0.0, 0.0002, 0.001, 1.0]), np.array([0.5, 0.8, 0.9, 1.0])
    shown = roc_plot(Curves(fpr, tpr, tpr, tpr)).draw(58, 10)
    assert "false positive rate, log scale" in shown
    assert re.search(r"0\.01% +0\.1% +1% +10% +100%", shown)


def test_log_axis_grows_to_the_right() -> None:
    plot = TextPlot([1e-4, 1e-2, 1e-2, 1], [0, 0, 1, 1], "", "", "", log_from=1e-4)
    rows = plot.draw(47, 3, ascii_only=True)
    assert [row[6:] for row in rows.splitlines()[2:5]] == [" " * 20 + "*" * 21, " " * 20 + "*", "*" * 21]


def test_few_negatives_get_a_linear_axis() -> None:
    fpr, tpr = np.array([0.0, 0.5, 1.0]), np.array([0.5, 1.0, 1.0])
    shown = roc_plot(Curves(fpr, tpr, tpr, tpr)).draw(58, 10)
    assert "log scale" not in shown
    assert re.search(r"0% +25% +50% +75% +100%", shown)


def test_undefined_curve_says_so() -> None:
    one_class = Curves.of([True, True], [0.3, 0.4])
    shown = roc_plot(one_class).draw(40, 10)
    assert shown == "ROC curve\n(not defined: needs messages of both classes)"


@given(
    st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=20),
    st.integers(20, 70),
    st.integers(3, 12),
    st.booleans(),
)
def test_any_curve_fits_its_frame(
    points: list[tuple[float, float]], width: int, height: int, ascii_only: bool
) -> None:
    x, y = (np.array(values) for values in zip(*sorted(points), strict=True))
    shown = roc_plot(Curves(x, y, y, y)).draw(width, height, ascii_only)
    assert max(map(len, shown.splitlines())) <= max(width, len("false positive rate, log scale"))
    assert len(shown.splitlines()) == height + 5
    assert shown.isascii() or not ascii_only


# --- terminal --------------------------------------------------------------------------------------


@pytest.mark.parametrize("width", [40, 80, 120])
def test_evaluation_shows_everything_within_the_width(width: int) -> None:
    shown = printed(width)
    assert max(map(len, shown.splitlines())) <= width
    if width >= 80:
        for words in ("predicted spam", "actual ham", "are unsure and counted as ham", "recall at 0.1% FPR"):
            assert words in shown
        assert "flagged messages that really are spam" in shown
        assert re.search(r"ROC curve +Precision-recall curve", shown)
    else:
        assert not re.search(r"ROC curve +Precision-recall curve", shown)


@pytest.mark.parametrize("width", [40, 50, 60, 70])
def test_no_figure_of_an_evaluation_is_cut(width: int) -> None:
    """A narrow one has no room for what the measures mean; all that is told is in one piece."""
    wide, narrow = printed(120).split("ROC curve")[0], printed(width).split("ROC curve")[0]
    figures = re.compile(r"[\d.–]+%|\d\.\d{4}")
    assert figures.findall(narrow) == figures.findall(wide)
    assert ("meaning" in narrow) == (width >= 58)
    assert "calibration error" in narrow


def test_numbers_are_those_of_the_scores() -> None:
    scores = filtered()[2]
    lines = [line.split() for line in printed(120).splitlines()]
    assert [
        "actual",
        "spam",
        *map("{:,}".format, (scores.true_positives, scores.false_negatives, scores.spam)),
    ] in lines
    assert [
        "actual",
        "ham",
        *map("{:,}".format, (scores.false_positives, scores.true_negatives, scores.ham)),
    ] in lines
    assert any(line[:2] == ["recall", f"{scores.recall:.2%}"] for line in lines)
    assert any(line[:3] == ["log", "loss", f"{scores.log_loss:.4f}"] for line in lines)


def test_undefined_measures_are_dashes() -> None:
    out, raw = console(80)
    terminal.show_evaluation(out, evaluate_binary([True], [0.2], [False]), "one message")
    lines = [line.split() for line in raw.getvalue().decode().splitlines()]
    assert any(line[:2] == ["precision", "–"] for line in lines)
    assert not any("nan" in line for line in lines)


def test_a_terminal_without_unicode() -> None:
    shown = printed(80, "ascii", spam="сп")
    assert "predicted \\u0441\\u043f" in shown
    assert "*" in shown


def test_labels_and_titles_are_never_markup_or_control() -> None:
    y, s, scores = filtered()
    out, raw = console(120, color=True)
    terminal.show_evaluation(out, scores, EVIL, [EVIL], Curves.of(y, s), (EVIL, "[/]"))
    shown = re.sub(r"\x1b\[[0-9;]*m", "", raw.getvalue().decode())
    assert shown.splitlines()[:2] == [EVIL_SHOWN, EVIL_SHOWN]
    assert "predicted [/]" in shown
    assert "\x1b" not in shown
    assert "\u202e" not in shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [(1.0, "100.00%"), (0.999999, ">99.99%"), (0.0, "0.00%"), (1e-6, "<0.01%"), (0.98765, "98.77%")],
)
def test_only_exactly_all_is_100_percent(value: float, shown: str) -> None:
    assert terminal._share(value) == shown


def multi(labels: list[str], width: int) -> str:
    k = len(labels)
    out, raw = console(width)
    truth, predicted = [*range(k), 1], [*range(k), 0]
    scores = evaluate_multi(truth, predicted, np.eye(k)[predicted], labels, unsure=[False] * k + [True])
    terminal.show_multi_evaluation(out, scores, "languages.tsv", [EVIL])
    return raw.getvalue().decode()


def test_multi_evaluation() -> None:
    shown = multi(["eng", EVIL, "日本"], 100)
    assert EVIL_SHOWN in shown
    assert "actual \\ predicted" in shown
    assert "1 of 4 are unsure and counted as their likeliest class" in shown
    assert ["eng", "50.00%", "100.00%", "0.6667", "1"] in [line.split() for line in shown.splitlines()]


def test_a_matrix_too_wide_is_left_out() -> None:
    shown = multi([f"language-{i:02}" for i in range(20)], 80)
    assert re.search(r"\(the confusion matrix needs \d+ columns, this terminal has 80\)", shown)
    assert "actual" not in shown
    assert "language-19" in shown


def test_only_the_terminal_module_needs_rich() -> None:
    code = "import sys; from spamnb.report import json_output, text_plots; print('rich' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
