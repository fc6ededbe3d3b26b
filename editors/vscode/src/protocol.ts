// What the program prints with `--json`, as far as the extension reads it (schema version 1).

export type Severity = "error" | "warning" | "info";

/** A place in a configuration file. Lines and columns count from 1; a column counts Unicode characters. */
export interface Source {
  layer: string | null;
  extension: string | null;
  file: string | null;
  line: number | null;
  column: number | null;
}

export interface Problem {
  severity: Severity;
  code: string;
  message: string;
  /** The remedy, in words. */
  help: string;
  /** The right value, where there is one. */
  suggestion: string | null;
  source: Source | null;
}

export interface Checked {
  counts: { errors: number; warnings: number; infos: number };
  diagnostics: Problem[];
}

export interface Cause {
  code: string;
  message: string;
  source: Source | null;
}

export interface Hook {
  id: string;
  label: string;
  type: string;
  matcher: string | null;
  source: Source;
  status: string;
  causes: Cause[];
  /** Nothing where no tool or trigger was named, and the hook is for some only. */
  runs: boolean | null;
}

export interface Why {
  event: string;
  subject: { field: string; value: string } | null;
  hooks: Hook[];
  plan: { mode: string; hook_ids: string[] };
}

export interface Run {
  run_id: string;
  session_id: string;
  origin: string;
  event: string;
  label: string;
  source: Source | null;
  started_at: string;
  duration_ms: number;
  ending: { kind: string; exit_code: number | null; signal: string | null };
  result: string;
  failure: { kind: string; message: string } | null;
  input: unknown;
  stdout: string | null;
  stderr: string | null;
  truncated: boolean;
  reply: unknown;
  suppressed: boolean;
  lost_refusal?: boolean;
}

export interface Fired {
  event: string;
  hooks: Hook[];
  plan: { mode: string; hook_ids: string[] };
  /** The payload. */
  input: Record<string, unknown>;
  runs: Run[];
  outcome: {
    verdict: string;
    decision: string | null;
    reason: string | null;
    stop_reason: string | null;
    additional_context: string | null;
    system_messages: string[];
    changes: Record<string, unknown>;
    action: string;
  };
}

export interface Traced {
  runs: Run[];
}
