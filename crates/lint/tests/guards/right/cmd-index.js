const fs = require('fs');
const d = JSON.parse(fs.readFileSync(0));
const cmd = d.tool_input.command;
const args = cmd.split(/\s+/);
if (args[0] === 'rm' && args.indexOf('-rf') > 0) {
  console.error('no');
  process.exit(2);
}
if (cmd.includes('curl') && cmd.indexOf('| sh') > 0) process.exit(2);
if (args[0] === 'git' && args[1] === 'push' && args.indexOf('--force') > 0) process.exit(2);
