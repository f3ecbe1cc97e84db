"""Drive the functions of `amcp.hooks`, the real ones or ours: cases as JSON lines in, what came of them out.

python drive_amcp.py PEERS    the program that is installed in the folder PEERS
python drive_amcp.py          ours, under the same names
"""

from __future__ import annotations

import asyncio
import importlib
import json
import logging
import os
import sys
from pathlib import Path
from types import ModuleType
from typing import Any


def hooks(peers: str | None) -> Any:
    """The real module unchanged; its package's own __init__, which imports the whole agent, is left out."""
    if peers is None:
        return importlib.import_module("tenterhook.hosts.amcp")
    package = ModuleType("amcp")
    package.__path__ = [os.path.join(peers, "amcp")]
    sys.modules["amcp"] = package
    return importlib.import_module("amcp.hooks")


def result(module: Any, case: dict[str, Any]) -> dict[str, Any]:
    given = case["given"]
    match case["call"]:
        case "matches":
            return {"matches": module.HookHandler(matcher=given["matcher"]).matches(given["tool_name"])}
        case "to_json":
            return {"json": json.loads(module.HookInput(**given).to_json())}
        case "from_exit_code":
            return fields(module.HookOutput.from_exit_code(**given))
        case "get_handlers":
            found = module.get_hooks_manager(case["project"]).get_handlers(
                module.HookEvent(given["event"]), given["tool_name"]
            )
            return {"handlers": [one.command or one.script or one.function for one in found]}
        case "execute_hooks":
            return fields(asyncio.run(executed(module, case)))
        case "in_code":
            return fields(asyncio.run(in_code(module, case)))
        case function:
            return fields(asyncio.run(getattr(module, function)(**given, project_dir=case["project"])))


async def executed(module: Any, case: dict[str, Any]) -> Any:
    given = dict(case["given"])
    event, tool_name = module.HookEvent(given.pop("event")), given.pop("tool_name_given", None)
    told = module.HookInput(hook_event_name=event.value, cwd=str(case["project"]), **given)
    return await module.get_hooks_manager(case["project"]).execute_hooks(event, told, tool_name)


async def in_code(module: Any, case: dict[str, Any]) -> Any:
    """A manager whose handlers the host wrote itself, behind those of the files."""
    given = dict(case["given"])
    manager = module.get_hooks_manager(case["project"])
    manager.load_config()
    config = manager.hooks.setdefault(module.HookEvent.PRE_TOOL_USE, module.HookConfig())
    config.handlers += [module.HookHandler(**one) for one in given.pop("handlers")]
    return await module.run_pre_tool_use_hooks(**given, project_dir=case["project"])


def fields(output: Any) -> dict[str, Any]:
    names = (
        *("success", "continue_execution", "stop_reason", "decision_reason", "updated_input", "updated_response"),
        *("feedback", "system_message", "suppress_output", "exit_code", "stdout", "stderr"),
    )
    return {"decision": output.decision.value, **{name: getattr(output, name) for name in names}}


def settled(module: Any, case: dict[str, Any]) -> dict[str, Any]:
    """One case in its own folder and home; what it raises is a result too."""
    os.environ["HOME"] = case["home"]
    os.environ.pop("XDG_CONFIG_HOME", None)
    os.environ.update(case["environ"])
    case["project"] = Path(case["project"])
    before = list(sys.path)
    sys.path += [str(case["project"])] if case["on_path"] else []
    importlib.invalidate_caches()
    module.reset_hooks_manager()
    try:
        return result(module, case)
    except Exception as exc:
        return {"raises": type(exc).__name__}
    finally:
        sys.path[:] = before
        for name in case["environ"]:
            del os.environ[name]


def main() -> None:
    logging.disable()
    module = hooks(sys.argv[1] if len(sys.argv) > 1 else None)
    for line in sys.stdin:
        print(json.dumps(settled(module, json.loads(line))), flush=True)
    module.reset_hooks_manager()


if __name__ == "__main__":
    main()
