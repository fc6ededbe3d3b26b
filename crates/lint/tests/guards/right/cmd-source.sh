#!/usr/bin/env bash
# shellcheck source=lib.sh
source "$(dirname "$0")/lib.sh"
[ -n "$GUARD_READY" ] || exit 0
event_read
if event_command_has "rm -rf"; then
  deny "rm -rf"
fi
exit 0
