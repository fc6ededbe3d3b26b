import { readFileSync } from "node:fs";

const messages = JSON.parse(readFileSync(0, "utf8")).llm_request.messages ?? [];
const asked = messages.filter((it) => it.role === "user").at(-1)?.content ?? "";

if (asked.toLowerCase().includes("explain")) {
  console.log(
    JSON.stringify({
      hookSpecificOutput: {
        hookEventName: "BeforeToolSelection",
        toolConfig: {
          mode: "AUTO",
          allowedFunctionNames: ["read_file", "list_directory", "glob", "search_file_content"],
        },
      },
    }),
  );
}
