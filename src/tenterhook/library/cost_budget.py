"""Limit how many tokens a session may use, or what it may cost.

The agent itself says what a session has used: at the end of a model call if it has such an event, else in its
transcript, as Claude Code, Codex, Gemini CLI and their relatives write one. When the budget is used up, the hook
refuses tools, asks about them, or stops the agent, so that the turn ends.

Options:
    tokens: how many tokens a session may use, input, output and cached ones together; 0 for no limit
    cost: how much a session may cost, in the currency of the prices; 0 for no limit
    input_price: what a million tokens of input cost
    cached_price: what a million tokens of input cost that came from a cache
    output_price: what a million tokens of output cost
    then: what to do when it is used up: deny, ask, or stop the agent

What it cannot stop:
- A model call that is running, and an answer without tools: the hook checks the budget before each tool.
- Tokens that the agent does not count: other sessions, subagents with a transcript of their own, and the agent's side
  calls for titles and summaries if it does not report them.
- An agent that reports no tokens, neither in events nor in a transcript. The hook tells the user once.
- Its own cost: an agent that reports model calls piece by piece, as Gemini CLI does, calls the hook for each piece.
- Wrong prices: you give one price of each kind for the whole session, whichever models it uses.
"""

from __future__ import annotations

from tenterhook import hook
from tenterhook.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tenterhook.author import Answer, Event
    from tenterhook.library.parts.tokens import Tokens

NAME = "cost-budget"
TRANSCRIPTS = ("transcript", "transcript_path", "transcriptPath")


@hook("tool.before", "model.after")
def cost_budget(
    event: Event,
    tokens: int = 0,
    cost: float = 0.0,
    input_price: float = 0.0,
    cached_price: float = 0.0,
    output_price: float = 0.0,
    then: str = "deny",
) -> Answer | None:
    from tenterhook.library.parts.decisions import ENDS, one_of, used_up

    one_of("then", then, ENDS)
    if not tokens > 0 and not cost > 0:
        raise UsageError("there is no budget: set tokens=NUMBER, or cost=AMOUNT with the prices of a million tokens")
    if cost > 0 and not (input_price > 0 and output_price > 0):
        raise UsageError("cost needs the prices of a million tokens: set input_price and output_price")
    used = session_token_usage(event)
    if event.kind != "tool.before":
        return None
    if used is None:
        return warn_no_token_counts(event)
    spent = (used.input * input_price + used.cached * cached_price + used.output * output_price) / 1e6
    if 0 < tokens <= used.total:
        return used_up(then, f"{NAME}: this session has used {used.total:,} tokens, of {tokens:,} in all")
    if 0 < cost <= spent:
        return used_up(then, f"{NAME}: this session has cost {spent:.2f}, of {cost:.2f} in all")
    return None


def session_token_usage(event: Event) -> Tokens | None:
    """The tokens that the session has used; None if the agent does not report them."""
    from tenterhook.library.parts import tokens
    from tenterhook.library.parts.kept import Kept

    store = Kept(event, NAME)
    if event.kind == "model.after":
        now = tokens.of_response(event.raw)
        if now:
            store.add({"input": now.input, "cached": now.cached, "output": now.output})
        return now
    counts = [tokens.Tokens(**line) for line in store.lines() if "input" in line]
    if counts:
        return sum(counts, tokens.Tokens())
    return tokens.of_transcript(next((event.text_of(name) for name in TRANSCRIPTS if event.text_of(name)), ""))


def warn_no_token_counts(event: Event) -> Answer | None:
    from tenterhook.library.parts.kept import once

    return once(event, NAME, f"{NAME}: {event.agent} has told of no tokens yet, so that nothing can be counted")
