"""The gate: an agent that calls `tenter run --agent NAME` is answered by the engine.

    call = read_call(words, given, environ)        what the agent said, in our words: no engine is loaded for it
    outcome = engine.fire(call.kind, **call.data())
    render_answer(call, answer_of(outcome))        the outcome in the one form that the agent obeys

answer      one call from start to end: read this first
call        the command line, the payload, who called, which project it is about
sides       whose hooks answer: our own config's, and those of other agents
other_sides the hooks of another agent's config files, or one command of its
our_words   tools and their inputs under our own names, the same for every agent
their_words the same under the names of another agent, for its hooks
hooks       the hooks of files that the command line names
record      what the journal holds of a call, and of refusals without any hook
reply       an outcome as an answer, and a refusal where an event cannot be read
session     what the user is told once in a session, and calls that come twice
"""
