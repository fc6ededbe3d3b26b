// What package.json, the schemas and the code promise one another.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { EVENTS, TOOLS } from "../src/events";
import { newWorld } from "./world";

const home = resolve(__dirname, "../..");
const json = (path: string) => JSON.parse(readFileSync(join(home, path), "utf8"));

test("every command of the manifest is there, and no other", () => {
  const world = newWorld();
  world.editor.state.isTrusted = false;
  world.activate();
  const declared = json("package.json").contributes.commands.map((it: { command: string }) => it.command);
  assert.deepEqual([...world.editor.state.commands.keys()].sort(), [...declared].sort());
  world.end();
});

test("the events are those of the schema, and so are the values of their matchers", () => {
  const events = json("schemas/settings.schema.json").definitions.Hooks.properties;
  const named = Object.keys(events).filter((it) => /^[A-Z]/.test(it)); // beside them stand older switches
  assert.deepEqual(EVENTS.map((it) => it.name).sort(), named.sort());
  for (const { name, subject } of EVENTS) {
    for (const value of subject?.option === "--trigger" ? subject.values : []) {
      assert.ok(events[name].description.includes(`\`${value}\``), `${name}: ${value}`);
    }
  }
});

test("the tools are the built-in ones", () => {
  const source = readFileSync(resolve(home, "../../crates/events/src/tool_name.rs"), "utf8");
  const table = source.slice(source.indexOf("KNOWN"), source.indexOf("];"));
  const names = [...table.matchAll(/\(\s*"(\w+)",\s*&\[/g)].map((it) => it[1]);
  assert.deepEqual([...TOOLS], names);
});

test("a program can't be named by a workspace that nobody trusted", () => {
  const { capabilities, contributes } = json("package.json");
  assert.ok(capabilities.untrustedWorkspaces.restrictedConfigurations.includes("hookloop.path"));
  assert.equal(contributes.configuration.properties["hookloop.path"].scope, "machine-overridable");
});

test("the README names every command and setting", () => {
  const readme = readFileSync(join(home, "README.md"), "utf8");
  const { contributes } = json("package.json");
  const titles = contributes.commands.map((it: { title: string }) => it.title);
  for (const name of [...titles, ...Object.keys(contributes.configuration.properties)]) {
    assert.ok(readme.includes(name), name);
  }
});
