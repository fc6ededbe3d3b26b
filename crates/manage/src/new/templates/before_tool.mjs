import { readFileSync } from "node:fs";

const call = JSON.parse(readFileSync(0, "utf8"));
const args = JSON.stringify(call.tool_input ?? {});

if (/(^|[/"'=\s])\.env(["'\s]|$)/.test(args)) {
  console.error("Files named .env hold secrets: find a way that does without them.");
  process.exitCode = 2;
}
