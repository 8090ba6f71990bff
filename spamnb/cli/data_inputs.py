"""Opens the data that the command line names: its paths, its read options, its chunks."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from spamnb.cli.output import print_status, progress, report_skipped
from spamnb.errors import ConfigError

if TYPE_CHECKING:
    from spamnb.messages import Chunk
    from spamnb.readers import ReadOptions

# Keys of what a command remembers.
_LISTED, _MISSING, _NOTED = "spamnb.listed_paths", "spamnb.missing_paths", "spamnb.noted_paths"
_FLAGS = ("encoding", "text_column", "label_column", "spam_label", "categorical", "numeric", "jobs")


def read_options(params: dict[str, Any], **more: Any) -> ReadOptions:
    """Builds the options for reading from the parameters of a command; `more` take precedence."""
    from spamnb.readers import ReadOptions
    from spamnb.settings import MailConfig

    flags = {name: params[name] for name in _FLAGS if name in params}
    flags["format"] = params.get("input_format", "auto")
    if "max_size" in params:
        mail = MailConfig.from_options(params)
        flags |= {"max_size": mail.max_size, "authserv_ids": mail.trusted_servers}
    return ReadOptions.from_flags(**flags | more)


def inputs(paths: tuple[str, ...], params: dict[str, Any], reading: ReadOptions) -> list[Any]:
    """Pairs each input with its options: the paths of the command line, of --files-from and of --label.

    The options have the number of processes, also for --jobs auto.
    """
    from spamnb.readers import choose_jobs, plan

    quiet = params.get("quiet", False)
    listed = _listed_paths(params) if params["files_from"] else []
    labelled = [_label_and_path(text) for text in params.get("labelled", ())]
    planned = list(plan((*paths, *listed), labelled, reading))
    _note_repeated([path for path, _ in planned], quiet)
    if reading.mail.jobs is None:
        jobs = choose_jobs([path for path, _ in planned])
        planned = [(path, path_options.with_mail(jobs=jobs)) for path, path_options in planned]
    return planned


def _listed_paths(params: dict[str, Any]) -> list[str]:
    """Reads the list of --files-from once for each command: one on stdin cannot be read again."""
    from spamnb.readers import existing_paths, read_paths

    meta = click.get_current_context().meta
    if _LISTED not in meta:
        paths, gone = existing_paths(read_paths(params["files_from"]))
        if gone:  # such as a mail that its reader moves meanwhile
            files = f"{len(gone):,} listed file{'' if len(gone) == 1 else 's'}"
            print_status(f"Error: {files} left out (first {gone[0]}): no such file")
        meta[_LISTED], meta[_MISSING] = paths, len(gone)
    listed: list[str] = meta[_LISTED]
    return listed


def missing_data() -> click.UsageError:
    """Describes a command line without data; what comes in a pipe is read only where it is named."""
    from spamnb.cli.output import is_typed

    command = click.get_current_context().command_path
    piped = sys.stdin is not None and not is_typed("-")
    return click.UsageError(f"Missing argument 'DATA...'.{f' `{command} -` reads stdin.' if piped else ''}")


def missing_files() -> int:
    """Returns the number of files in the list of --files-from that were left out."""
    return int(click.get_current_context().meta.get(_MISSING, 0))


def _note_repeated(planned: list[Any], quiet: bool) -> None:
    """Notes once the files that are named more than once, for example by a pattern and by their names."""
    from collections import Counter

    meta = click.get_current_context().meta
    if meta.setdefault(_NOTED, planned) is not planned:
        return
    paths = [path for group in planned for path in ((group,) if isinstance(group, str) else group)]
    repeated = [path for path, times in Counter(paths).items() if times > 1 and path != "-"]
    if repeated:
        more = f", and {len(repeated) - 1:,} more," if len(repeated) > 1 else ""
        print_status(f"note: {repeated[0]}{more} is listed more than once and read each time", quiet)


def _label_and_path(text: str) -> tuple[str, str]:
    label, equals, path = text.partition("=")
    if not equals or not label or not path:
        raise ConfigError(
            f"--label {text!r} is not LABEL=PATH", hint="for example --label spam=Maildir/.Junk"
        )
    return label, path


def chunks(
    paths: tuple[str, ...],
    params: dict[str, Any],
    reading: ReadOptions,
    quiet: bool,
    descriptions: list[str] | None = None,
) -> Iterator[Chunk]:
    """Reads one source after the other; adds to `descriptions` what is printed about each."""
    from spamnb.readers import open_source

    every = list(inputs(paths, params, reading))
    for path, path_options in every:
        with open_source(path, path_options, labelled=True) as source:
            print_status(source.description, quiet)
            with progress(source.name, source.size, quiet) as bar:
                for chunk in source:
                    yield chunk.replace(file=source.name) if len(every) > 1 else chunk
                    bar.at(chunk.position)
            report_skipped(source, quiet)
            if descriptions is not None:
                descriptions.append(source.description)
                descriptions += [f"{source.name}: {line}" for line in source.skipped.lines()]
