#!/usr/bin/env node
const fs = require('fs');

const event = JSON.parse(fs.readFileSync(0, 'utf8'));
const command = event.tool_input?.command ?? '';

if (/\brm\s+-rf\b/.test(command)) {
  console.error('rm -rf is blocked');
  process.exit(2);
}
