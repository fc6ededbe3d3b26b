#!/usr/bin/env bash
file=$(jq -r '.tool_input.file_path // empty')
name=${file##*/}
if [[ ${name##*.} == pem || ".${name##*.}" == ".env" || $name == .env.* ]]; then
  echo "$name is protected" >&2
  exit 2
fi
