// The kit as agents use it: a process with a payload, or with lines.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";

const kit = new URL("../index.mjs", import.meta.url).href;
const folder = mkdtempSync(join(tmpdir(), "kit-"));
const file = join(folder, "guard.mjs");
writeFileSync(
  file,
  `import { hook, allow, deny, ask, stop, rewrite, context, output, run } from ${JSON.stringify(kit)};
hook.beforeTool((call) => {
  console.log("noise on standard output");
  const command = call.toolInput.command;
  if (command.includes("boom")) throw new Error("broken");
  if (command.includes("no field") && /key/.test(call.tool_input)) return deny("never");
  if (command.includes("whole") && (JSON.stringify(call) + String(call)).includes("whole")) return deny("whole");
  if (command.includes("wrong")) return { decision: "allow" };
  if (command.includes("object")) {
    return { hookSpecificOutput: { permissionDecision: "deny", permissionDecisionReason: "as an object" } };
  }
  if (command.includes("leave")) process.exit(0);
  if (command.includes("instead")) {
    deny("another reply is returned");
    return context("instead");
  }
  if (command.includes("forgets")) deny("nobody returns it");
  if (command.includes("odd")) return deny(10n);
  if (command.includes("halt")) return stop();
  if (command.includes("said")) return output({ permissionDecision: "deny" });
  if (call.toolName === "run_shell_command" && command.includes("push")) return deny("no pushing");
});
hook.beforeTool(async (call) => {
  if (call.toolInput.command.includes("late")) return deny("too late");
  if (call.toolInput.command.includes("then throws")) throw new Error("broken, too");
  if (call.toolInput.command.includes("code 2")) process.exit(2);
  if (call.toolInput.command.includes("never")) await new Promise(() => {});
  if (call.toolInput.command.includes("callback 0")) await new Promise(() => setTimeout(() => process.exit(0)));
  if (call.toolInput.command.includes("callback 2")) await new Promise(() => setTimeout(() => process.exit(2)));
  if (/halt|said/.test(call.toolInput.command)) return allow();
  if (call.toolInput.command.includes("push")) return ask("sure?");
  if (call.toolInput.command.includes("ls")) return rewrite({ command: "ls -la" });
});
hook.beforeModel(() => output({ llm_request: { config: { temperature: 0 } } }));
hook.beforeAgent((call) => context("you are watched: " + call.prompt));
await run();
`,
);
after(() => rmSync(folder, { recursive: true }));

function start(input, worker) {
  const env = { ...process.env, HOOKLOOP_WORKER: worker ? "1" : "" };
  return spawnSync(process.execPath, [file], { input, env, encoding: "utf8", timeout: 30_000 });
}
const tool = (command, name = "run_shell_command", event = "BeforeTool") => ({
  hook_event_name: event,
  tool_name: name,
  tool_input: { command },
});
const once = (payload) => start(JSON.stringify(payload), false);

test("the strictest of several functions counts", () => {
  const { status, stdout } = once(tool("git push"));
  assert.equal(status, 0);
  assert.deepEqual(JSON.parse(stdout), { decision: "deny", reason: "no pushing" });
});

test("no opinion says nothing, and noise is no answer", () => {
  const { status, stdout, stderr } = once(tool("date"));
  assert.deepEqual([status, stdout], [0, ""]);
  assert.match(stderr, /noise/);
});

test("a failure takes no refusal back", () => {
  for (const [command, reason] of [
    ["boom late", "too late"],
    ["forgets late", "too late"],
    ["leave late", "too late"],
    ["push, never", "no pushing"],
    ["push, callback 0", "no pushing"],
    ["push, then throws", "no pushing"],
  ]) {
    const { status, stdout } = once(tool(command));
    assert.equal(status, 0, command);
    assert.deepEqual(JSON.parse(stdout), { decision: "deny", reason }, command);
  }
});

