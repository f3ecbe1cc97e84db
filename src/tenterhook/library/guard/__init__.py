"""The guard: checks what a tool is about to do before it does it.

    danger/       rules about commands: a table, and what it cannot say; support/shell/ reads them as a shell would
    branches.py   what a command does to branches of git
    paths.py      which paths may be written
    secret.py     what looks like a secret in a text
    own.py        our own settings among others in a file
    edited_text.py  the text of a file before and after a change
    look.py       all of these for one command, path or text; library/ uses it too

A seat belt, not a cell: it sees what is written in a command or a file, not what a program does once it runs.
"""
