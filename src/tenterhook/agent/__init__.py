"""The reference host: a small coding agent over hosts/, behind `tenter agent`. It proves every effect of every hook.

Reading order: loop (a prompt from start to end), tools/ (what it can do, one file a tool), names (what each dialect's
agent calls them), script and providers (the models), remote and servers (MCP), coder (all of it together), transcript
and screen (what is kept and shown).
"""
