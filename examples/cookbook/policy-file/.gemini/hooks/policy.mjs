#!/usr/bin/env node
import { readFileSync } from "node:fs";

const { tool_input } = JSON.parse(readFileSync(0, "utf8"));
const policy = JSON.parse(readFileSync(process.argv[2], "utf8"));
// A pattern is about one simple command: it never allows text that contains several.
const isSimple = !/[;&|`$<>\n(){}]/.test(tool_input.command);
const fits = (pattern) => new RegExp(`^(?:${pattern})$`).test(tool_input.command.trim());
const within = (pattern) => new RegExp(`(?:^|[^\\w-])(?:${pattern})`).test(tool_input.command);

const refusal = policy.deny.find(({ pattern }) => within(pattern));
if (refusal) {
  console.log(JSON.stringify({ decision: "deny", reason: refusal.reason }));
} else if (!isSimple || !policy.allow.some(fits)) {
  console.log(JSON.stringify({ decision: "ask", reason: "no line of .gemini/policy.json allows this" }));
}
