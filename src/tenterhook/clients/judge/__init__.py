"""A model judges an event: what the handlers `prompt` and `agent` share.

`run_model_judge` is the whole story: the model is asked, runs the tools it was given, and answers with one JSON object
that answer.py reads; an error becomes an Attempt with `error` set. A judge never grants anything: ok true means no
answer, ok false a deny.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
from typing import TYPE_CHECKING, Any

from tenterhook.clients.judge.conversation import JudgeConversation, JudgeFailed
from tenterhook.clients.models.failures import ProviderError
from tenterhook.errors import UsageError
from tenterhook.support.secrets.mask import mask_secret_values, secrets
from tenterhook.types import Attempt, Job

if TYPE_CHECKING:
    from tenterhook.clients.judge.tools import JudgeTools

# Seconds past the hook's own time-out that closing connections may take. The handlers' leeway is longer.
CLOSING = 0.5


async def run_model_judge(job: Job, tools: JudgeTools | None = None) -> Attempt:
    """The model's judgement of the event, within the hook's time-out."""
    began = time.monotonic()
    talk = JudgeConversation(job, tools)
    limit = asyncio.timeout(job.timeout)
    fields: dict[str, Any]
    try:
        async with limit:
            judgement = await talk.judgement()
        fields = {"answer": {}}
        if not judgement.ok:
            fields |= {"decision": "deny", "reason": judgement.reason}
    except TimeoutError:
        if not limit.expired():
            raise
        fields = build_failure_fields(
            "timeout", f"the model gave no answer within {job.timeout:g} s; raise the hook's timeout"
        )
    except JudgeFailed as exc:
        fields = build_failure_fields("output", str(exc))
    except UsageError as exc:
        fields = build_failure_fields("spawn", str(exc))
    except ProviderError as exc:
        fields = build_failure_fields("network", str(exc))
    finally:
        await close(talk)
    hook, seconds = job.hook, time.monotonic() - began
    usage = talk.usage if talk.usage.calls else None
    return Attempt(hook.name, hook.handler, str(hook.source), seconds=seconds, stdout=talk.text, usage=usage, **fields)


def build_failure_fields(error: str, detail: str) -> dict[str, Any]:
    """The error in one line, without keys that an SDK may have put into it."""
    return {"error": error, "detail": mask_secret_values(" ".join(detail.split()), secrets(os.environ))}


async def close(talk: JudgeConversation) -> None:
    """An error while closing must not hide the answer."""
    if talk.provider is not None:
        with contextlib.suppress(Exception):
            async with asyncio.timeout(CLOSING):
                await talk.provider.aclose()
