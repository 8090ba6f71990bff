"""Writes the result of each message of an evaluation: `evaluate -o FILE`."""

from __future__ import annotations

import io
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import click

from spamnb.cli.option_groups import option
from spamnb.cli.options import PATH
from spamnb.cli.output import print_status, print_step
from spamnb.cli.overwrite import checked
from spamnb.errors import ConfigError

if TYPE_CHECKING:
    from spamnb.core import IntArray
    from spamnb.evaluation import Evaluation
    from spamnb.messages import Chunk
    from spamnb.model import Predictions
    from spamnb.training import Sample

FACTS = ("truth", "place", "message")  # columns after those that `predict` writes
messages_option = option(
    "-o",
    "--output",
    type=PATH,
    metavar="FILE",
    callback=checked("predictions"),
    advanced=True,
    help="Write a CSV line for each message with its truth, verdict and score; --predictions reads it.",
)


def check_messages_option(path: str | None, protocol: str, has_messages: bool) -> None:
    """Refuses -o where no messages are at hand, and a file that is no CSV."""
    if path and (protocol not in ("", "--holdout") or not has_messages):
        raise click.UsageError("-o needs DATA, with a model, --folds or --holdout.")
    if path and not path.lower().endswith(".csv"):
        raise click.UsageError(f"-o {path}: expected a file that ends in .csv")


@dataclass
class EvaluatedMessages:
    """The texts and places of the messages, in the order of the results."""

    texts: list[str] = field(default_factory=list)
    places: list[str] = field(default_factory=list)

    def observe(self, chunk: Chunk, predictions: Predictions, truth: IntArray) -> None:  # noqa: ARG002
        self.texts += [text.decode("utf-8", "replace") for text in chunk.texts.tolist()]
        self.places += map(chunk.place, range(len(chunk)))

    def take(self, sample: Sample | None) -> None:
        """Takes the messages of a cross-validation."""
        assert sample is not None
        assert sample.texts is not None
        self.texts = [text.decode("utf-8", "replace") for text in sample.texts.tolist()]
        self.places = list(sample.places)

    def write(self, path: str, result: Evaluation, quiet: bool) -> None:
        """Writes as many digits as restore each number exactly."""
        import csv  # late: --help does not need it

        from spamnb.core import files
        from spamnb.messages import PREDICTED, guarded, is_formula
        from spamnb.training import verdicts_of

        model, held_out = result.model, result.held_out
        if len(model.labels) != 2 or held_out is None:
            raise ConfigError(f"-o needs two classes, got {len(model.labels)}", hint="leave out -o")
        names = (*sorted(model.labels, key=lambda label: label == model.positive), "unsure")
        verdicts, lines = verdicts_of(model, held_out), io.StringIO()
        writer = csv.writer(lines, lineterminator="\n")
        writer.writerow((*PREDICTED, *FACTS))
        scores = verdicts.codes.tolist(), verdicts.probability.tolist(), held_out.log_odds.tolist()
        rows = zip(*scores, held_out.truth.tolist(), self.places, self.texts, strict=True)
        for code, p, log_odds, truth, place, text in rows:
            foreign = map(guarded, (model.labels[truth], place, text))
            writer.writerow((names[code], repr(p), repr(log_odds), *foreign))
        with files.output_file(path) as file:
            file.write(lines.getvalue().encode("utf-8", "replace"))
        if formulas := sum(map(is_formula, self.texts)):
            messages = "1 message that begins" if formulas == 1 else f"{formulas:,} messages that begin"
            print_status(f"note: {messages} like a formula got an apostrophe", quiet)
        print_step("saved", f"{path}: {len(self.texts):,} messages", quiet)
