import { readFileSync } from "node:fs";

const call = JSON.parse(readFileSync(0, "utf8"));

// A tool that failed changed nothing.
if (!call.tool_response?.error) {
  const path = call.tool_input?.file_path ?? "A file";
  console.log(
    JSON.stringify({
      hookSpecificOutput: {
        hookEventName: "AfterTool",
        additionalContext: `${path} was changed: run the tests before you say that it works.`,
      },
    }),
  );
}
