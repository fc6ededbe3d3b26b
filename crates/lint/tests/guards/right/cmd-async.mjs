#!/usr/bin/env node
import { readFile } from 'node:fs/promises';
import { stdin } from 'node:process';

const RULES = [
  { pattern: /(^|[;&|]\s*)rm\s+-[a-z]*[rf]/i, reason: 'rm -r and rm -f are off' },
  { pattern: /\bgit\s+reset\s+--hard\b/, reason: 'no hard resets' },
  { pattern: new RegExp('\\bcurl\\b.*\\|\\s*(ba)?sh'), reason: 'no pipes from the web' },
];

async function read() {
  const chunks = [];
  for await (const chunk of stdin) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString('utf8'));
}

async function main() {
  const { tool_input } = await read();
  const cmd = tool_input.command;
  for (const { pattern, reason } of RULES) {
    if (pattern.test(cmd)) return { decision: 'deny', reason };
  }
  return {};
}

main()
  .then((reply) => console.log(JSON.stringify(reply)))
  .catch((error) => {
    console.error(error.message);
    process.exit(2);
  });
