// The commands: what they ask for, and how they show what came of it.

import * as vscode from "vscode";
import { EVENTS, type EventChoice } from "./events";
import { programFor, type Folder } from "./folder";
import { ask, Cancelled, PATIENCE } from "./program";
import type { Fired, Hook, Run, Source, Why } from "./protocol";
import { endingText, firedReport, oneLine, placeText, runReport, visible, whyText } from "./report";

/** The scheme of documents that show what came of a command. */
export const REPORTS = "hookloop-report";
/** How many reports stay open for reading. */
const KEPT_REPORTS = 20;

/** Documents that only show something. */
export class Reports implements vscode.TextDocumentContentProvider {
  private readonly texts = new Map<string, string>();
  private count = 0;

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.path) ?? "This report is no longer kept. Run the command again.\n";
  }

  async open(title: string, text: string): Promise<void> {
    this.count += 1;
    const path = `/${this.count}/${title.replace(/[^\w.-]+/gu, "-")}.txt`;
    this.texts.set(path, text);
    for (const old of [...this.texts.keys()].slice(0, -KEPT_REPORTS)) {
      this.texts.delete(old);
    }
    const document = await vscode.workspace.openTextDocument(vscode.Uri.from({ scheme: REPORTS, path }));
    await vscode.window.showTextDocument(document, { preview: true });
  }
}

async function goTo(source: Source | null): Promise<void> {
  if (!source?.file) {
    return;
  }
  const document = await vscode.workspace.openTextDocument(vscode.Uri.file(source.file));
  const place = new vscode.Position(Math.max((source.line ?? 1) - 1, 0), Math.max((source.column ?? 1) - 1, 0));
  await vscode.window.showTextDocument(document, { selection: new vscode.Range(place, place) });
}

interface Item<Value> extends vscode.QuickPickItem {
  value: Value;
}

async function pickEvent(): Promise<EventChoice | undefined> {
  const items: Item<EventChoice>[] = EVENTS.map((value) => ({ label: value.name, description: value.detail, value }));
  return (await vscode.window.showQuickPick(items, { title: "Hookloop: the event", matchOnDescription: true }))?.value;
}

/** The words that name a tool or trigger; nothing when the person went away. */
async function pickSubject(event: EventChoice): Promise<string[] | undefined> {
  if (!event.subject) {
    return [];
  }
  const { option, values } = event.subject;
  const what = option === "--tool" ? "tool" : "trigger";
  const items: Item<string | null>[] = [
    { label: `Any ${what}`, description: "leave it open", value: "" },
    ...values.map((value) => ({ label: value, value })),
    ...(option === "--tool" ? [{ label: "Another tool…", description: "such as an MCP server's", value: null }] : []),
  ];
  const picked = await vscode.window.showQuickPick(items, { title: `Hookloop: the ${what} of ${event.name}` });
  if (!picked) {
    return undefined;
  }
  const name =
    picked.value ?? (await vscode.window.showInputBox({ title: "Hookloop: the tool", placeHolder: "mcp__server__tool" }))?.trim();
  if (name === undefined) {
    return undefined;
  }
  return name === "" ? [] : [`${option}=${name}`];
}

interface Given {
  words: string[];
  input?: string;
}

/** Where the payload comes from; nothing when the person went away. */
async function pickInput(folder: Folder): Promise<Given | undefined> {
  const editor = vscode.window.activeTextEditor;
  const pattern = new vscode.RelativePattern(folder.folder, "**/*payload*.json");
  const files = await vscode.workspace.findFiles(pattern, "**/node_modules/**", 20);
  const items: Item<"realistic" | "editor" | "text" | "other" | vscode.Uri>[] = [
    { label: "A realistic payload", description: "made up by the program", value: "realistic" },
    { label: "JSON, typed here", description: "its keys replace those of the payload", value: "text" },
    ...(editor && /^jsonc?$/u.test(editor.document.languageId)
      ? [{ label: "The text of the active editor", description: oneLine(editor.document.fileName), value: "editor" as const }]
      : []),
    ...files.map((uri) => ({ label: vscode.workspace.asRelativePath(uri), description: "a file of the workspace", value: uri })),
    { label: "Another file…", value: "other" },
  ];
  const picked = await vscode.window.showQuickPick(items, { title: "Hookloop: the payload" });
  switch (picked?.value) {
    case undefined:
      return undefined;
    case "realistic":
      return { words: [] };
    case "editor":
      return editor && { words: ["--input=-"], input: editor.document.getText() };
    case "text": {
      const text = await vscode.window.showInputBox({
        title: "Hookloop: JSON",
        placeHolder: '{"tool_input": {"command": "rm -rf build"}}',
        validateInput: notJson,
      });
      return text === undefined ? undefined : { words: ["--input=-"], input: text };
    }
    case "other": {
      const [file] = (await vscode.window.showOpenDialog({ filters: { JSON: ["json"] } })) ?? [];
      return file && { words: [`--input=@${file.fsPath}`] };
    }
    default:
      return { words: [`--input=@${picked?.value.fsPath}`] };
  }
}

