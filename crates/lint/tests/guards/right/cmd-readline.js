#!/usr/bin/env node
const readline = require('readline');
const rl = readline.createInterface({ input: process.stdin });
const lines = [];
rl.on('line', (line) => lines.push(line));
rl.on('close', () => {
  const event = JSON.parse(lines.join('\n'));
  const command = (event.tool_input && event.tool_input.command) || '';
  const first = command.trim().split(' ')[0];
  switch (first) {
    case 'rm':
    case 'shred':
      console.log(JSON.stringify({ decision: 'deny', reason: `${first} is not allowed` }));
      break;
    default:
      console.log('{}');
  }
});
