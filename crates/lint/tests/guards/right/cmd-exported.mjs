#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

export default function judge(event) {
  return /\brm\s+-rf\b/.test(event.tool_input.command) ? 2 : 0;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const code = judge(JSON.parse(readFileSync(0, 'utf8')));
  if (code) console.error('blocked');
  process.exitCode = code;
}
