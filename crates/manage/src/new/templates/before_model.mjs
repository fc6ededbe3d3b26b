import { readFileSync } from "node:fs";

const request = JSON.parse(readFileSync(0, "utf8")).llm_request;

if ((request.config?.temperature ?? 1) > 0.2) {
  // Only what is named is changed; the rest of the request stays.
  console.log(
    JSON.stringify({
      hookSpecificOutput: {
        hookEventName: "BeforeModel",
        llm_request: { config: { temperature: 0.2 } },
      },
    }),
  );
}
