#!/bin/sh
exec jq -c '
  if (.tool_input.command // "") | test("\\brm\\s+-rf\\b") then
    {decision: "deny", reason: "rm -rf"}
  else
    {}
  end'
