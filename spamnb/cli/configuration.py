"""Reads defaults of options from config.toml: one table a command, one key an option."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import click

from spamnb.cli.command_group import LazyGroup
from spamnb.errors import ConfigError, SpamnbError

SYSTEM_FILE = "/etc/spamnb/config.toml"
_LOADED = "spamnb.configuration"  # key in the context


class Value(NamedTuple):
    """A value in a configuration file, and the file."""

    value: Any
    file: str


Tables = dict[str, dict[str, Value]]  # command, such as `model.prune` -> key -> value


def user_file() -> str | None:
    """Returns the file in the user's configuration folder, None if there is no such folder."""
    from spamnb.core import user_config_folder

    folder = user_config_folder()
    return None if folder is None else os.path.join(folder, "config.toml")


def files(stated: str | None) -> list[str]:
    """Returns the files to read, the later ones first in rank; --config FILE replaces the usual ones."""
    return [stated] if stated else [SYSTEM_FILE, *filter(None, [user_file()])]


def read_files(stated: str | None, group: LazyGroup) -> Tables:
    """Reads all files that exist; refuses tables that are no commands of the group."""
    tables: Tables = {}
    for file in files(stated):
        if stated or os.path.exists(file):
            for table, values in _tables(_read(file), group, file):
                tables.setdefault(table, {}).update(
                    {key: Value(value, file) for key, value in values.items()}
                )
    return tables


def _read(file: str) -> dict[str, Any]:
    import tomllib

    try:
        with open(file, "rb") as stream:
            return tomllib.load(stream)
    except OSError as error:
        raise ConfigError(f"cannot read {file}: {error.strerror}", hint="check the path") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{file} is not TOML: {error}", hint="correct it, or move it away") from None


def _tables(
    document: dict[str, Any], group: LazyGroup, file: str, before: str = ""
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yields the table of each command, also those of inner groups, with its keys and values."""
    for name, values in document.items():
        if name in group.data_tables and isinstance(values, dict):
            yield f"{before}{name}", values
            continue
        if name not in group.summaries and not isinstance(values, dict):
            _refuse_outside(name, group, file)
        if name not in group.summaries:
            hint = _near(name, [*group.summaries]) or f"commands: {', '.join(group.summaries)}"
            raise ConfigError(f"{file}: there is no command {before}{name}", hint)
        if not isinstance(values, dict):
            raise ConfigError(f"{file}: {before}{name} must be a table", hint=f"write [{before}{name}]")
        if name in group.inner_groups:
            yield from _tables(values, group.inner(name), file, f"{before}{name}.")
        else:
            yield f"{before}{name}", {key.replace("_", "-"): value for key, value in values.items()}


def _refuse_outside(key: str, group: LazyGroup, file: str) -> None:
    """Refuses a key of a command that stands outside the command's table."""
    commands = ((name, group.get_command(click.Context(group), name)) for name in group.summaries)
    wanted = key.replace("_", "-")
    tables = [name for name, one in commands if wanted in getattr(one, "keys", ())]
    if tables:
        more = "" if len(tables) == 1 else "the table of its command, for example "
        raise ConfigError(f"{file}: {key} is in no table", f"put it under {more}[{tables[0]}]")


def _near(word: str, words: list[str]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(word, words, 1)
    return f"did you mean {near[0]}?" if near else ""


def loaded(ctx: click.Context) -> Tables:
    """Reads the configuration of the running command line, once."""
    root = ctx.find_root()
    if _LOADED not in root.meta:
        assert isinstance(root.command, LazyGroup)
        stated = root.params.get("config")
        exists = stated or any(map(os.path.exists, files(None)))
        root.meta[_LOADED] = read_files(stated, root.command) if exists else {}
    tables: Tables = root.meta[_LOADED]
    return tables


def table_of(ctx: click.Context) -> str:
    """Returns the table of a command: its words after `spamnb`, such as `model.prune`."""
    words = []
    while ctx.parent is not None:
        words.append(ctx.info_name or "")
        ctx = ctx.parent
    return ".".join(reversed(words))


def origin(ctx: click.Context, key: str) -> str:
    """Returns the file that a key of the command was read from."""
    return loaded(ctx)[table_of(ctx)][key].file


def defaults(ctx: click.Context, keys: Mapping[str, click.Option]) -> dict[str, Any]:
    """Returns the configured values of a command by the names of their options; refuses unknown keys."""
    table = table_of(ctx)
    values = {}
    for key, (value, file) in loaded(ctx).get(table, {}).items():
        where = f"{file}: [{table}]"
        if key not in keys:
            hint = _near(key, [*keys]) or f"`spamnb config {table.replace('.', ' ')}` lists its keys"
            raise ConfigError(f"{where} has an unknown key {key!r}", hint)
        values[keys[key].name or ""] = _checked(value, keys[key], f"{where} {key}")
    return values


def _checked(value: Any, option: click.Option, where: str) -> Any:
    """Returns a value in the shape that click takes; refuses one that the option cannot have."""
    if isinstance(value, bool) and isinstance(option.type, click.Choice) and "yes" in option.type.choices:
        return "yes" if value else "no"
    several = option.multiple or option.nargs != 1
    each = value if isinstance(value, list) else [value]
    if not all(isinstance(one, str | int | float) for one in each) or (
        isinstance(value, list) and not several
    ):
        expected = "a list" if several else "one value"
        raise ConfigError(f"{where} must be {expected} of text, numbers or true and false", "correct it")
    if option.nargs not in (1, len(each)):
        raise ConfigError(f"{where} must be a list of {option.nargs} values", "correct it")
    if not option.is_flag and any(isinstance(one, bool) for one in each):
        raise ConfigError(f"{where} is not a flag: it cannot be true or false", "correct it")
    return each if several else value


def configured(stated: str | None, command: str, key: str) -> Any:
    """Returns the value of an option in the environment or in a file, None where that fails."""
    variable = f"SPAMNB_{command}_{key}".upper().replace("-", "_")
    if os.environ.get(variable):
        return os.environ[variable]
    try:
        tables = [
            _read(file) for file in files(stated or os.environ.get("SPAMNB_CONFIG")) if os.path.exists(file)
        ]
        return next((one[command][key] for one in reversed(tables) if key in one.get(command, {})), None)
    except (SpamnbError, TypeError):
        return None
