import assert from "node:assert/strict";
import { test } from "node:test";
import type { Fired, Run } from "../src/protocol";
import { countsText, firedReport, oneLine, runReport, visible } from "../src/report";

const run: Run = {
  run_id: "r1", session_id: "s1", origin: "session", event: "BeforeTool", label: "guard", source: null,
  started_at: "2026-01-01T00:00:00.000Z", duration_ms: 12.4, ending: { kind: "exited", exit_code: 2, signal: null },
  result: "refused", failure: null, input: { tool_name: "write_file" }, stdout: "", stderr: "no\u001b[2J way",
  truncated: false, reply: null, suppressed: false,
};

test("control characters and turned text become visible", () => {
  assert.equal(visible("a\u001b[2J\u202eb\n\tc\r\n"), "a\\u001b[2J\\u202eb\n\tc\n");
});

test("a label is one line without icons of its own", () => {
  assert.equal(oneLine("a\n  b $(error)"), "a b $\u200b(error)");
  assert.equal([...oneLine("😀".repeat(90), 10)].length, 10);
});

test("a run tells its result, ending and texts", () => {
  const text = runReport(run);
  for (const part of ["guard · refused", "exit code 2", "no\\u001b[2J way", '"tool_name": "write_file"']) {
    assert.ok(text.includes(part), text);
  }
});

test("what is missing from a run is said", () => {
  const text = runReport({ ...run, truncated: true, suppressed: true, lost_refusal: true, failure: { kind: "x", message: "why" } });
  for (const part of ["was cut", "isn't kept", "came too late", "failed: why"]) {
    assert.ok(text.includes(part), text);
  }
});

test("a fired event tells its outcome before all else", () => {
  const fired: Fired = {
    event: "BeforeTool", hooks: [], plan: { mode: "parallel", hook_ids: [] },
    input: { tool_name: "write_file" }, runs: [run],
    outcome: {
      verdict: "refused", decision: "deny", reason: "no way", stop_reason: null, additional_context: null,
      system_messages: ["hello"], changes: { tool_input: { a: 1 } }, action: "it doesn't run",
    },
  };
  const text = firedReport(fired);
  assert.ok(text.startsWith("BeforeTool (write_file): refused\n  it doesn't run\nreason:\n    no way\n"), text);
  for (const part of ["hello", '"tool_input"', "none is configured", "run r1"]) {
    assert.ok(text.includes(part), text);
  }
});

test("counts are words", () => {
  const checked = (errors: number, warnings: number) => ({ counts: { errors, warnings, infos: 3 }, diagnostics: [] });
  assert.equal(countsText([checked(1, 0), checked(1, 1)]), "2 errors, 1 warning");
  assert.equal(countsText([checked(0, 0)]), "");
});
