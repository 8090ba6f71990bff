"""`spamnb completion`: prints the tab completion for the shell."""

from __future__ import annotations

import click

from spamnb.cli.command_base import command

_HOW = {
    "bash": 'eval "$(spamnb completion bash)"  # in ~/.bashrc',
    "zsh": 'eval "$(spamnb completion zsh)"  # in ~/.zshrc',
    "fish": "spamnb completion fish > ~/.config/fish/completions/spamnb.fish",
}


@command()
@click.argument("shell", type=click.Choice(list(_HOW)))
def completion(shell: str) -> None:
    """Print the completion script for a shell.

    \b
    Examples:
      eval "$(spamnb completion bash)"
      spamnb completion fish > ~/.config/fish/completions/spamnb.fish
    """
    from click.shell_completion import get_completion_class

    from spamnb.cli import cli

    kind = get_completion_class(shell)
    assert kind is not None
    click.echo(kind(cli, {}, "spamnb", "_SPAMNB_COMPLETE").source())
