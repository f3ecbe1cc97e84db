"""Is it safe? What a tool is about to do, looked at before it does it.

    danger/            rules about the programs that a command calls
    paths.py, own.py   where may be written; our own settings in a file that holds others too
    secret.py          what looks like a secret in a text
    syntax.py          whether a file would still parse
    look.py            all of these for one command, path or text

A seat belt, not a cell: it sees what is written in a command or a file, not what a program does once it runs.
"""
