#!/usr/bin/env node
// Starts the program that was installed for this platform, and ends as it ends.
"use strict";

const { spawn } = require("node:child_process");
const { constants } = require("node:os");

const name = `@hookloop/${process.platform}-${process.arch}`;
const file = process.platform === "win32" ? "hookloop.exe" : "hookloop";

let program;
try {
  program = require.resolve(`${name}/bin/${file}`);
} catch {
  console.error(
    `hookloop: the package ${name} isn't installed. Either there is no program for this platform, ` +
      "or optional packages were left out: install again without --omit=optional.",
  );
  process.exit(1);
}

const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
// The terminal sends Ctrl-C to both; the program decides what it means.
process.on("SIGINT", () => {});
for (const signal of ["SIGTERM", "SIGHUP"]) {
  process.on(signal, () => child.kill(signal));
}
child.on("error", (error) => {
  console.error(`hookloop: ${program} can't be started: ${error.message}`);
  process.exit(1);
});
child.on("exit", (code, signal) => {
  process.exit(code ?? 128 + (constants.signals[signal] ?? 0));
});
