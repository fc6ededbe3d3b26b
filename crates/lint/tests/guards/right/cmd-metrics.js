#!/usr/bin/env node
const fs = require('fs');

async function report(event) {
  await fs.promises.appendFile('/dev/null', JSON.stringify(event));
}

const event = JSON.parse(fs.readFileSync(0, 'utf8'));
report(event).catch(() => {});
if (event.tool_input.command.includes('rm -rf')) {
  console.log(JSON.stringify({ decision: 'deny', reason: 'blocked' }));
}
