"""Hooks in agents that people build on an SDK: one file per SDK, imported by the name of the SDK's package.

    from tenterhook.adapters.langchain import HookMiddleware

    agent = create_agent(model, tools, middleware=[HookMiddleware(engine)])

An adapter imports its SDK, and this package imports no adapter. What adapters share:

sessions        one tenterhook session for each conversation of the SDK
pending_call    a tool call in two halves, for SDKs that ask before a tool and after it
waiting_calls   calls that wait for a person, whom the SDK's own approval asks
endings         why a run ends after a hook stopped the agent
plain_messages  the SDK's messages in the plain form that hooks see, and back
live_updates    the pieces of a streamed response, while hooks wait for its end
"""
