#!/bin/sh
jq -r .tool_input.command | awk '
  { line = tolower($0) }
  line ~ /rm +-rf/ { bad = 1; exit }
  END { exit bad ? 2 : 0 }
'
