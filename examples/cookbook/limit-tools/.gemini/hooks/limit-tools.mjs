#!/usr/bin/env node
import { readFileSync } from "node:fs";

const { llm_request: request } = JSON.parse(readFileSync(0, "utf8"));
const prompt = request.messages.filter((message) => message.role === "user").at(-1)?.content ?? "";
if (/^\s*(explain|why|how does|what does)\b/i.test(prompt)) {
  const toolConfig = { mode: "AUTO", allowedFunctionNames: ["read_file", "glob", "search_file_content"] };
  console.log(JSON.stringify({ hookSpecificOutput: { hookEventName: "BeforeToolSelection", toolConfig } }));
}
