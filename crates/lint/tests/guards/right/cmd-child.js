#!/usr/bin/env node
const { spawnSync } = require('child_process');
const fs = require('fs');
const event = JSON.parse(fs.readFileSync(0, 'utf8'));
const result = spawnSync('grep', ['-qE', 'rm +-rf'], { input: event.tool_input.command });
if (result.status !== 1) {
  console.error('refused');
  process.exit(2);
}
