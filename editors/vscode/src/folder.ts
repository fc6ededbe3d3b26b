// One folder of the workspace: what `hooks check` says of it, and the runs of its hooks.

import * as vscode from "vscode";
import { ask, findProgram, follow, PATIENCE } from "./program";
import type { Checked, Run, Traced } from "./protocol";

/** How many of the last runs are kept. */
export const KEPT_RUNS = 30;
/** How long to wait before the trace is followed again after it ended, in milliseconds; doubled each time. */
const FOLLOW_AGAIN = 5_000;
const FOLLOW_TRIES = 6;

export function settingsOf(folder: vscode.WorkspaceFolder): vscode.Uri {
  return vscode.Uri.joinPath(folder.uri, ".gemini", "settings.json");
}

/** The program that the settings name for a folder. */
export function programFor(folder: vscode.WorkspaceFolder): string {
  const setting = vscode.workspace.getConfiguration("hookloop", folder.uri).get<string>("path", "hookloop");
  return findProgram(setting);
}

export class Folder {
  checked: Checked | undefined;
  /** Why the folder couldn't be checked. */
  trouble: string | undefined;
  /** Why runs aren't followed. */
  followTrouble: string | undefined;
  /** The last runs, oldest first. */
  runs: Run[] = [];

  private checking: Promise<void> | undefined;
  private again = false;
  private following: { stop: () => void } | undefined;
  private timer: NodeJS.Timeout | undefined;
  private tries = 0;
  private readonly ended = new AbortController();

  constructor(
    readonly folder: vscode.WorkspaceFolder,
    private readonly changed: () => void | Promise<void>,
    private readonly log: (text: string) => void,
  ) {}

  /** Checks the folder. Asked for while a check runs, it is checked once more after that. */
  check(): Promise<void> {
    if (this.checking) {
      this.again = true;
      return this.checking;
    }
    this.checking = this.checkAll().finally(() => {
      this.checking = undefined;
    });
    return this.checking;
  }

  private async checkAll(): Promise<void> {
    do {
      this.again = false;
      try {
        const asking = { folder: this.folder.uri.fsPath, patience: PATIENCE, signal: this.ended.signal };
        this.checked = await ask<Checked>(programFor(this.folder), ["check"], asking);
        this.trouble = undefined;
      } catch (error) {
        // What was found before may no longer be true, and must not look as if it were.
        this.checked = undefined;
        this.trouble = String((error as Error).message);
        this.log(`${this.folder.name}: ${this.trouble}`);
      }
    } while (this.again && !this.ended.signal.aborted);
    if (!this.ended.signal.aborted) {
      await this.changed();
    }
  }

  /** Follows the runs from now on, after the last ones so far. */
  followRuns(): void {
    this.stopFollowing();
    if (this.ended.signal.aborted || !vscode.workspace.getConfiguration("hookloop", this.folder.uri).get("followRuns", true)) {
      return;
    }
    try {
      const program = programFor(this.folder);
      this.followTrouble = undefined;
      this.following = follow<Run>(program, this.folder.uri.fsPath, (run) => this.take([run]), (said) => this.lost(said));
      void this.readRuns().catch((error: Error) => this.log(`${this.folder.name}: ${error.message}`));
    } catch (error) {
      this.followTrouble = String((error as Error).message);
    }
  }

  /** Reads the last runs from the trace. */
  async readRuns(): Promise<void> {
    const words = ["trace", "--last", String(KEPT_RUNS)];
    const asking = { folder: this.folder.uri.fsPath, patience: PATIENCE, signal: this.ended.signal };
    const traced = await ask<Traced>(programFor(this.folder), words, asking);
    this.take(traced.runs);
  }

  private take(runs: Run[]): void {
    const known = new Map([...runs, ...this.runs].map((run) => [run.run_id, run]));
    const sorted = [...known.values()].sort((a, b) => a.started_at.localeCompare(b.started_at));
    this.runs = sorted.slice(-KEPT_RUNS);
    this.tries = 0;
    void this.changed();
  }

  private lost(said: string): void {
    this.following = undefined;
    this.followTrouble = `runs aren't followed: ${said}`;
    this.log(`${this.folder.name}: ${this.followTrouble}`);
    if (this.tries < FOLLOW_TRIES) {
      this.timer = setTimeout(() => this.followRuns(), FOLLOW_AGAIN * 2 ** this.tries);
      this.tries += 1;
    }
    void this.changed();
  }

  private stopFollowing(): void {
    clearTimeout(this.timer);
    this.following?.stop();
    this.following = undefined;
  }

  dispose(): void {
    this.ended.abort();
    this.stopFollowing();
  }
}
