#!/usr/bin/env node
const chunks = [];
process.stdin
  .on('data', (chunk) => chunks.push(chunk))
  .on('end', () => {
    let event;
    try {
      event = JSON.parse(Buffer.concat(chunks));
    } catch {
      process.exit(2);
    }
    const command = event?.tool_input?.command || '';
    const bad = command
      .split(/[;&|\n]+/)
      .map((it) => it.trim())
      .filter((cmd) => cmd.indexOf('rm ') === 0 || cmd.indexOf(' rm ') > 0);
    if (bad.length > 0) {
      console.error(`blocked: ${bad.join(', ')}`);
      process.exit(2);
    }
  });
