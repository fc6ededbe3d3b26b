#!/usr/bin/env node
process.on('exit', () => {
  process.exit();
});
const event = JSON.parse(require('fs').readFileSync(0, 'utf8'));
if (event.tool_input.command.includes('rm -rf')) {
  console.error('no');
  process.exit(2);
}
