#!/usr/bin/env node
import fs from 'node:fs';

const handlers = {
  run_shell_command: ({ command }) => (command.includes('rm -rf') ? 'no rm -rf' : null),
  write_file: ({ file_path }) => (file_path.endsWith('.env') ? 'no .env' : null),
};

const event = JSON.parse(fs.readFileSync(process.stdin.fd, 'utf-8'));
const reason = handlers[event.tool_name]?.(event.tool_input);
if (reason) {
  process.stdout.write(JSON.stringify({ decision: 'deny', reason }) + '\n');
}
