import { spawnSync } from "node:child_process";

// call.payload.source says how the session began.
hook.sessionStart(() => {
  const git = spawnSync("git", ["branch", "--show-current"], { encoding: "utf8" });
  return context(`Current git branch: ${git.stdout?.trim() || "none"}`);
});

await run();
