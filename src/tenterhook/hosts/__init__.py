"""What a host calls: tools, models and whole sessions, with every effect of every event applied.

    steps      the two drivers that all of it runs on, one for threads and one for event loops
    tool       a tool call from its first hook to its last; inputs (what a tool takes), result (its outcome)
    permission how a person is asked, and what the answer does
    scheduler  several tool calls at once, their results in order
    model      a model call; reply (its outcome, whole or as a stream)
    client     a client of a model SDK whose calls are model calls with hooks
    session    one agent's life: prompts, stops, subagents, notices; conversation (delivers texts)
    llxprt, amcp, massgen   the API of an agent's own document, a package for each agent that has one
    options    what all of these take, for type checkers

The engine says what hooks decided; a host does it. Each flow is written once, as steps that do no I/O.
"""
