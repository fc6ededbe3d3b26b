#!/usr/bin/env node
process.on('uncaughtException', (error) => {
  console.error(error.message);
  process.exit(2);
});
process.on('exit', (code) => {
  if (code !== 0) process.stderr.write(`guard: ${code}\n`);
});
const event = JSON.parse(require('fs').readFileSync(0, 'utf8'));
if (event.tool_input.command.startsWith('rm ')) throw new Error('rm is blocked');
