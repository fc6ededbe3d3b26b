#!/usr/bin/env node
const fs = require('fs');

function checkRm(cmd) {
  if (cmd.includes('rm -rf')) {
    console.error('rm');
    process.exit(2);
  }
}

function checkDd(cmd) {
  if (cmd.includes('dd if=')) {
    console.error('dd');
    process.exit(2);
  }
}

const checks = {
  checkRm,
  checkDd
};

const cmd = JSON.parse(fs.readFileSync(0)).tool_input.command;
Object.values(checks).forEach((check) => check(cmd));
