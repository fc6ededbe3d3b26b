#!/usr/bin/env bun
interface Event { tool_name: string; tool_input: Record<string, string> }
const event: Event = JSON.parse(await Bun.stdin.text());
if (event.tool_input.command?.includes("rm -rf")) {
  console.log(JSON.stringify({ decision: "deny", reason: "rm -rf" }));
}
