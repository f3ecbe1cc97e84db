"""What people use around the engine: check, convert, explain, install, approve, and the pages that describe it."""
