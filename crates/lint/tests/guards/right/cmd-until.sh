#!/usr/bin/env bash
readarray -t lines < <(jq -r '.tool_input.command' | tr ';&|' '\n')
for line in "${lines[@]}"; do
  read -ra words <<< "$line"
  [[ ${words[0]:-} == rm ]] || continue
  for word in "${words[@]:1}"; do
    case $word in
      -*r*|-*R*|--recursive)
        echo "recursive rm: $line" >&2
        exit 2
        ;;
    esac
  done
done
exit 0
