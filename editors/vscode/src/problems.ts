// What `hooks check` finds, as problems of the editor, and its remedies as quick fixes.

import * as vscode from "vscode";
import { replacement, spanAt } from "./place";
import type { Problem } from "./protocol";
import { visible } from "./report";

/** A problem of the editor that keeps what the program said. */
export class HookProblem extends vscode.Diagnostic {
  constructor(
    range: vscode.Range,
    readonly problem: Problem,
  ) {
    super(range, visible(`${problem.message}\n${problem.help}`), severity(problem));
    this.source = "hookloop";
    this.code = problem.code;
  }
}

function severity(problem: Problem): vscode.DiagnosticSeverity {
  switch (problem.severity) {
    case "error":
      return vscode.DiagnosticSeverity.Error;
    case "warning":
      return vscode.DiagnosticSeverity.Warning;
    default:
      return vscode.DiagnosticSeverity.Information;
  }
}

async function rangeOf(uri: vscode.Uri, line: number | null, column: number | null): Promise<vscode.Range> {
  if (line === null || column === null) {
    return new vscode.Range(0, 0, 0, 0);
  }
  // The program read the file on disk, so its places are those of that text.
  let text = "";
  try {
    text = new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
  } catch {
    // A file that can't be read is one of the things that are reported.
  }
  const span = spanAt(text, line, column);
  return new vscode.Range(span.line, span.start, span.line, span.end);
}

/** Sorts problems by their files. Those without a file stand at `without`. */
export async function byFile(problems: Problem[], without: vscode.Uri): Promise<Map<string, HookProblem[]>> {
  const sorted = new Map<string, HookProblem[]>();
  for (const problem of problems) {
    const uri = problem.source?.file ? vscode.Uri.file(problem.source.file) : without;
    const range = await rangeOf(uri, problem.source?.line ?? null, problem.source?.column ?? null);
    const key = uri.toString();
    sorted.set(key, [...(sorted.get(key) ?? []), new HookProblem(range, problem)]);
  }
  return sorted;
}

/** Problems of files that several folders share, such as those of the user, are told once. */
export function withoutTwins(problems: HookProblem[]): HookProblem[] {
  const known = new Set<string>();
  return problems.filter((it) => {
    const { code, message, source } = it.problem;
    const key = JSON.stringify([code, message, source?.line, source?.column]);
    return !known.has(key) && known.add(key);
  });
}

/** Quick fixes: the suggestion in place of what is marked, and the program's own questions about trust. */
export class Remedies implements vscode.CodeActionProvider {
  static readonly kinds = [vscode.CodeActionKind.QuickFix];

  constructor(private readonly problems: (uri: vscode.Uri) => readonly vscode.Diagnostic[]) {}

  provideCodeActions(document: vscode.TextDocument, range: vscode.Range): vscode.CodeAction[] {
    const here = this.problems(document.uri).filter((it): it is HookProblem => it instanceof HookProblem);
    return here.filter((it) => it.range.intersection(range)).flatMap((it) => actions(document, it));
  }
}

function actions(document: vscode.TextDocument, found: HookProblem): vscode.CodeAction[] {
  const { code, suggestion } = found.problem;
  if (code.startsWith("untrusted")) {
    return [command(found, "Review hooks in a terminal", "hookloop.review"), command(found, "Trust hooks in a terminal", "hookloop.trust")];
  }
  if (suggestion === null) {
    return [];
  }
  const marked = document.getText(found.range);
  const text = replacement(marked, suggestion, found.problem.message);
  // An edited file no longer holds what was checked: what stands there now may be something else.
  if (text === undefined || document.isDirty) {
    return [];
  }
  const action = new vscode.CodeAction(`Replace ${marked} with ${text}`, vscode.CodeActionKind.QuickFix);
  action.edit = new vscode.WorkspaceEdit();
  action.edit.replace(document.uri, found.range, text);
  action.diagnostics = [found];
  action.isPreferred = true;
  return [action];
}

function command(found: HookProblem, title: string, name: string): vscode.CodeAction {
  const action = new vscode.CodeAction(title, vscode.CodeActionKind.QuickFix);
  action.command = { title, command: name };
  action.diagnostics = [found];
  return action;
}
