import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";

// event.source says how the session began.
const event = JSON.parse(readFileSync(0, "utf8"));

const git = spawnSync("git", ["branch", "--show-current"], { encoding: "utf8" });
const branch = git.stdout?.trim() || "none";

console.log(
  JSON.stringify({
    hookSpecificOutput: {
      hookEventName: event.hook_event_name,
      additionalContext: `Current git branch: ${branch}`,
    },
  }),
);
