#!/usr/bin/env bash
readonly PROTECTED="package-lock.json .env yarn.lock"
FILE_PATH=$(jq -r '.tool_input.file_path')
for name in $PROTECTED; do
  if [[ "$(basename -- "$FILE_PATH")" == "$name" ]]; then
    echo "Blocked: $FILE_PATH" >&2
    exit 2
  fi
done
exit 0
