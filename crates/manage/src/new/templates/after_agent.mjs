import { readFileSync } from "node:fs";

const event = JSON.parse(readFileSync(0, "utf8"));

// One more attempt is enough: the agent must not go round in circles.
if (!event.stop_hook_active && event.prompt_response?.includes("TODO")) {
  console.log(
    JSON.stringify({
      decision: "deny",
      reason: "The answer still contains a TODO: finish it, or say why it has to stay.",
    }),
  );
}
