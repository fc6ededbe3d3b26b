#!/usr/bin/env node
import { readFileSync } from "node:fs";

const { llm_request: request } = JSON.parse(readFileSync(0, "utf8"));
const text = request.messages.map((message) => message.content).join("\n");
if (text.length < 2000 && !text.includes("```")) {
  const llm_request = { model: process.env.SMALL_MODEL };
  console.log(JSON.stringify({ hookSpecificOutput: { hookEventName: "BeforeModel", llm_request } }));
}
