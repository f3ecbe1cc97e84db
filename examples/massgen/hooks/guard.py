"""Functions that MassGen hooks call in the host's own process."""


def no_secrets(event):
    path = event["tool_input"].get("path", "")
    if path.endswith((".env", ".pem")):
        return {"decision": "deny", "reason": f"{path} holds secrets; agents do not write it."}
    return None


def stay_in_drafts(event):
    given = event["tool_input"]
    if not given["path"].startswith("drafts/"):
        return {"updated_input": {**given, "path": f"drafts/{given['path']}"}}
    return None
