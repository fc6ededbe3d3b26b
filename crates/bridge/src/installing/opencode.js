// Calls the user's hooks: hooks bridge opencode. Written by `hookloop bridge install opencode`; what
// is changed here is lost with the next install, and gone after `hookloop bridge uninstall opencode`.
import { spawn } from "node:child_process";

const PROGRAM = "@program@";
const TIMEOUT = 600_000;

/** Calls the bridge, and returns its answer. Everything but an answer throws. */
function call(event, payload, directory) {
  return new Promise((resolve, reject) => {
    const failed = (why) => reject(new Error(`hookloop failed (${why}): blocked`));
    const child = spawn(PROGRAM, ["hooks", "bridge", "opencode", event], {
      cwd: directory,
      stdio: ["pipe", "pipe", "pipe"],
    });
    const timer = setTimeout(() => {
      child.kill("SIGKILL");
      failed("timeout");
    }, TIMEOUT);
    // A letter may come in parts.
    child.stdout.setEncoding("utf8");
    child.stderr.setEncoding("utf8");
    let stdout = "";
    let stderr = "";
    child.stdout.on("data", (chunk) => (stdout += chunk));
    child.stderr.on("data", (chunk) => (stderr += chunk));
    child.stdin.on("error", () => {});
    child.on("error", (error) => {
      clearTimeout(timer);
      failed(error.code ?? error.message);
    });
    child.on("close", (code, signal) => {
      clearTimeout(timer);
      if (code === 2) {
        let reason = stderr.trim();
        try {
          reason = JSON.parse(stdout).refuse ?? reason;
        } catch {}
        reject(new Error(reason || "a hook refused"));
      } else if (code !== 0) {
        failed(signal ?? code);
      } else {
        try {
          resolve(stdout.trim() === "" ? {} : JSON.parse(stdout));
        } catch {
          failed("its answer isn't JSON");
        }
      }
    });
    child.stdin.end(JSON.stringify({ ...payload, directory }));
  });
}

/** Calls the bridge where nothing waits for it: a failure is told and has no other effect. */
async function tell(event, payload, directory) {
  try {
    return await call(event, payload, directory);
  } catch (error) {
    console.error(error.message);
    return {};
  }
}

/** Puts the fields of one object in the place of another's. */
function replace(target, source) {
  for (const key of Object.keys(target)) delete target[key];
  Object.assign(target, source);
}

export const Hookloop = async ({ directory }) => ({
  "tool.execute.before": async (input, output) => {
    const answer = await call("tool.execute.before", { input, output }, directory);
    if (answer.args) replace(output.args, answer.args);
  },
  "tool.execute.after": async (input, output) => {
    const answer = await tell("tool.execute.after", { input, output }, directory);
    if (answer.output !== undefined) output.output = answer.output;
    if (answer.context) output.output = `${output.output ?? ""}\n${answer.context}`;
  },
  "chat.message": async (input, output) => {
    const answer = await call("chat.message", { input, output }, directory);
    if (answer.context) {
      const first = output.parts[0] ?? {};
      output.parts.push({ ...first, type: "text", text: answer.context, id: `${first.id}h` });
    }
  },
  event: async ({ event }) => {
    if (["session.created", "session.idle", "session.deleted"].includes(event.type)) {
      await tell(event.type, { input: event }, directory);
    }
  },
});
