"""The gate: an agent that calls `tenter run --agent NAME` is answered by the engine.

    call = read_call(words, given, environ)        what the agent said, in our words: no engine is loaded for it
    outcome = engine.fire(call.kind, **call.data())
    render(call, outcome)                          the outcome in the one form that the agent obeys

answer      one call from start to end: read this first
call        the command line, the payload, who called, which project it is about
our_words   tools and their inputs under our own names, the same for every agent
hooks       the hooks of files that the command line names
reply       an outcome as an answer, and a refusal where an event cannot be read
session     what the user is told once in a session, and calls that come twice
"""
