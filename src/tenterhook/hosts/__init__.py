"""What a host calls: tools, models and whole sessions, with every effect of every event applied.

    steps      the two drivers that all of it runs on, one for threads and one for event loops
    tool       a tool call from its first hook to its last
    permission what happens when somebody has to be asked
    scheduler  several tool calls at once, their results in order
    model      a model call, plain or streamed
    session    one agent's life: prompts, stops, subagents, notices; who is told what

The engine says what hooks decided; here it is done. Each flow is written once, as steps that do no I/O.
"""
