"""What the flags say about the data: where it is and how it is to be read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spamnb.cli.output import print_status
from spamnb.errors import ConfigError

if TYPE_CHECKING:
    from spamnb.readers import ReadOptions
from collections.abc import Iterator
from typing import TYPE_CHECKING

from spamnb.cli.output import progress, report_skipped

if TYPE_CHECKING:
    from spamnb.messages import Chunk
    from spamnb.readers import ReadOptions


def read_options(given: dict[str, Any], **more: Any) -> ReadOptions:
    """How the flags ask for data to be read."""
    from spamnb.readers import ReadOptions

    columns = {name: given[name] for name in ("categorical", "numeric") if name in given}
    if "max_size" in given:
        more = {"max_size": size_of(given["max_size"], "--max-size"), "jobs": given["jobs"], **more}
    stated = {name: given.get(name) for name in ("text_column", "label_column", "spam_label")}
    return ReadOptions(
        **{
            "format": given.get("input_format", "auto"),
            "encoding": given["encoding"],
            **stated,
            **columns,
            **more,
        }
    )


def inputs(paths: tuple[str, ...], given: dict[str, Any], reading: ReadOptions) -> list[Any]:
    """What to open and how: the paths of the command line, of --files-from and of --label."""
    from spamnb.readers import existing_paths, plan, read_paths

    listed = read_paths(given["files_from"], nuls=bool(given.get("null"))) if given["files_from"] else []
    listed, gone = existing_paths(listed)
    if gone:  # as a mail is that its reader moves meanwhile
        many = f"{len(gone):,} listed file{'' if len(gone) == 1 else 's'} left out"
        print_status(f"{many} (first {gone[0]}): no such file", given.get("quiet", False))
    pairs = [_labelled(text) for text in given.get("labelled", ())]
    planned = list(plan((*paths, *listed), pairs, reading))
    _note_twice([path for path, _ in planned], given.get("quiet", False))
    return planned


def _note_twice(planned: list[Any], quiet: bool) -> None:
    """Say so if files are named twice, maybe by a pattern and by their names."""
    from collections import Counter

    single = [path for one in planned for path in ((one,) if isinstance(one, str) else one) if path != "-"]
    twice = [path for path, times in Counter(single).items() if times > 1] if len(single) > 1 else []
    if twice:
        more = f", and {len(twice) - 1:,} more," if len(twice) > 1 else ""
        print_status(f"note: {twice[0]}{more} is named more than once, and read as often", quiet)


def _labelled(text: str) -> tuple[str, str]:
    label, equals, path = text.partition("=")
    if not equals or not label or not path:
        raise ConfigError(
            f"--label {text!r} is not LABEL=PATH", hint="for example --label spam=Maildir/.Junk"
        )
    return label, path


def size_of(text: str, flag: str) -> int:
    """A number of bytes, with K, M or G for 1024, and 1024 times that, and again."""
    factor = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}.get(text[-1:].upper(), 1)
    digits = text[:-1] if factor > 1 else text
    if not digits.isdecimal() or not int(digits):
        raise ConfigError(f"{flag} must be a number of bytes, got {text!r}", hint="for example 512K or 2M")
    return int(digits) * factor


def chunks(
    paths: tuple[str, ...],
    given: dict[str, Any],
    reading: ReadOptions,
    quiet: bool,
    told: list[str] | None = None,
) -> Iterator[Chunk]:
    """One source after the other; `told` gets what is said of each."""
    from spamnb.readers import open_source

    for path, how in inputs(paths, given, reading):
        with open_source(path, how, labelled=True) as source:
            print_status(source.description, quiet)
            with progress(source.name, source.size, quiet) as bar:
                for chunk in source:
                    yield chunk
                    bar.at(chunk.position)
            report_skipped(source, quiet)
            if told is not None:
                told.append(source.description)
                told += [f"{source.name}: {source.skipped.summary()}"] if source.skipped.count else []
