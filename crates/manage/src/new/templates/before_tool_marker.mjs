import { readFileSync } from "node:fs";

// Calls that contain one of these texts are refused: write what your project's guard is about.
const forbidden = ["DO-NOT-TOUCH"];

const call = JSON.parse(readFileSync(0, "utf8"));
const args = JSON.stringify(call.tool_input ?? {});
const found = forbidden.find((text) => args.includes(text));

if (found) {
  console.error(`This call contains ${found}, which stays as it is here: find another way.`);
  process.exitCode = 2;
}
