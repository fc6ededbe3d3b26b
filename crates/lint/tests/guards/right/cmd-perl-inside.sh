#!/bin/sh
jq -r .tool_input.command |
  perl -ne 'my $lines = $_; exit 2 if $lines =~ /\brm\s+-rf\b/'
