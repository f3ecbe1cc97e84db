#!/usr/bin/env node
// The command under any of several names, the reason to stderr, and 2.
import { readFileSync } from 'node:fs';
const event = JSON.parse(readFileSync(0, 'utf8') || '{}');
const call = event.tool_input ?? event.toolInput ?? {};
if (/git\s+reset\s+--hard/.test(call.command ?? '')) {
  console.error('refused: git reset --hard');
  process.exit(2);
}
process.exit(0);
