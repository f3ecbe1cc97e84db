"""Event -> Plan -> Attempt -> Verdict -> Outcome. Pure: no process, socket, thread or event loop."""
