"""The reference host: a small coding agent over hosts/, behind `tenter agent`. It proves every effect of every hook.

Reading order: loop (a prompt from start to end), tools/ (one file per tool), hooked_tools (hooks around a tool), script
(a scripted model; real ones are in clients/models/), remote (MCP), compaction (long conversations),
coder (all of it together), transcript and screen (what is recorded and shown).
"""