test("no refusal is lost on the way", () => {
  assert.equal(JSON.parse(once(tool("odd")).stdout).decision, "deny");
  assert.equal(JSON.parse(once(tool("halt")).stdout).continue, false);
  const forgotten = once(tool("forgets"));
  assert.deepEqual([forgotten.status, forgotten.stdout], [1, ""]);
  assert.match(forgotten.stderr, /didn't return it/);
  const said = JSON.parse(once(tool("said", "Bash", "PreToolUse")).stdout);
  assert.equal(said.hookSpecificOutput.permissionDecision, "deny");
});

test("what is thrown, and what is no reply, is a failure", () => {
  assert.equal(once(tool("boom")).status, 1);
  assert.equal(once(tool("wrong")).status, 1);
});

test("a field that a call doesn't have is a failure, not undefined", () => {
  const { status, stderr } = once(tool("no field"));
  assert.equal(status, 1);
  assert.match(stderr, /tool_input.*toolInput.*payload/s);
  assert.equal(JSON.parse(once(tool("whole")).stdout).reason, "whole");
});

test("a refusal counts however it is said", () => {
  const { stdout, stderr } = once(tool("object"));
  assert.deepEqual(JSON.parse(stdout), { decision: "deny", reason: "as an object" });
  assert.match(stderr, /returns/);
  // A failure of one function doesn't hide the exit code of another one.
  for (const command of ["code 2", "boom, code 2", "callback 2"]) {
    assert.equal(once(tool(command)).status, 2, command);
  }
});

test("what wasn't asked is reported", () => {
  for (const command of ["instead", "never", "callback 0"]) {
    const { status, stdout, stderr } = once(tool(command));
    assert.deepEqual([status, stdout], [1, ""], command);
    assert.notEqual(stderr, "", command);
  }
  assert.equal(once({ hook_event_name: "AfterTool" }).status, 1);
  const run = (text) => {
    const other = join(folder, "other.mjs");
    writeFileSync(other, `import { hook, deny, run } from ${JSON.stringify(kit)};\n${text}`);
    return spawnSync(process.execPath, [other], { input: JSON.stringify(tool("x")), encoding: "utf8" });
  };
  const misspelt = run('hook.on("BeforeTools")(() => deny("no")); await run();');
  assert.equal(misspelt.status, 1);
  assert.match(misspelt.stderr, /"BeforeTool" is meant/);
  const unasked = run('hook.beforeTool(() => deny("no"));');
  assert.equal(unasked.status, 1);
  assert.match(unasked.stderr, /run\(\)/);
  // Who left said so.
  assert.equal(run('hook.beforeTool(() => deny("no")); process.exit(2);').status, 2);
  const noisy = run('hook.beforeTool(() => deny("no")); console.log("noise"); await run();');
  assert.equal(JSON.parse(noisy.stdout).decision, "deny");
});

test("who leaves with 0 has no opinion", () => {
  const { status, stdout } = once(tool("ls, leave"));
  assert.equal(status, 0);
  assert.deepEqual(JSON.parse(stdout).hookSpecificOutput.tool_input, { command: "ls -la" });
});

test("other fields of the output can be said", () => {
  const { stdout } = once({ hook_event_name: "BeforeModel", llm_request: {} });
  assert.deepEqual(JSON.parse(stdout), {
    hookSpecificOutput: { hookEventName: "BeforeModel", llm_request: { config: { temperature: 0 } } },
  });
});

test("Claude Code reads its own words", () => {
  const specific = (command) =>
    JSON.parse(once(tool(command, "Bash", "PreToolUse")).stdout).hookSpecificOutput;
  assert.equal(specific("git push").permissionDecision, "deny");
  assert.deepEqual(specific("ls").updatedInput, { command: "ls -la" });
});

test("a worker answers a line for each event", () => {
  const lines = [
    { id: 1, payload: tool("git push") },
    { cancel: 1 },
    { id: 2, payload: tool("boom") },
    { id: 3, payload: tool("date") },
    { id: 4, payload: { hook_event_name: "BeforeAgent", prompt: "héllo" } },
  ];
  const { stdout, status } = start(lines.map((it) => JSON.stringify(it) + "\n").join(""), true);
  const frames = stdout.trim().split("\n").map((it) => JSON.parse(it));
  assert.deepEqual(frames[0], { hookloop: 1 });
  assert.equal(frames[1].reply.decision, "deny");
  assert.match(frames[2].error, /broken/);
  assert.deepEqual(frames[3], { id: 3, reply: {} });
  assert.match(frames[4].reply.hookSpecificOutput.additionalContext, /héllo/);
  assert.deepEqual([frames.length, status], [5, 0]);
});
