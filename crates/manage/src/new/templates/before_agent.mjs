import { readFileSync } from "node:fs";

// event.prompt is what the user wrote.
const event = JSON.parse(readFileSync(0, "utf8"));

console.log(
  JSON.stringify({
    hookSpecificOutput: {
      hookEventName: event.hook_event_name,
      additionalContext: `Today is ${new Date().toISOString().slice(0, 10)}.`,
    },
  }),
);
