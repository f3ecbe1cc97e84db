"""A light reader of shell commands: what a shell would take for simple commands, as a flat list in order.

It follows bash, which reads nearly all that sh and zsh do: quoting, expansions, substitutions, here-documents,
compound commands. `parse` gives the commands, `fields` the words of one once variables are put in.

    records.py   Command, Word, Redirection, Script
    words.py     one word: quotes, variables, substitutions
    parser.py    operators, reserved words, redirections
    expand.py    a word becomes fields: braces, tilde, variables
    calls.py     the programs that are called; wrappers.py knows those that run another one
    programs.py  the table of what each program writes and runs
"""

from __future__ import annotations

from tenterhook.support.shell.parser import parse
from tenterhook.support.shell.records import Command, Redirection, Script, Word

__all__ = ["Command", "Redirection", "Script", "Word", "parse"]
