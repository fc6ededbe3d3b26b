#!/usr/bin/env node
class Refusal extends Error {}
const main = async () => {
  let raw = '';
  for await (const part of process.stdin) raw += part;
  const { tool_input: input } = JSON.parse(raw);
  if (input.command.match(/rm\s+-rf/)) throw new Refusal('rm -rf is forbidden');
};
main().catch((error) => {
  process.stderr.write(`${error.message}\n`);
  process.exit(error instanceof Refusal ? 2 : 1);
});
