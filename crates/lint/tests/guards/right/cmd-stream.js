#!/usr/bin/env node
'use strict';

let input = '';
process.stdin.setEncoding('utf8');
process.stdin.on('data', (chunk) => { input += chunk; });
process.stdin.on('end', () => {
  const { tool_name: tool, tool_input: args = {} } = JSON.parse(input);
  if (tool !== 'run_shell_command') return process.exit(0);
  const cmd = String(args.command || '');
  const denied = ['rm -rf', 'mkfs', ':(){'].find((needle) => cmd.includes(needle));
  if (denied) {
    process.stderr.write(`blocked: ${denied}\n`);
    process.exit(2);
  }
  process.exit(0);
});
