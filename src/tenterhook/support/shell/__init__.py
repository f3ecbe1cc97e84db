"""A light parser of shell commands: the simple commands that a shell would see, as a flat list in order.

It follows bash, which reads nearly all that sh and zsh do: quoting, expansions, substitutions, here-documents, compound
commands. `parse` gives the commands, `fields` the words of one with variables filled in.

    records.py   SimpleCommand, Word, Redirection, ShellScript
    words.py     one word: quotes, variables, substitutions
    parser.py    operators, reserved words, redirections
    expand.py    a word becomes fields: braces, tilde, variables
    calls.py     the programs that are called; wrappers.py knows those that run another one
    programs.py  the table of what each program writes and runs
"""

from __future__ import annotations

from tenterhook.support.shell.parser import parse
from tenterhook.support.shell.records import Redirection, ShellScript, SimpleCommand, Word

__all__ = ["Redirection", "ShellScript", "SimpleCommand", "Word", "parse"]
