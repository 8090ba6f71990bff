"""Declares the options that several commands share: the same flag means the same thing everywhere."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import click

from spamnb.cli.option_groups import Option, advanced as advanced, all_of, option
from spamnb.cli.overwrite import checked
from spamnb.cli.set_option import SettingOption
from spamnb.errors import ConfigError
from spamnb.readers import any_of, labelled_formats
from spamnb.scorers import REGISTRY
from spamnb.settings import (
    DecisionConfig,
    FeatureConfig,
    MailConfig,
    ScorerConfig,
    Setting,
    TrainingConfig,
    settings_of,
)

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

F = TypeVar("F", bound=Callable[..., Any])
Params = dict[str, Any]  # the values of a command's options by name, as in click's context
LABELLED_FORMATS = labelled_formats()
DECISIONS = {one.name: one.flag for _, one in settings_of(DecisionConfig)}
_MOST_JOBS = 10_000
PATH = click.Path(readable=False, allow_dash=True)  # only for completion: readers report what is wrong


class _ModelType(click.Path):
    """The name or file of a model; both are completed."""

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        from click.shell_completion import CompletionItem

        from spamnb.cli.model_option import model_names

        matching = [CompletionItem(name) for name in model_names() if name.startswith(incomplete)]
        # Files first: click's script for bash drops what stands before them.
        return [*super().shell_complete(ctx, param, incomplete), *matching]


MODEL = _ModelType(readable=False, allow_dash=True)


class _ProbabilityType(click.types.FloatParamType):
    """A number, or a percentage such as 90%."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if isinstance(value, str) and value.endswith("%"):
            try:
                return float(value.removesuffix("%")) / 100
            except ValueError:
                pass  # refused below, as it was written
        return super().convert(value, param, ctx)


PROBABILITY = _ProbabilityType()


def _job_count(ctx: click.Context, _: click.Parameter, text: str) -> int | None:
    """Converts `auto` to None, 4 to at most the number of cores, and `4!` to 4."""
    from spamnb.core import available_cores

    digits = text.removesuffix("!")
    if text == "auto" or ctx.resilient_parsing:
        return None
    if not (digits.isascii() and digits.isdecimal() and 0 < int(digits) < _MOST_JOBS):
        raise ConfigError(
            f"--jobs must be auto or a number of processes, got {text!r}", hint="for example --jobs 2"
        )
    return int(digits) if text.endswith("!") else min(int(digits), available_cores())


def setting_options(config: type, *names: str, **attributes: Any) -> Callable[[F], F]:
    """Returns the options of a config's settings: all of them, or those of these fields."""
    wanted = [one for name, one in settings_of(config) if not names or name in names]
    return all_of(*(_option(_with_scorers(one), attributes) for one in wanted))


def _with_scorers(setting: Setting) -> Setting:
    """Adds the names of all scorers to the setting --scorer; returns any other one as it is."""
    if setting.name != "scorer":
        return setting
    text = f"{setting.help.text.removesuffix('.')}: {', '.join(REGISTRY)}."
    return replace(setting, choices=tuple(REGISTRY), help=setting.help._replace(text=text))


def _option(setting: Setting, attributes: dict[str, Any]) -> Callable[[F], F]:
    """Returns the option of a setting; its value is None, False or () if the user does not state it."""
    kind = click.Choice(setting.choices) if setting.choices else setting.type or _type_of(setting.default)
    return option(
        f"--{setting.key}",
        setting.name,
        **{
            "cls": Option if setting.has_own_flag else SettingOption,
            "type": kind,
            "multiple": setting.repeatable,
            "metavar": setting.help.metavar or None,
            "help": setting.full_help,
            "group": setting.help.group,
            "advanced": setting.help.advanced,
            **attributes,
        },
    )


def _type_of(default: Any) -> type:
    return str if isinstance(default, tuple) else type(default)


def feature_config(params: Params, mail: bool = False) -> FeatureConfig:
    """Returns the features that options ask for; refuses wrong patterns before any data are read."""
    features = FeatureConfig.from_options(params, mail)
    if features.patterns:
        from spamnb.features import compile_patterns

        compile_patterns(features.patterns)
    return features


