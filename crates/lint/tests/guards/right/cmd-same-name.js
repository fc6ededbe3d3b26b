#!/usr/bin/env node
const fs = require('fs');
const policy = { check(cmd) { return cmd.includes('rm -rf') ? 1 : 0; } };
async function check(cmd) {
  return policy.check(cmd) === 1;
}
const cmd = JSON.parse(fs.readFileSync(0)).tool_input.command;
check(cmd).then((bad) => {
  if (bad) {
    console.error('no');
    process.exit(2);
  }
});
