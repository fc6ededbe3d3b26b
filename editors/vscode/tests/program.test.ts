import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { after, test } from "node:test";
import { ask, Cancelled, findProgram, follow, Trouble } from "../src/program";

const folder = mkdtempSync(join(tmpdir(), "hookloop-program-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/** A program of the given name that is a shell script. */
function program(name: string, script: string): string {
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
}
const shell = { skip: process.platform === "win32" && "the stand-ins for the program are shell scripts" };

test("a program is found on the PATH, never in a relative or empty entry of it", shell, () => {
  const path = program("found", "true");
  assert.equal(findProgram("found", { PATH: folder }), path);
  for (const entry of ["", ".", relative(process.cwd(), folder)]) {
    assert.throws(() => findProgram("found", { PATH: entry }), Trouble, entry);
  }
});

test("a relative path is refused, and so is what can't be started", shell, () => {
  mkdirSync(join(folder, "directory"), { recursive: true });
  writeFileSync(join(folder, "plain"), "");
  for (const setting of ["./found", "bin/found", join(folder, "directory"), join(folder, "plain"), join(folder, "missing")]) {
    assert.throws(() => findProgram(setting, { PATH: folder }), Trouble, setting);
  }
});

test("an answer is what the program prints, whatever its exit code", shell, async () => {
  const path = program("answers", `cat >/dev/null; echo '{"schema_version": 1, "words": "'"$*"'"}'; exit 2`);
  assert.deepEqual(await ask(path, ["fire", "BeforeTool"], { folder, input: "{}" }), {
    schema_version: 1,
    words: "hooks fire BeforeTool --json",
  });
});

for (const [what, script, says] of [
  ["nothing", "echo 'no such verb' >&2; exit 2", /no such verb/],
  ["nothing at all", "exit 3", /exit code 3/],
  ["no JSON", "echo hello", /prints no JSON/],
  ["another version", `echo '{"schema_version": 2}'`, /version 2/],
  ["an error", `echo '{"schema_version": 1, "error": {"message": "unknown event"}}'; exit 1`, /unknown event/],
] as const) {
  test(`${what} isn't taken for an answer`, shell, async () => {
    await assert.rejects(ask(program("bad", script), ["check"], { folder }), says);
  });
}

test("a program that never answers is ended", shell, async () => {
  await assert.rejects(ask(program("slow", "exec sleep 60"), ["check"], { folder, patience: 50 }), /no answer/);
});

test("a question can be taken back", shell, async () => {
  const stop = new AbortController();
  const asked = ask(program("slower", "exec sleep 60"), ["check"], { folder, signal: stop.signal });
  stop.abort();
  await assert.rejects(asked, Cancelled);
});

test("lines that come in pieces are put together, and the end is told", shell, async () => {
  const path = program("lines", `printf '{"a":'; sleep 0.05; printf '1}\\n{"a":2}\\n'; echo 'gone' >&2; exit 1`);
  const lines: unknown[] = [];
  const said = await new Promise((resolve) => follow(path, folder, (line) => lines.push(line), resolve));
  assert.deepEqual([lines, said], [[{ a: 1 }, { a: 2 }], "gone"]);
});
