#!/usr/bin/env node
const fs = require('node:fs');

class Guard {
  constructor(rules) {
    this.rules = rules;
  }

  check(cmd) {
    const low = cmd.toLowerCase();
    return this.rules.find(({ word }) => low.includes(word.toLowerCase()));
  }
}

const guard = new Guard([
  { word: 'rm -rf', reason: 'destructive' },
  { word: 'DROP TABLE', reason: 'no SQL' },
]);

try {
  const event = JSON.parse(fs.readFileSync('/dev/stdin', 'utf8'));
  const hit = guard.check(event.tool_input.command);
  if (hit) {
    console.error(`Refused: ${hit.reason}`);
    process.exitCode = 2;
  }
} catch (error) {
  console.error(error);
  process.exitCode = 2;
}
