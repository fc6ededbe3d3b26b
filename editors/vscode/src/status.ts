// The status bar: whether hooks are on, what is wrong with them, and what ran last.

import * as vscode from "vscode";
import type { Folder } from "./folder";
import { countsText, oneLine, runTitle } from "./report";

/** How many runs the tooltip shows. */
const SHOWN_RUNS = 8;

export class Status {
  private readonly item: vscode.StatusBarItem;

  constructor() {
    this.item = vscode.window.createStatusBarItem("hookloop.status", vscode.StatusBarAlignment.Left, 0);
    this.item.name = "Hookloop";
  }

  /** Says that nothing is started here, since nobody has trusted the workspace. */
  restricted(): void {
    this.set("$(shield) Hookloop: restricted", "workbench.trust.manage");
    this.item.tooltip = "This workspace isn't trusted, so Hookloop starts no program here: nothing is checked.";
    this.item.show();
  }

  show(folders: readonly Folder[]): void {
    if (folders.length === 0) {
      this.item.hide();
      return;
    }
    const trouble = folders.find((it) => it.trouble !== undefined);
    const checked = folders.flatMap((it) => it.checked ?? []);
    const off = checked.some((it) => it.diagnostics.some((problem) => problem.code === "hooks_off"));
    const found = countsText(checked);
    const last = folders.flatMap((it) => it.runs.slice(-1)).sort((a, b) => a.started_at.localeCompare(b.started_at)).pop();
    if (trouble) {
      this.set("$(error) Hookloop: not checked", "hookloop.output", "statusBarItem.errorBackground");
    } else if (off) {
      this.set("$(circle-slash) Hookloop: hooks are off", "workbench.actions.view.problems", "statusBarItem.warningBackground");
    } else if (checked.some((it) => it.counts.errors > 0)) {
      this.set(`$(error) Hookloop: ${found}`, "workbench.actions.view.problems", "statusBarItem.errorBackground");
    } else {
      const parts = [found, last ? `${oneLine(last.label, 24)} ${last.result}` : ""].filter((part) => part !== "");
      this.set(`$(${found ? "warning" : "shield"}) Hookloop${parts.length > 0 ? `: ${parts.join(" · ")}` : ""}`, "hookloop.runs");
    }
    this.item.tooltip = tooltip(folders, off);
    this.item.show();
  }

  private set(text: string, command: string, background?: string): void {
    this.item.text = text;
    this.item.command = command;
    this.item.backgroundColor = background === undefined ? undefined : new vscode.ThemeColor(background);
  }

  dispose(): void {
    this.item.dispose();
  }
}

function tooltip(folders: readonly Folder[], off: boolean): vscode.MarkdownString {
  // Texts of hooks are appended as text: they are nobody's Markdown.
  const text = new vscode.MarkdownString();
  const line = (said: string): void => void text.appendText(said).appendMarkdown("\n\n");
  if (off) {
    line("Hooks are turned off: see the problems.");
  }
  for (const folder of folders) {
    const checked = folder.checked ? [folder.checked] : [];
    line(`${folder.folder.name}: ${folder.trouble ?? (countsText(checked) || (checked.length > 0 ? "nothing to complain about" : "being checked"))}`);
    if (folder.followTrouble) {
      line(oneLine(folder.followTrouble, 200));
    }
    for (const run of folder.runs.slice(-SHOWN_RUNS).reverse()) {
      line(`${runTitle(run)}, ${Math.round(run.duration_ms)} ms`);
    }
  }
  return text;
}
