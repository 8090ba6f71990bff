"""Describes a setting in the metadata of a dataclass field: its flag, values, default and help."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from math import inf
from operator import index
from typing import Any, NamedTuple

from spamnb.errors import ConfigError

_KEY = "setting"
SET = "--set "  # begins the flag of a setting that has none of its own
_LARGEST = (1 << 63) - 1  # of an integer in a model file


class ValueRule(NamedTuple):
    """What a value must be: in words, and as a test; `hint` is the next step if it is not."""

    words: str
    holds: Callable[[Any], bool]
    hint: str = ""


class TextForm(NamedTuple):
    """How a value is read from text, and written."""

    parse: Callable[[str], Any]
    write: Callable[[Any], str] = str


NOT_NEGATIVE = ValueRule("0 or more", lambda x: 0 <= x < inf)
AT_LEAST_1 = ValueRule("at least 1", lambda x: x >= 1)


def between(low: float, high: float) -> ValueRule:
    return ValueRule(f"between {low} and {high}", lambda x: low <= x <= high)


def one_of(*values: Any) -> ValueRule:
    r"""Returns the rule for a setting that takes one of these values.

    >>> one_of("a", "b", "c").words
    'a, b or c'
    """
    *first, last = map(str, values)
    return ValueRule(f"{', '.join(first)} or {last}", lambda x: x in values)


class OptionHelp(NamedTuple):
    """How --help shows an option."""

    text: str
    metavar: str = ""
    group: str = "Model"  # its heading
    advanced: bool = True  # shown by --help-all only


@dataclass(frozen=True, slots=True)
class Setting:
    """How a setting is written on the command line, which values it takes, and its help.

    Its flag is one of its own, as `--alpha`, or `--set NAME`. The value of an option is None, False or ()
    where the user has not stated it.
    """

    default: Any
    flag: str
    help: OptionHelp
    type: Any = None  # of one value; by default that of the default
    choices: tuple[str, ...] = ()  # for a truth value: the words for False and True
    rule: ValueRule | None = None
    text_form: TextForm | None = None  # where a value is not written as Python writes it
    scorer: str = ""  # the only scorer that uses it
    training: bool = True  # fixed by training, and so refused with a trained model

    @property
    def has_own_flag(self) -> bool:
        return not self.flag.startswith(SET)

    @property
    def key(self) -> str:
        """What `--set`, `compare --with` and a configuration file call it.

        >>> Setting(None, "--max-fpr", OptionHelp("")).key, Setting(1.0, "--set damping", OptionHelp("")).key
        ('max-fpr', 'damping')
        """
        return self.flag.removeprefix(SET).strip("-")

    @property
    def name(self) -> str:
        """The name of the option's value.

        >>> Setting(None, "--max-fpr", OptionHelp("")).name
        'max_fpr'
        """
        return self.key.replace("-", "_")

    @property
    def repeatable(self) -> bool:
        return isinstance(self.default, tuple)

    @property
    def full_help(self) -> str:
        """The help with the default, unless that is stated there already or is none.

        >>> Setting(5, "--folds", OptionHelp("Number of folds.")).full_help
        'Number of folds. [default: 5]'
        """
        text = self.help.text
        if "[default:" in text or self.default is None or self.repeatable:
            return text
        return f"{text} [default: {self._texts(self.default)[0]}]"

    def value_of(self, option: Any) -> Any:
        """Converts the stated value of an option to that of the field.

        >>> Setting(True, "--counts", OptionHelp(""), choices=("all", "once")).value_of("all")
        False
        """
        if isinstance(self.default, bool):
            return self._index(option) == 1
        return tuple(map(self._parsed, option)) if self.repeatable else self._parsed(option)

    def words(self, value: Any) -> list[str]:
        """Writes a value of the field as on the command line.

        >>> Setting((), "--numeric", OptionHelp("")).words(("size", "age"))
        ['--numeric', 'size', '--numeric', 'age']
        >>> Setting(1.0, "--set damping", OptionHelp("")).words(0.5)
        ['--set', 'damping=0.5']
        """
        texts = self._texts(value)
        if self.has_own_flag:
            return [word for text in texts for word in (self.flag, text)]
        return [word for text in texts for word in ("--set", f"{self.key}={text}")]

    def _texts(self, value: Any) -> list[str]:
        if isinstance(self.default, bool):
            return [self.choices[value]]
        return [self._text(one) for one in (value if self.repeatable else (value,))]

    def check(self, value: Any, field_name: str = "") -> None:
        """Refuses a value that the setting cannot have; None is no value.

        The error names the field in Python, or else the flag.
        """
        name = field_name or self.flag
        if isinstance(self.default, bool):
            if not isinstance(value, bool):
                raise ConfigError(f"{name} must be True or False, got {value!r}")
        elif self.choices:
            self._index(value, name)
        if value is not None and self.rule is not None and not self._holds(self.rule, value):
            if field_name and isinstance(value, str) and isinstance(self.default, (int, float)):
                raise ConfigError(
                    f"{name} must be a number, got the text {value!r}", f"for example {self.default}"
                )
            shown = list(value) if isinstance(value, tuple) else value
            hint = self.rule.hint or (f"the default is {self.default}" if field_name else "")
            raise ConfigError(f"{name} must be {self.rule.words}, got {shown!r}", hint)

    def _holds(self, rule: ValueRule, value: Any) -> bool:
        try:
            if isinstance(self.default, int):
                index(value)  # a whole number
            return rule.holds(value)
        except (TypeError, ValueError):
            return False  # of another type

    def _index(self, option: Any, name: str = "") -> int:
        if option not in self.choices:
            raise ConfigError(f"{name or self.flag} must be {one_of(*self.choices).words}, got {option!r}")
        return self.choices.index(option)

    def _parsed(self, option: Any) -> Any:
        if self.text_form is not None and isinstance(option, str):
            return self.text_form.parse(option)
        return option

    def _text(self, value: Any) -> str:
        if self.text_form is not None:
            return self.text_form.write(value)
        return f"{value:g}" if isinstance(value, float) else str(value)


def setting(default: Any, flag: str, help: str, **more: Any) -> Any:
    """Returns a dataclass field with its `Setting`; `stored` are its types in a model file.

    `more` are further fields of `OptionHelp` and `Setting`.
    """
    stored = more.pop("stored", (int, float) if isinstance(default, float) else (type(default),))
    shown = OptionHelp(help, **{name: more.pop(name) for name in OptionHelp._fields if name in more})
    return field(default=default, metadata={_KEY: Setting(default, flag, shown, **more), "stored": stored})


def settings_of(config: type) -> Iterator[tuple[str, Setting]]:
    """Yields the fields of a dataclass that have a flag, with their settings."""
    return ((f.name, f.metadata[_KEY]) for f in fields(config) if _KEY in f.metadata)


def is_stated(option: Any) -> bool:
    return option is not None and option is not False and option != ()


def stated_fields(config: type, options: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the fields of a dataclass that options set, with their values."""
    named = [(name, one, options.get(one.name)) for name, one in settings_of(config)]
    values = {name: one.value_of(option) for name, one, option in named if is_stated(option)}
    for name, one, _ in named:
        if name in values:
            one.check(values[name])
    return values


