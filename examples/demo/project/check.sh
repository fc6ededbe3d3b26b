#!/usr/bin/env bash
# Checks total.sh. Prints what is wrong, and fails if something is.
cd "$(dirname "$0")" || exit 1
failed=0

expect() { # what is checked, expected, got
    if [ "$2" != "$3" ]; then
        echo "FAIL $1 costs $2: got $3"
        failed=1
    fi
}

expect "an empty order" 0 "$(bash total.sh)"
expect "an order of two things" 50 "$(bash total.sh 20 30)"
expect "an order of exactly 100" 100 "$(bash total.sh 60 40)"
exit "$failed"
