#!/usr/bin/env node
const path = require('path');
const fs = require('fs');

const { tool_input: { file_path: file = '' } = {} } = JSON.parse(fs.readFileSync(0, 'utf8'));
const base = path.basename(file);
const protectedEndings = ['.pem', '.key', '.env'];
if (protectedEndings.includes(path.extname(base)) || base === '.env' || /^\.env\./.test(base)) {
  console.error(`${base} is protected`);
  process.exit(2);
}
