#!/bin/sh
jq -nc 'input as $event
  | if ($event.tool_input.command | contains("rm -rf"))
    then {decision: "deny", reason: "rm -rf"}
    else {decision: "allow"} end'
