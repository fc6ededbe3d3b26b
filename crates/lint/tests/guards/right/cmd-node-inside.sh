#!/usr/bin/env bash
input="$(cat)"
node -e '
  const event = JSON.parse(process.argv[1]);
  if (event.tool_input.command.includes("rm -rf")) {
    console.error("no");
    process.exit(2);
  }
' "$input"
