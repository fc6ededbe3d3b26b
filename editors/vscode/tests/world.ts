// A folder, a home and the real program, for tests that start it.

import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { newEditor, Uri, use, type Editor } from "./fake-vscode";

/** The program: HOOKLOOP_PROGRAM, which must be there then, else the one that was built in the repository. */
export const PROGRAM = process.env["HOOKLOOP_PROGRAM"] ?? ["debug", "demo", "release"].map((it) => resolve(__dirname, `../../../../target/${it}/hookloop`)).find(existsSync);

/** Why tests of the real program are skipped; `false` where they aren't. */
export const WITHOUT_PROGRAM =
  PROGRAM === undefined && "NOT PROVEN: there is no program; build it with `cargo build`, or name it in HOOKLOOP_PROGRAM";

export interface World {
  project: string;
  home: string;
  editor: Editor;
  write: (path: string, text: string) => string;
  /** Starts the extension. */
  activate: () => void;
  run: (command: string) => Promise<void>;
  end: () => void;
}

export function newWorld(): World {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "hookloop-vscode-")));
  const [project, home] = [join(root, "project"), join(root, "home")];
  mkdirSync(join(project, ".gemini"), { recursive: true });
  mkdirSync(join(home, ".gemini"), { recursive: true });
  const kept = { ...process.env };
  for (const name of Object.keys(process.env).filter((it) => /^(GEMINI|HOOKLOOP|XDG)_/.test(it))) {
    delete process.env[name];
  }
  Object.assign(process.env, { HOME: home, USERPROFILE: home });
  const editor = newEditor();
  editor.state.workspaceFolders = [{ uri: Uri.file(project), name: "project", index: 0 }];
  editor.state.settings.set("hookloop.path", PROGRAM);
  use(editor);
  const subscriptions: { dispose: () => void }[] = [];
  return {
    project,
    home,
    editor,
    write: (path, text) => {
      const file = join(root, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
      return file;
    },
    activate: () => {
      // Loaded here, when the fake stands in for the editor.
      // eslint-disable-next-line @typescript-eslint/no-require-imports
      const { activate } = require("../src/extension") as { activate: (context: unknown) => void };
      activate({ subscriptions });
    },
    run: (command) => {
      const work = editor.state.commands.get(command);
      if (!work) {
        throw new Error(`no command ${command}`);
      }
      return work();
    },
    end: () => {
      subscriptions.forEach((it) => it.dispose());
      process.env = kept;
      rmSync(root, { recursive: true, force: true });
    },
  };
}

/** Waits until something holds; a test that waits in vain fails with what was seen last. */
export async function until(holds: () => boolean, seen: () => unknown): Promise<void> {
  const end = Date.now() + 20_000;
  while (!holds()) {
    if (Date.now() > end) {
      throw new Error(`waited in vain: ${JSON.stringify(seen())}`);
    }
    await new Promise((go) => setTimeout(go, 20));
  }
}