function notJson(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

export class Commands {
  constructor(
    private readonly folders: () => readonly Folder[],
    private readonly reports: Reports,
  ) {}

  /** The folder that is meant: the only one, that of the active editor, or the one that the person picks. */
  private async folder(): Promise<Folder | undefined> {
    const folders = this.folders();
    if (folders.length === 0) {
      void vscode.window.showInformationMessage("Hookloop: open a folder on disk first.");
      return undefined;
    }
    const active = vscode.window.activeTextEditor?.document.uri;
    const own = active && vscode.workspace.getWorkspaceFolder(active);
    const found = folders.length === 1 ? folders[0] : folders.find((it) => it.folder.uri.toString() === own?.uri.toString());
    if (found) {
      return found;
    }
    const items: Item<Folder>[] = folders.map((value) => ({ label: value.folder.name, value }));
    return (await vscode.window.showQuickPick(items, { title: "Hookloop: the folder" }))?.value;
  }

  async check(): Promise<void> {
    await Promise.all(this.folders().map((it) => it.check()));
    const trouble = this.folders().find((it) => it.trouble !== undefined)?.trouble;
    if (trouble !== undefined) {
      throw new Error(trouble);
    }
  }

  async why(): Promise<void> {
    const folder = await this.folder();
    const event = folder && (await pickEvent());
    const subject = event && (await pickSubject(event));
    if (!folder || !event || !subject) {
      return;
    }
    const asking = { folder: folder.folder.uri.fsPath, patience: PATIENCE };
    const why = await ask<Why>(programFor(folder.folder), ["why", event.name, ...subject], asking);
    const items: Item<Hook>[] = why.hooks.map((value) => ({
      label: `$(${value.runs === true ? "check" : value.runs === null ? "question" : "circle-slash"}) ${oneLine(value.label)}`,
      description: oneLine(placeText(value.source), 200),
      detail: oneLine(whyText(value), 300),
      value,
    }));
    const of = why.subject ? `${event.name} of ${why.subject.value}` : event.name;
    if (items.length === 0) {
      void vscode.window.showInformationMessage(`Hookloop: no hook is configured for ${event.name}.`);
      return;
    }
    const title = `Hookloop: ${of}: ${why.plan.hook_ids.length} of ${items.length} run, ${why.plan.mode}`;
    const picked = await vscode.window.showQuickPick(items, { title, matchOnDetail: true, placeHolder: "Choose one to see where it stands" });
    await goTo(picked?.value.source ?? null);
  }

  async fire(): Promise<void> {
    const folder = await this.folder();
    const event = folder && (await pickEvent());
    const subject = event && (await pickSubject(event));
    const given = folder && subject && (await pickInput(folder));
    if (!folder || !event || !subject || !given) {
      return;
    }
    const words = ["fire", event.name, ...subject, ...given.words];
    const options = { location: vscode.ProgressLocation.Notification, title: `Hookloop: ${event.name} is fired`, cancellable: true };
    const fired = await vscode.window.withProgress(options, async (_, token) => {
      const stop = new AbortController();
      token.onCancellationRequested(() => stop.abort());
      const asking = { folder: folder.folder.uri.fsPath, input: given.input, signal: stop.signal };
      return ask<Fired>(programFor(folder.folder), words, asking);
    });
    await this.reports.open(`fire ${event.name}`, firedReport(fired));
  }

  async runs(): Promise<void> {
    const folder = await this.folder();
    if (!folder) {
      return;
    }
    await folder.readRuns();
    const items: Item<Run>[] = [...folder.runs].reverse().map((value) => ({
      label: `$(${value.result === "proceed" ? "pass" : value.result === "failed" ? "error" : "circle-slash"}) ${oneLine(value.label)}`,
      description: `${value.event} · ${value.result} · ${Math.round(value.duration_ms)} ms · ${endingText(value)}`,
      detail: `${new Date(value.started_at).toLocaleString()}${value.failure ? `, ${oneLine(value.failure.message, 200)}` : ""}`,
      value,
    }));
    if (items.length === 0) {
      void vscode.window.showInformationMessage("Hookloop: no run of a hook is recorded for this folder.");
      return;
    }
    const picked = await vscode.window.showQuickPick(items, { title: "Hookloop: the last runs", matchOnDescription: true });
    if (picked) {
      await this.reports.open(`run ${picked.value.label}`, runReport(picked.value));
    }
  }

  /** Runs one of the commands that ask questions of their own, in a terminal that stays open. */
  async inTerminal(verb: "review" | "trust"): Promise<void> {
    const folder = await this.folder();
    if (!folder) {
      return;
    }
    const execution = new vscode.ProcessExecution(programFor(folder.folder), ["hooks", verb], { cwd: folder.folder.uri.fsPath });
    const task = new vscode.Task({ type: "hookloop", verb }, folder.folder, `hooks ${verb}`, "Hookloop", execution, []);
    task.presentationOptions = { reveal: vscode.TaskRevealKind.Always, focus: true, clear: true };
    await vscode.tasks.executeTask(task);
  }
}

/** Does what a command does, and tells the person what stood in its way. */
export async function told(work: () => Promise<void>, log: (text: string) => void): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof Cancelled)) {
      const message = visible(String((error as Error).message));
      log(message);
      void vscode.window.showErrorMessage(`Hookloop: ${message}`);
    }
  }
}
