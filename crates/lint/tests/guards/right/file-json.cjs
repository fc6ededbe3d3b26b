'use strict';
const { readFileSync } = require('fs');
const deny = (reason) => {
  console.log(JSON.stringify({ decision: 'deny', reason }));
  process.exit(0);
};
const data = JSON.parse(readFileSync(0, { encoding: 'utf8' }));
const file = data.tool_input.file_path || '';
if (file.startsWith('/etc/')) deny('system files');
if (file.split('/').pop().startsWith('.env')) deny('secrets');
