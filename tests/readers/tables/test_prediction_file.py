"""Files of predictions: formats, unusable rows, and the labelled data that they are joined with."""

from __future__ import annotations

from pathlib import Path

import pytest

from spamnb.errors import DataError
from spamnb.evaluation import ExternalPredictions, collect_predictions, evaluate_predictions
from spamnb.readers import PredictionFile, ReadOptions, StatedColumns, open_source, read_predictions


def opened(
    tmp_path: Path, content: str, name: str = "p.csv", joined: bool = False, **stated: str
) -> PredictionFile:
    path = tmp_path / name
    path.write_text(content, "utf-8")
    return read_predictions(str(path), StatedColumns(**stated), ReadOptions(), joined=joined)


def read(tmp_path: Path, content: str, name: str = "p.csv", **stated: str) -> ExternalPredictions:
    file = opened(tmp_path, content, name, **stated)
    return collect_predictions(file, None, None)[0]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("p.csv", "truth,p,text\nspam,0.9,win\nham,0.2,see you\n"),
        ("p.tsv", "truth\tp\ttext\nspam\t0.9\twin\nham\t0.2\tsee you\n"),
        ("p.txt", "truth;p;text\nspam;0.9;win\nham;0.2;see you\n"),
        (
            "p.jsonl",
            '{"truth": "spam", "p": 0.9, "text": "win"}\n{"truth": "ham", "p": 0.2, "text": "see you"}\n',
        ),
        ("p", '{"truth": 1, "p": 0.9, "text": "win"}\n{"truth": 0, "p": 0.2, "text": "see you"}\n'),
    ],
)
def test_formats(tmp_path: Path, name: str, content: str) -> None:
    texts = read(tmp_path, content, name)
    assert texts.truth == ["spam", "ham"]
    assert texts.scores is not None
    assert texts.scores.tolist() == [0.9, 0.2]
    assert texts.texts == ["win", "see you"]
    assert texts.verdicts is None


def test_rows_that_cannot_be_used_are_named(tmp_path: Path) -> None:
    file = opened(
        tmp_path, "truth,p,verdict\nspam,0.9,spam\n,0.1,ham\nham,,ham\nham,0.3,maybe\nham,0.4,unsure\n"
    )
    predictions, left = collect_predictions(file, None, None)
    assert predictions.truth == ["spam", "ham"]
    assert predictions.verdicts == ["spam", "unsure"]
    assert left.summary() == ("3 left out (line 3: no label, line 4: no score, line 5: unknown verdict)")


def test_nothing_usable(tmp_path: Path) -> None:
    file = opened(tmp_path, "truth,p\n,0.1\n")
    with pytest.raises(DataError, match=r"(?m)^no usable rows in .*p\.csv: 1 left out \(line 2: no label\)$"):
        collect_predictions(file, None, None)
    with pytest.raises(DataError, match=r"(?m)p\.csv is empty$"):
        opened(tmp_path, "")
    with pytest.raises(
        DataError, match=r"(?m)p\.parquet is parquet, expected predictions as csv, tsv or jsonl$"
    ):
        opened(tmp_path, "truth,p\nspam,1\n", "p.parquet")


def test_a_stated_spam_label(tmp_path: Path) -> None:
    file = opened(tmp_path, "truth,p,verdict\nads,0.9,ads\nwork,0.1,home\n")
    predictions, _ = collect_predictions(file, None, "ads")
    assert predictions.truth == ["spam", "ham"]
    assert predictions.verdicts == ["spam", "ham"]


# --- joined by order -------------------------------------------------------------------------------


def test_joining_refuses_other_counts_and_other_messages(tmp_path: Path) -> None:
    file = opened(tmp_path, "label,log_odds,message\nspam,3,win\nham,-2,see you\n", joined=True)
    with pytest.raises(DataError) as caught:
        file.check_count(3, 1)
    assert caught.value.message == (
        f"{file.name} has 2 predictions, the data 3 labelled messages (1 more had to be left out)"
    )
    assert caught.value.hint == (
        "both need one row for each message, in the same order: predict this file, or give "
        "the predictions a column with the truth and name it with --label-column"
    )
    (tmp_path / "d.csv").write_text("label,text\nham,lunch?\nspam,loan\n")
    with open_source(str(tmp_path / "d.csv"), ReadOptions(), labelled=True) as source:
        data = next(iter(source))
    with pytest.raises(DataError) as caught:
        file.check_same(data)
    assert caught.value.message == (
        f'{file.name} is about other messages than the data: number 1 there is "lunch?"'
    )
    predictions, _ = collect_predictions(file, ["spam", "ham"], None)
    assert evaluate_predictions(predictions, {}).scores.accuracy == 1.0
