// The program: where it is, and what it answers. Nothing here knows of the editor.

import { spawn, type ChildProcess } from "node:child_process";
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { homedir } from "node:os";

/** Something that stands between a question to the program and its answer; the text is for people. */
export class Trouble extends Error {}

/** The question was taken back. */
export class Cancelled extends Trouble {}

/** How long a question may take, unless it runs hooks, in milliseconds. */
export const PATIENCE = 60_000;
/** How much of an answer is read, in bytes. */
const CAP = 64 * 1024 * 1024;

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/**
 * Finds the program. The search is done here since the system's looks into the working folder first on
 * Windows, and an empty or relative entry of the PATH would do the same elsewhere.
 */
export function findProgram(setting: string, environment: NodeJS.ProcessEnv = process.env): string {
  const given = setting.trim() || "hookloop";
  const path = /^~[/\\]/.test(given) ? join(homedir(), given.slice(2)) : given;
  const endings = process.platform === "win32" && !/\.exe$/i.test(path) ? [".exe"] : [""];
  if (isAbsolute(path)) {
    const found = endings.map((ending) => path + ending).find(isProgram);
    if (found === undefined) {
      throw new Trouble(`${path} isn't a program that can be started. Correct the setting "hookloop.path".`);
    }
    return found;
  }
  if (/[/\\]/.test(path)) {
    throw new Trouble(
      `The setting "hookloop.path" is "${given}": write a name that is on the PATH, or an absolute path.`,
    );
  }
  const name = Object.keys(environment).find((key) => key.toUpperCase() === "PATH") ?? "PATH";
  for (const folder of (environment[name] ?? "").split(delimiter).filter(isAbsolute)) {
    for (const ending of endings) {
      if (isProgram(join(folder, path + ending))) {
        return join(folder, path + ending);
      }
    }
  }
  throw new Trouble(
    `There is no "${path}" on the PATH. Install Hookloop, or say where it is with the setting "hookloop.path".`,
  );
}

export interface Asking {
  /** The program's working folder. */
  folder: string;
  /** What it reads on its standard input. */
  input?: string | undefined;
  /** Takes the question back. */
  signal?: AbortSignal | undefined;
  /** How long it may take, in milliseconds; without it as long as the program takes. */
  patience?: number | undefined;
}

/** Starts the program without a shell. */
export function start(program: string, words: string[], folder: string): ChildProcess {
  return spawn(program, words, { cwd: folder, shell: false, windowsHide: true, stdio: "pipe" });
}

function collect(child: ChildProcess, asking: Asking): Promise<{ code: number | null; out: string; told: string }> {
  return new Promise((resolve, reject) => {
    const out: Buffer[] = [];
    const told: Buffer[] = [];
    let size = 0;
    const end = (trouble: Trouble): void => {
      child.kill();
      reject(trouble);
    };
    const timer =
      asking.patience === undefined
        ? undefined
        : setTimeout(() => end(new Trouble(`Hookloop gave no answer in ${asking.patience} ms.`)), asking.patience);
    asking.signal?.addEventListener("abort", () => end(new Cancelled("Cancelled.")), { once: true });
    const take = (into: Buffer[]) => (part: Buffer) => {
      size += part.length;
      if (size > CAP) {
        end(new Trouble(`Hookloop's answer is longer than ${CAP} bytes; nothing of it was used.`));
      } else {
        into.push(part);
      }
    };
    child.stdout?.on("data", take(out));
    child.stderr?.on("data", take(told));
    child.stdin?.on("error", () => undefined); // it ended without reading; its exit tells why
    child.stdin?.end(asking.input ?? "");
    child.on("error", (error) => {
      clearTimeout(timer);
      reject(new Trouble(`Hookloop can't be started: ${error.message}`));
    });
    child.on("close", (code) => {
      clearTimeout(timer);
      const text = (parts: Buffer[]): string => Buffer.concat(parts).toString("utf8");
      resolve({ code, out: text(out), told: text(told) });
    });
  });
}

/** Runs one of the `hooks` commands with `--json`, and returns the object that it prints. */
export async function ask<Answer>(program: string, words: string[], asking: Asking): Promise<Answer> {
  if (asking.signal?.aborted) {
    throw new Cancelled("Cancelled.");
  }
  const child = start(program, ["hooks", ...words, "--json"], asking.folder);
  const { code, out, told } = await collect(child, asking);
  if (out.trim() === "") {
    const said = told.trim() || `it ended with ${code === null ? "a signal" : `exit code ${code}`}, and said nothing`;
    throw new Trouble(`\`hookloop hooks ${words[0]}\`: ${said}`);
  }
  let answer: unknown;
  try {
    answer = JSON.parse(out);
  } catch {
    throw new Trouble(`\`${program} hooks ${words[0]}\` prints no JSON: is it Hookloop? It ended with exit code ${code}.`);
  }
  const { schema_version: version, error } = answer as { schema_version?: unknown; error?: { message: string } };
  if (version !== 1) {
    throw new Trouble(`This extension reads version 1 of Hookloop's output, and ${program} prints version ${String(version)}.`);
  }
  if (error) {
    throw new Trouble(`\`hookloop hooks ${words[0]}\`: ${error.message}`);
  }
  return answer as Answer;
}

/**
 * Reads the runs of hooks as they come, until `stop`. `ended` is called once if the program ends by
 * itself, with what it said.
 */
export function follow<Line>(
  program: string,
  folder: string,
  took: (line: Line) => void,
  ended: (said: string) => void,
): { stop: () => void } {
  const child = start(program, ["hooks", "trace", "--follow", "--json"], folder);
  let rest = "";
  let told = "";
  let stopped = false;
  const finish = (said: string): void => {
    if (!stopped) {
      stopped = true;
      ended(said);
    }
  };
  child.stdin?.on("error", () => undefined);
  child.stdin?.end();
  child.stdout?.setEncoding("utf8").on("data", (part: string) => {
    const lines = (rest + part).split("\n");
    rest = lines.pop() ?? "";
    if (rest.length > CAP) {
      child.kill();
      finish(`a line of the trace is longer than ${CAP} characters`);
    }
    for (const line of lines.filter((it) => it.trim() !== "" && !stopped)) {
      try {
        took(JSON.parse(line) as Line);
      } catch {
        told += `a line of the trace is no JSON: ${line.slice(0, 200)}\n`;
      }
    }
  });
  child.stderr?.setEncoding("utf8").on("data", (part: string) => {
    told = (told + part).slice(-4096);
  });
  child.on("error", (error) => finish(error.message));
  child.on("close", (code) => finish(told.trim() || `it ended with exit code ${code}`));
  return {
    stop: () => {
      stopped = true;
      child.kill();
    },
  };
}
