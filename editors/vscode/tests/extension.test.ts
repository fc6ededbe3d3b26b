// The extension in the fake editor with the real program.

import assert from "node:assert/strict";
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { documentOf, Range, Uri, type Diagnostic } from "./fake-vscode";
import { newWorld, until, WITHOUT_PROGRAM, type World } from "./world";

const GUARD = { type: "command", name: "guard", command: "echo 'not here' >&2; exit 2", onFailure: "deny" };
const hooks = (hook: object): string => JSON.stringify({ hooks: { BeforeTool: [{ matcher: "write_file", hooks: [hook] }] } });

async function inWorld(work: (world: World) => Promise<void>): Promise<void> {
  const world = newWorld();
  try {
    await work(world);
  } finally {
    world.end();
  }
}

const found = (world: World, file: string): Diagnostic[] => world.editor.state.problems.get(file) ?? [];
const statusText = (world: World): string => world.editor.state.status?.text ?? "";

describe("with the program", { skip: WITHOUT_PROGRAM }, () => {
  test("problems stand where the mistakes are, with their remedies", () =>
    inWorld(async (world) => {
      const text = '{\n  // ours\n  "hooks": {"😀": 1, "beforeTool": [],\n    "BeforeTool": [{"matcher": "glob|run_shel_command", "hooks": [\n  {"type": "command", "name": "x", "command": "true", "onFailure": "warn", "timeOut": 3}]}]}}\n';
      const file = world.write("project/.gemini/settings.json", text);
      world.activate();
      await until(() => found(world, file).length >= 4, () => [found(world, file), world.editor.state.output]);
      const document = documentOf(Uri.file(file), text);
      const marks = (code: string): string[] => found(world, file).filter((it) => it.code === code).map((it) => document.getText(it.range as never));
      assert.deepEqual(marks("unknown_event"), ['"😀"', '"beforeTool"']);
      assert.deepEqual(marks("unknown_field"), ['"timeOut"']);
      assert.deepEqual(marks("matcher_no_tool"), ['"glob|run_shel_command"']);
      assert.equal(found(world, file).find((it) => it.code === "unknown_event")?.severity, 0);
      assert.match(statusText(world), /2 errors/);

      const fixes = found(world, file).flatMap((it) => world.editor.state.provider?.provideCodeActions(document, it.range as never) ?? []);
      const titles = fixes.map((it) => it.title);
      for (const title of ['Replace "beforeTool" with "BeforeTool"', 'Replace "timeOut" with "timeout"', 'Replace "glob|run_shel_command" with "glob|run_shell_command"', "Trust hooks in a terminal"]) {
        assert.ok(titles.includes(title), `${title}: ${titles.join("; ")}`);
      }
      // Taken one by one and read again, the suggestions are what the program meant.
      let mended = text.split("\n");
      for (const edit of fixes.flatMap((it) => it.edit?.edits ?? []).reverse()) {
        const { line } = edit.range.start;
        mended = mended.map((it, at) => (at === line ? it.slice(0, edit.range.start.character) + edit.text + it.slice(edit.range.end.character) : it));
      }
      writeFileSync(file, mended.join("\n"));
      world.editor.events.touch(file);
      await until(() => found(world, file).every((it) => it.code !== "unknown_field" && it.code !== "matcher_no_tool"), () => found(world, file));

      const dirty = documentOf(Uri.file(file), text, true);
      const offered = world.editor.state.provider?.provideCodeActions(dirty, new Range(0, 0, 99, 0)) ?? [];
      assert.ok(offered.every((it) => it.edit === undefined), "an edited file is left alone");
    }));

  test("a file that is changed is checked again", () =>
    inWorld(async (world) => {
      const file = world.write("home/.gemini/settings.json", '{"hooks": {"Stop": []}}');
      world.activate();
      await until(() => found(world, file).some((it) => it.code === "unknown_event"), () => found(world, file));
      world.write("home/.gemini/settings.json", hooks(GUARD));
      world.editor.events.touch(file);
      await until(() => found(world, file).length === 0 && /Hookloop$/.test(statusText(world)), () => [found(world, file), statusText(world)]);
    }));

  test("hooks that are turned off are told in the status bar", () =>
    inWorld(async (world) => {
      world.write("home/.gemini/settings.json", '{"hooksConfig": {"enabled": false}}');
      world.activate();
      await until(() => statusText(world).includes("hooks are off"), () => statusText(world));
    }));

  test("why tells of each hook whether it would run, and goes to its place", () =>
    inWorld(async (world) => {
      const file = world.write("home/.gemini/settings.json", hooks(GUARD));
      world.activate();
      const { answers, asked, shown } = world.editor.state;
      answers.push("BeforeTool", "glob", "$(circle-slash) guard");
      await world.run("hookloop.why");
      assert.match(asked.at(-1)?.title ?? "", /BeforeTool of glob: 0 of 1 run/);
      assert.match(asked.at(-1)?.details[0] ?? "", /matcher "write_file" doesn't match "glob"/);
      assert.deepEqual(shown.map((it) => it.uri.fsPath), [file]);
      answers.push("BeforeTool", "Any tool", undefined);
      await world.run("hookloop.why");
      assert.deepEqual(asked.at(-1)?.labels, ["$(question) guard"]);
    }));

  for (const [way, payload] of [
    ["A realistic payload", undefined],
    ["JSON, typed here", '{"tool_input": {"file_path": "typed.txt", "content": ""}}'],
    ["sample-payload.json", undefined],
    ["The text of the active editor", undefined],
  ] as const) {
    test(`an event is fired with: ${way}`, () =>
      inWorld(async (world) => {
        world.write("home/.gemini/settings.json", hooks(GUARD));
        world.write("project/sample-payload.json", '{"tool_input": {"file_path": "from-file.txt", "content": ""}}');
        world.editor.state.activeTextEditor = {
          document: documentOf(Uri.file(join(world.project, "x.json")), '{"tool_input": {"file_path": "from-editor.txt", "content": ""}}'),
        };
        world.activate();
        world.editor.state.answers.push("BeforeTool", "write_file", way, ...(payload === undefined ? [] : [payload]));
        await world.run("hookloop.fire");
        assert.deepEqual(world.editor.state.errors, []);
        const text = world.editor.state.shown.at(-1)?.text ?? "";
        assert.match(text, /^BeforeTool \(write_file\): refused\n/);
        assert.match(text, /reason:\n {4}not here/);
        const file = { "JSON, typed here": "typed.txt", "sample-payload.json": "from-file.txt", "The text of the active editor": "from-editor.txt" }[way as string];
        assert.ok(file === undefined || text.includes(file), text);
      }));
  }

  test("a hook that wasn't trusted isn't fired, and the report says so", () =>
    inWorld(async (world) => {
      const mark = join(world.project, "ran");
      world.write("project/.gemini/settings.json", hooks({ type: "command", command: `touch '${mark}'` }));
      world.activate();
      world.editor.state.answers.push("BeforeTool", "write_file", "A realistic payload");
      await world.run("hookloop.fire");
      assert.match(world.editor.state.shown.at(-1)?.text ?? "", /doesn't run: not trusted yet/);
      assert.ok(!existsSync(mark));
    }));

  test("runs are followed, and shown in full", () =>
    inWorld(async (world) => {
      world.write("home/.gemini/settings.json", hooks(GUARD));
      world.activate();
      world.editor.state.answers.push("BeforeTool", "write_file", "A realistic payload");
      await world.run("hookloop.fire");
      await until(() => statusText(world).includes("guard refused"), () => [statusText(world), world.editor.state.output]);
      world.editor.state.answers.push("$(circle-slash) guard");
      await world.run("hookloop.runs");
      assert.match(world.editor.state.shown.at(-1)?.text ?? "", /guard · refused[\s\S]*exit code 2[\s\S]*not here/);
    }));

  test("trust is asked for by the program itself, in a terminal", () =>
    inWorld(async (world) => {
      world.activate();
      await world.run("hookloop.trust");
      const [task] = world.editor.state.tasks;
      assert.deepEqual([task?.execution.args, task?.execution.options.cwd], [["hooks", "trust"], world.project]);
    }));

  test("what the program complains about is told", () =>
    inWorld(async (world) => {
      world.activate();
      world.editor.state.answers.push("BeforeTool", "Another tool…", "mcp__a__b", "JSON, typed here", "{");
      await world.run("hookloop.fire");
      assert.match(world.editor.state.errors[0] ?? "", /the input isn't JSON/);
    }));
});

test("in a workspace that nobody trusted no program is started, until somebody does", async (context) => {
  if (process.platform === "win32") {
    context.skip("the stand-in for the program is a shell script");
    return;
  }
  await inWorld(async (world) => {
    const mark = join(world.project, "started");
    const evil = world.write("project/evil", `#!/bin/sh\necho "$*" >> '${mark}'\n`);
    chmodSync(evil, 0o755);
    world.editor.state.settings.set("hookloop.path", evil);
    world.editor.state.isTrusted = false;
    world.activate();
    for (const command of ["check", "why", "fire", "runs", "review", "trust"]) {
      await world.run(`hookloop.${command}`);
    }
    world.editor.events.touch(join(world.project, ".gemini/settings.json"));
    world.editor.events.configure("hookloop.path", evil);
    await new Promise((go) => setTimeout(go, 500)); // longer than the quiet after which a change is looked at
    assert.ok(!existsSync(mark), existsSync(mark) ? readFileSync(mark, "utf8") : "");
    assert.equal(world.editor.state.tasks.length, 0);
    assert.match(statusText(world), /restricted/);
    assert.equal(world.editor.state.errors.length, 6);
    world.editor.events.grantTrust();
    await until(() => existsSync(mark), () => world.editor.state.output);
  });
});

test("a program that isn't there is told once, and no old problem stays", async () => {
  await inWorld(async (world) => {
    world.editor.state.settings.set("hookloop.path", join(world.home, "nothing"));
    world.activate();
    await until(() => statusText(world).includes("not checked"), () => statusText(world));
    await until(() => world.editor.state.warnings.length === 1, () => world.editor.state.warnings);
    world.editor.events.touch("x");
    await new Promise((go) => setTimeout(go, 500));
    assert.equal(world.editor.state.warnings.length, 1);
    assert.match(world.editor.state.warnings[0] ?? "", /can be started|can't be started/);
    assert.equal(world.editor.state.problems.size, 0);
  });
});