model_option = option(
    "-m",
    "--model",
    type=MODEL,
    metavar="MODEL",
    group="Model",
    help="Name or file of the model; sms and mail are ready-made. [default: see `spamnb model list`]",
)
text_option = option(
    "-t",
    "--text",
    "texts",
    multiple=True,
    group="Input",
    metavar="TEXT",
    help="Take TEXT as a message. Repeatable.",
)
quiet_option = option("-q", "--quiet", is_flag=True, help="Print nothing on stderr but errors.")
json_option = option(
    "--json",
    "json_file",
    type=PATH,
    metavar="FILE",
    callback=checked("json"),
    help="Write the result as JSON ('-' for stdout).",
)
top_option = option(
    "--top", type=click.IntRange(0), default=15, metavar="N", show_default=True, help="Rows of each table."
)

reading_options = all_of(
    option(
        "--text-column",
        metavar="NAME",
        group="Input",
        help="Column with the message: a name or a number from 1.",
    ),
    option(
        "--encoding",
        default="auto",
        metavar="NAME",
        group="Input",
        advanced=True,
        help="Encoding of the data. [default: detected]",
    ),
)
label_options = all_of(
    option(
        "--label-column",
        metavar="NAME",
        group="Input",
        help="Column with the label: a name or a number from 1.",
    ),
    option(
        "--spam-label",
        metavar="LABEL",
        group="Input",
        advanced=True,
        help="This label is spam, every other one is ham.",
    ),
)
input_format_option = option(
    "--input-format",
    metavar="FORMAT",
    type=click.Choice(["auto", *LABELLED_FORMATS]),
    default="auto",
    group="Input",
    advanced=True,
    help=f"{any_of(LABELLED_FORMATS)}. [default: detected]",
)
one_mail_options = setting_options(MailConfig)
mail_options = all_of(
    option(
        "--files-from",
        type=PATH,
        metavar="FILE",
        group="Input",
        advanced=True,
        help="Read the paths of inputs from FILE ('-' for stdin).",
    ),
    one_mail_options,
    setting_options(TrainingConfig, "jobs", type=str, default="auto", callback=_job_count),
)
labelled_mail_option = option(
    "--label",
    "labelled",
    multiple=True,
    metavar="LABEL=PATH",
    group="Input",
    help="All messages in PATH have this label, for example spam=Junk. Repeatable.",
)
data_options = all_of(labelled_mail_option, label_options, reading_options, input_format_option, mail_options)
column_options = setting_options(FeatureConfig, "chars", "patterns", "categorical", "numeric")
feature_options = setting_options(FeatureConfig)
scorer_options = setting_options(ScorerConfig)
training_options = all_of(
    feature_options, scorer_options, setting_options(TrainingConfig, "base", "base_weight", "refine")
)
folds_option = setting_options(TrainingConfig, "folds")
decision_options = all_of(
    setting_options(DecisionConfig, "threshold", type=PROBABILITY),
    setting_options(DecisionConfig, "unsure", type=(PROBABILITY, PROBABILITY)),
    setting_options(DecisionConfig, "cost"),
)
max_fpr_option = setting_options(TrainingConfig, "max_fpr")
explain_option = option("--explain", is_flag=True, help="Add the evidence for and against each verdict.")
force_option = option("--force", is_flag=True, advanced=True, help="Overwrite a file of another kind.")
new_model_option = option(
    "-o",
    "--output",
    type=PATH,
    metavar="MODEL",
    help="Name or file to write the model to. [default: $SPAMNB_MODEL, else my-text or my-mail]",
)
imported_model_option = option(
    "-o",
    "--output",
    type=PATH,
    metavar="MODEL",
    help="Name or file to write the model to. [default: the name of FILE]",
)
merged_model_option = option(
    "-o",
    "--output",
    type=PATH,
    metavar="MODEL",
    required=True,
    help="Name or file to write the model to.",
)
changed_model_option = option(
    "-o",
    "--output",
    type=PATH,
    metavar="MODEL",
    help="Name or file to write the model to. [default: in its place]",
)
