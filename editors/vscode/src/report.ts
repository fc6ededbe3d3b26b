// What people read. Texts of hooks and files are shown as they are, but control characters aren't.

import type { Checked, Fired, Hook, Run, Source } from "./protocol";

/** Makes control characters visible, other than line breaks and tabs. */
export function visible(text: string): string {
  return text.replace(/\r\n/g, "\n").replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, (sign) => {
    return `\\u${(sign.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`;
  });
}

/** One line for a label, in which nothing is taken for an icon. */
export function oneLine(text: string, limit = 60): string {
  const line = visible(text).replace(/\s+/g, " ").replace(/\$\(/g, "$\u200b(").trim();
  const signs = [...line];
  return signs.length <= limit ? line : `${signs.slice(0, limit - 1).join("")}…`;
}

export function placeText(source: Source | null): string {
  if (!source?.file) {
    return "";
  }
  return source.line === null ? source.file : `${source.file}:${source.line}:${source.column ?? 1}`;
}

/** Why a hook runs, or doesn't, in one line. */
export function whyText(hook: Hook): string {
  const causes = hook.causes.map((cause) => cause.message).join("; ");
  if (hook.runs === true) {
    return causes ? `runs; ${causes}` : "runs";
  }
  return hook.runs === null ? `may run: ${causes}` : `doesn't run: ${causes}`;
}

export function endingText(run: Run): string {
  const { kind, exit_code: code, signal } = run.ending;
  switch (kind) {
    case "exited":
      return `exit code ${code ?? "unknown"}`;
    case "signalled":
      return signal ?? "ended by a signal";
    case "timed_out":
      return "timed out";
    case "not_started":
      return "couldn't start";
    default:
      return kind;
  }
}

export function runTitle(run: Run): string {
  return `${run.event} · ${oneLine(run.label)} · ${run.result}`;
}

function block(title: string, value: unknown): string[] {
  if (value === null || value === undefined || value === "") {
    return [];
  }
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
  const lines = visible(text).trimEnd().split("\n");
  return [`${title}:`, ...lines.map((line) => `    ${line}`)];
}

/** One run in full. */
export function runReport(run: Run): string {
  const lines = [
    runTitle(run),
    `  ${run.started_at}, ${Math.round(run.duration_ms)} ms, ${endingText(run)}, ${run.origin}`,
    `  ${placeText(run.source)}`,
    `  run ${run.run_id}, session ${run.session_id}`,
  ];
  if (run.failure) {
    lines.push(`  failed: ${visible(run.failure.message)}`);
  }
  if (run.lost_refusal) {
    lines.push("  its refusal came too late, or at an event that can't be refused");
  }
  if (run.truncated) {
    lines.push("  its output was longer than the cap, and was cut");
  }
  if (run.suppressed) {
    lines.push("  what it read and wrote isn't kept, since it asked for that");
  }
  lines.push(...block("input", run.input), ...block("standard output", run.stdout));
  lines.push(...block("standard error", run.stderr), ...block("reply", run.reply));
  return `${lines.join("\n")}\n`;
}

/** What came of an event that was fired. */
export function firedReport(fired: Fired): string {
  const tool = fired.input["tool_name"];
  const subject = typeof tool === "string" ? ` (${oneLine(tool)})` : "";
  const { outcome } = fired;
  const lines = [`${fired.event}${subject}: ${outcome.verdict}`, `  ${visible(outcome.action)}`];
  lines.push(...block("reason", outcome.reason), ...block("stop reason", outcome.stop_reason));
  lines.push(...block("added context", outcome.additional_context));
  for (const message of outcome.system_messages) {
    lines.push(...block("message", message));
  }
  if (Object.keys(outcome.changes).length > 0) {
    lines.push(...block("changes", outcome.changes));
  }
  lines.push("", `hooks (${fired.plan.mode}):`);
  lines.push(...fired.hooks.map((hook) => `  ${oneLine(hook.label)}: ${visible(whyText(hook))} — ${placeText(hook.source)}`));
  if (fired.hooks.length === 0) {
    lines.push("  none is configured for this event");
  }
  const runs = fired.runs.map((run) => `\n${runReport(run)}`).join("");
  return `${lines.join("\n")}\n${runs}\n${block("payload", fired.input).join("\n")}\n`;
}

const some = (count: number, word: string): string => `${count} ${word}${count === 1 ? "" : "s"}`;

/** What the status bar says of one or more checked folders. */
export function countsText(checked: Checked[]): string {
  const sum = (of: (one: Checked) => number): number => checked.reduce((total, one) => total + of(one), 0);
  const errors = sum((one) => one.counts.errors);
  const warnings = sum((one) => one.counts.warnings);
  const parts = [errors > 0 ? some(errors, "error") : "", warnings > 0 ? some(warnings, "warning") : ""];
  return parts.filter((part) => part !== "").join(", ");
}
