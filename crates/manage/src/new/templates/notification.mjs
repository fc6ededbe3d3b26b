import { readFileSync } from "node:fs";

const event = JSON.parse(readFileSync(0, "utf8"));
console.log(JSON.stringify({ systemMessage: `The agent waits: ${event.message}` }));
