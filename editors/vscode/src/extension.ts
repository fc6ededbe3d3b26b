// Wires everything up. In a workspace that nobody has trusted no program is started.

import * as vscode from "vscode";
import { Commands, REPORTS, Reports, told } from "./commands";
import { Folder, settingsOf } from "./folder";
import { byFile, type HookProblem, Remedies, withoutTwins } from "./problems";
import { Status } from "./status";

/** Files that decide which hooks run, or are hooks of the project. */
const WATCHED = ["**/.gemini/**", "**/hooks/hooks.json", "**/gemini-extension.json"];
/** How long files must be left alone before the folder is checked again, in milliseconds. */
const QUIET = 300;

class Workspace {
  private readonly status = new Status();
  private readonly problems = vscode.languages.createDiagnosticCollection("hookloop");
  private readonly output = vscode.window.createOutputChannel("Hookloop");
  private readonly reports = new Reports();
  private readonly commands = new Commands(() => this.folders, this.reports);
  private folders: Folder[] = [];
  private waiting: NodeJS.Timeout | undefined;
  private complaint: string | undefined;
  private shown = 0;

  private readonly log = (text: string): void => this.output.appendLine(`${new Date().toISOString()} ${text}`);

  start(context: vscode.ExtensionContext): void {
    const { subscriptions } = context;
    const command = (name: string, work: () => Promise<void>): void => {
      subscriptions.push(vscode.commands.registerCommand(name, () => this.trusted(work)));
    };
    command("hookloop.check", () => this.commands.check());
    command("hookloop.why", () => this.commands.why());
    command("hookloop.fire", () => this.commands.fire());
    command("hookloop.runs", () => this.commands.runs());
    command("hookloop.review", () => this.commands.inTerminal("review"));
    command("hookloop.trust", () => this.commands.inTerminal("trust"));
    const files = [{ language: "json" }, { language: "jsonc" }].map((it) => ({ ...it, scheme: "file" }));
    const remedies = new Remedies((uri) => this.problems.get(uri) ?? []);
    subscriptions.push(
      this.status,
      this.problems,
      this.output,
      vscode.commands.registerCommand("hookloop.output", () => this.output.show()),
      vscode.workspace.registerTextDocumentContentProvider(REPORTS, this.reports),
      vscode.languages.registerCodeActionsProvider(files, remedies, { providedCodeActionKinds: Remedies.kinds }),
      vscode.workspace.onDidGrantWorkspaceTrust(() => this.open()),
      vscode.workspace.onDidChangeWorkspaceFolders(() => this.open()),
      vscode.workspace.onDidChangeConfiguration((change) => change.affectsConfiguration("hookloop") && this.open()),
      { dispose: () => this.close() },
    );
    for (const pattern of WATCHED) {
      const watcher = vscode.workspace.createFileSystemWatcher(pattern);
      const soon = (): void => this.checkSoon();
      subscriptions.push(watcher, watcher.onDidChange(soon), watcher.onDidCreate(soon), watcher.onDidDelete(soon));
    }
    this.open();
  }

  private trusted(work: () => Promise<void>): Promise<void> {
    return told(async () => {
      if (!vscode.workspace.isTrusted) {
        throw new Error("this workspace isn't trusted, so no program is started here.");
      }
      await work();
    }, this.log);
  }

  /** Begins anew with the folders and settings of now. */
  private open(): void {
    this.close();
    if (!vscode.workspace.isTrusted) {
      this.status.restricted();
      return;
    }
    const onDisk = (vscode.workspace.workspaceFolders ?? []).filter((it) => it.uri.scheme === "file");
    this.folders = onDisk.map((it) => new Folder(it, () => this.show(), this.log));
    this.status.show(this.folders);
    for (const folder of this.folders) {
      void folder.check();
      folder.followRuns();
    }
  }

  private close(): void {
    clearTimeout(this.waiting);
    for (const folder of this.folders) {
      folder.dispose();
    }
    this.folders = [];
    this.problems.clear();
  }

  private checkSoon(): void {
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => this.folders.forEach((it) => void it.check()), QUIET);
  }

  private async show(): Promise<void> {
    this.shown += 1;
    const turn = this.shown;
    this.status.show(this.folders);
    const all = new Map<string, HookProblem[]>();
    for (const { checked, folder } of this.folders) {
      for (const [file, found] of await byFile(checked?.diagnostics ?? [], settingsOf(folder))) {
        all.set(file, withoutTwins([...(all.get(file) ?? []), ...found]));
      }
    }
    if (turn !== this.shown) {
      return; // something newer is on its way
    }
    this.problems.clear();
    this.problems.set([...all].map(([file, found]) => [vscode.Uri.parse(file), found]));
    this.complain();
  }

  /** Says once, and again only when it changes, why folders can't be checked. */
  private complain(): void {
    const trouble = this.folders.find((it) => it.trouble !== undefined)?.trouble;
    if (trouble !== undefined && trouble !== this.complaint) {
      void vscode.window.showWarningMessage(`Hookloop: hooks aren't checked. ${trouble}`, "Open Settings").then((chosen) => {
        if (chosen !== undefined) {
          void vscode.commands.executeCommand("workbench.action.openSettings", "hookloop.path");
        }
      });
    }
    this.complaint = trouble;
  }
}

export function activate(context: vscode.ExtensionContext): void {
  new Workspace().start(context);
}