def check_settings(config: Any) -> None:
    """Refuses a dataclass one of whose settings has a value that it cannot have.

    Lists become tuples, and numbers of numpy those of Python, which a model file can keep.
    """
    for name, one in settings_of(type(config)):
        value = _tupled(getattr(config, name))
        if type(value).__module__ == "numpy":
            value = value.tolist()
        if one.repeatable and not isinstance(value, tuple):
            raise ConfigError(f"{name} must be a tuple, got {value!r}")
        one.check(value, name)
        object.__setattr__(config, name, value)


def changed_words(config: Any, usual: Any) -> list[str]:
    """Returns the flags that make a dataclass of the `usual` one."""
    both = ((one, getattr(config, name), getattr(usual, name)) for name, one in settings_of(type(config)))
    return [word for one, value, default in both if value != default for word in one.words(value)]


def to_state(config: Any) -> dict[str, Any]:
    """Returns the fields of a dataclass with lists in place of tuples, as in a model file."""
    return {f.name: _listed(getattr(config, f.name)) for f in fields(config)}


def from_state(config: type, state: Mapping[str, Any]) -> dict[str, Any]:
    """Reverses `to_state`; an unknown name or a value of another type raises TypeError.

    A model that was saved before a setting was added has its default, so that the ready-made ones still load.
    """
    stored = {f.name: f.metadata.get("stored", (type(f.default),)) for f in fields(config)}
    if unknown := sorted(state.keys() - stored.keys()):
        raise TypeError(f"{unknown[0]!s:.40} is unknown")
    values = {name: _tupled(value) for name, value in state.items()}
    for name, value in values.items():
        if type(value) not in stored[name] or (type(value) is int and abs(value) > _LARGEST):
            raise TypeError(f"{name} is {value!r:.40}")
    return values


def _listed(value: Any) -> Any:
    return [_listed(one) for one in value] if isinstance(value, tuple) else value


def _tupled(value: Any) -> Any:
    return tuple(_tupled(one) for one in value) if isinstance(value, list) else value
