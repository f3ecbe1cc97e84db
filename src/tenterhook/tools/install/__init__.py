"""What `tenter install` does: an agent's own config calls hooks that you wrote, and is given back as it was.

    hookfiles.py    the hooks of the files, and which of the agent's events they are for
    line.py         the command line that the agent runs, which no upgrade changes
    matchers.py     which tools an entry is for, in the agent's own way of saying so
    target.py       which file is changed, and where it is kept what was there before
    ours.py         entries that are certainly ours, where that is not on record
    change.py       what changes in it, and what takes that back
    limits.py       what the agent will not do, whatever a hook says
    canary.py       an event through that very command line: does the hook fire?

The editing itself is that of setup/.
"""
