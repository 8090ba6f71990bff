"""Options that several commands share: the same flag means the same thing everywhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from spamnb.cli import overwrite
from spamnb.cli.base_options import names_model
from spamnb.errors import ConfigError
from spamnb.scorers import REGISTRY

if TYPE_CHECKING:
    from spamnb.model import Decision
    from spamnb.settings import FeatureConfig, ScorerConfig


F = TypeVar("F", bound=Callable[..., Any])
LABELLED_FORMATS = ("auto", "csv", "tsv", "jsonl", "parquet", "eml", "mbox", "maildir", "folder", "index")
FORMATS = (*LABELLED_FORMATS, "lines", "null")
DECISIONS = {"threshold": "--threshold", "unsure": "--unsure", "cost_fp": "--cost-fp", "cost_fn": "--cost-fn"}
PATH = click.Path(readable=False, allow_dash=True)  # only for completion: what is wrong is said elsewhere


def all_of(*decorators: Callable[[F], F]) -> Callable[[F], F]:
    def apply(command: F) -> F:
        for decorator in reversed(decorators):
            command = decorator(command)
        return command

    return apply


model_option = click.option(
    "-m",
    "--model",
    type=PATH,
    metavar="MODEL",
    help="Model file; else $SPAMNB_MODEL, your own model, the ready-made one.",
)
quiet_option = click.option("-q", "--quiet", is_flag=True, help="Say nothing on stderr but errors.")
json_option = click.option(
    "--json",
    "json_file",
    type=PATH,
    metavar="FILE",
    callback=overwrite.check_json,
    help="Write the result as JSON ('-' for stdout).",
)

reading_options = all_of(
    click.option("--text-column", metavar="NAME", help="Column with the message: a name or a number from 1."),
    click.option(
        "--encoding", default="auto", metavar="NAME", help="Encoding of the data (default: detect)."
    ),
)
label_options = all_of(
    click.option("--label-column", metavar="NAME", help="Column with the label: a name or a number from 1."),
    click.option("--spam-label", metavar="LABEL", help="This label is spam, every other one is ham."),
)
input_format_option = click.option(
    "--format",
    "input_format",
    metavar="FORMAT",
    type=click.Choice(LABELLED_FORMATS),
    default="auto",
    help="csv, tsv, jsonl, parquet, eml, mbox, maildir, folder or index (default: detect).",
)
max_size_option = click.option(
    "--max-size", default="512K", metavar="SIZE", help="Bytes read of one mail (default 512K)."
)
mail_options = all_of(
    click.option(
        "--files-from", type=PATH, metavar="FILE", help="Read the paths of inputs from FILE ('-' for stdin)."
    ),
    max_size_option,
    click.option(
        "--jobs",
        type=int,
        default=1,
        metavar="N",
        help="Processes for mail, and in train for tables (default 1).",
    ),
)
labelled_mail_option = click.option(
    "--label",
    "labelled",
    multiple=True,
    metavar="LABEL=PATH",
    help="All messages in PATH have this label, for example spam=Junk. Repeatable.",
)
data_options = all_of(labelled_mail_option, label_options, reading_options, input_format_option, mail_options)
column_options = all_of(
    click.option(
        "--chars", type=int, default=0, metavar="N", help="Character n-grams from 2 to N (default: none)."
    ),
    click.option(
        "--pattern",
        "patterns",
        multiple=True,
        metavar="NAME=REGEX",
        help="Count the matches of a regular expression as token re:NAME. Needs google-re2, which has no "
        "lookaround and no backreferences. Repeatable.",
    ),
    click.option("--categorical", multiple=True, metavar="COLUMN", help="Column of categories. Repeatable."),
    click.option(
        "--numeric", multiple=True, metavar="COLUMN", help="Column of numbers (Gaussian). Repeatable."
    ),
)
feature_options = all_of(
    click.option(
        "--tokens",
        type=click.Choice(["shaped", "plain"]),
        default="shaped",
        show_default=True,
        help="shaped: words, shapes and, not of mail, pairs and signs. plain: words, \\w+ in lower case.",
    ),
    click.option(
        "--ngrams", type=int, metavar="N", help="Word n-grams from 1 to N (default 2; plain and mail 1)."
    ),
    column_options,
)
scorer_options = all_of(
    click.option(
        "--scorer",
        type=click.Choice(list(REGISTRY)),
        default="multinomial",
        show_default=True,
        metavar="NAME",
        help=f"How counts become probabilities: {', '.join(REGISTRY)}.",
    ),
    click.option(
        "--alpha",
        type=float,
        metavar="X",
        help="Smoothing, 0 is maximum likelihood (default for multinomial 0.1, which is 0.2 for n-grams and "
        "0.05 for other tokens; else 1). What is given here is for all alike.",
    ),
    click.option(
        "--counts",
        type=click.Choice(["once", "all"]),
        help="Count a word once per message or every time it occurs.",
    ),
    click.option(
        "--damping", type=float, metavar="X", help="Divide log-odds by (number of tokens)^X, 0 to 1."
    ),
    click.option(
        "--prior",
        metavar="learned|uniform|P,Q,..|ready-made|FILE",
        help="Class priors; numbers go in the alphabetical order of labels. With ready-made or the FILE of a "
        "model: start from what that knows.",
    ),
    click.option(
        "--prior-weight",
        type=float,
        metavar="W",
        help="How much the model of --prior counts beside your messages (default: folds choose).",
    ),
    click.option(
        "--balance",
        type=click.Choice(["none", "undersample", "weight"]),
        default="none",
        show_default=True,
        help="Treat classes of very different size alike.",
    ),
    click.option(
        "--refine",
        type=click.Choice(["auto", "yes", "no"]),
        default="auto",
        show_default=True,
        help="Correct the weights by logistic regression; auto: as far as folds show that it helps.",
    ),
    click.option("--order", type=int, metavar="K", help="less-naive: words that a word depends on, 1 or 2."),
    click.option(
        "--strongest",
        type=int,
        metavar="N",
        help="Count only the N tokens of a message that lean most to each class.",
    ),
    click.option("--clip", type=float, metavar="X", help="Limit the weight of one token to X either way."),
    click.option("--ddof", type=int, metavar="0|1", help="Divide variances of numeric columns by N or N-1."),
)
decision_options = all_of(
    click.option("--threshold", type=float, metavar="P", help="Spam from this probability on (default 0.5)."),
    click.option(
        "--unsure", type=(float, float), metavar="LOW HIGH", help="Between these probabilities say unsure."
    ),
    click.option("--cost-fp", type=float, metavar="X", help="Cost of calling ham spam."),
    click.option("--cost-fn", type=float, metavar="X", help="Cost of letting spam through."),
)


def feature_config(given: dict[str, Any], mail: bool = False) -> FeatureConfig:
    """The features that the flags ask for; what they leave open depends on what is read."""
    from spamnb.features import compile_patterns
    from spamnb.settings import FeatureConfig

    patterns = tuple(_pattern(text) for text in given["patterns"])
    if patterns:
        compile_patterns(patterns)  # refuses bad ones before any data are read
    plain, order = given["tokens"] == "plain", _order(given)
    ngrams = given["ngrams"]
    if ngrams is None:
        ngrams = order + 1 if order else 1 if plain else FeatureConfig.usual(mail).ngrams
    return FeatureConfig(
        ngrams=ngrams,
        shapes=not plain and not order,
        chars=given["chars"],
        patterns=patterns,
        categorical=given["categorical"],
        numeric=given["numeric"],
        signs=FeatureConfig.usual(mail).signs,
    )


def _order(given: dict[str, Any]) -> int:
    return (given["order"] or 1) if given["scorer"] == "less-naive" else 0


def _pattern(text: str) -> tuple[str, str]:
    name, equals, regex = text.partition("=")
    if not equals or not regex:
        raise ConfigError(
            f"--pattern {text!r} is not NAME=REGEX", hint="for example --pattern 'phone=\\d{10}'"
        )
    return name, regex


def scorer_config(given: dict[str, Any]) -> ScorerConfig:
    """The scorer that the flags ask for."""
    from spamnb.settings import ScorerConfig

    _check_used(given)
    once = None if given["counts"] is None else given["counts"] == "once"
    options = {
        name: given[name] for name in ("alpha", "damping", "balance", "order", "ddof", "strongest", "clip")
    }
    alike = 1.0 if given["tokens"] == "plain" else None  # plain is as in textbooks
    return ScorerConfig.of(given["scorer"], once=once, prior=_prior(given["prior"]), pairs=alike, **options)


def _check_used(given: dict[str, Any]) -> None:
    """Refuse what would have no effect."""
    if given["order"] is not None and given["scorer"] != "less-naive":
        raise ConfigError(
            f"--order is a setting of --scorer less-naive, got --scorer {given['scorer']}",
            hint="add --scorer less-naive, or leave out --order",
        )
    if given["ddof"] is not None and not given["numeric"]:
        raise ConfigError(
            "--ddof is a setting of numeric columns, got none",
            hint="name a column with --numeric COLUMN, or leave out --ddof",
        )


def _prior(text: str | None) -> str | tuple[float, ...] | None:
    if text is None or text in ("learned", "uniform"):
        return text
    if names_model(text):
        return None
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        if "." in text or "/" in text:
            raise ConfigError(f"--prior: no such file: {text}", hint="give the path of a model") from None
        raise ConfigError(
            f"--prior must be learned, uniform, numbers with commas, ready-made or a model, got {text!r}",
            hint="for example --prior 0.8,0.2 for ham and spam, or --prior ready-made",
        ) from None


def check_prior(prior: str | tuple[float, ...], labels: tuple[str, ...]) -> None:
    """Numbers are for the classes that the data turns out to have."""
    if not isinstance(prior, str) and len(prior) != len(labels):
        raise ConfigError(
            f"--prior gives {len(prior)} numbers, the model has {len(labels)} classes",
            hint=f"give one number for each of {', '.join(labels)}",
        )


def decision(given: dict[str, Any], default: Decision | None = None) -> Decision:
    """The decision rule that the flags ask for; the model's own if none is given."""
    from spamnb.model import Decision

    if default is not None and all(given[name] is None for name in DECISIONS):
        return default
    return Decision.from_options(**{name: given[name] for name in DECISIONS})


def check_decision(given: dict[str, Any], labels: tuple[str, ...]) -> None:
    """A threshold parts two classes; among more the likeliest one is the verdict."""
    flags = [flag for name, flag in DECISIONS.items() if given[name] is not None]
    if flags and len(labels) > 2:
        raise ConfigError(
            f"{flags[0]} needs a model of two classes, got {len(labels)}: {', '.join(labels)}",
            hint=f"leave out {flags[0]}: among more than two classes the likeliest one is the verdict",
        )


force_option = click.option("--force", is_flag=True, help="Overwrite a file of another kind.")
new_model_option = click.option(
    "-o",
    "--output",
    type=PATH,
    metavar="MODEL",
    help="Where to write the model (default: $SPAMNB_MODEL, else your own model).",
)
changed_model_option = click.option(
    "-o", "--output", type=PATH, metavar="MODEL", help="Where to write the model (default: in its place)."
)
