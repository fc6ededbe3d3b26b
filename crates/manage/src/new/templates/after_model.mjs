import { readFileSync } from "node:fs";

const chunk = JSON.parse(readFileSync(0, "utf8"));

// A mark may begin in one chunk and end in the next: all text so far is looked at.
if ((chunk.full_content ?? chunk.content ?? "").includes("INTERNAL-ONLY")) {
  console.error("The answer quotes text that is marked INTERNAL-ONLY.");
  process.exitCode = 2;
}
