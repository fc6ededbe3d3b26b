#!/usr/bin/env ruby
# frozen_string_literal: true

require 'json'

FORBIDDEN = [/\brm\s+-rf\b/, /\bgit\s+push\s+--force\b/].freeze

event = JSON.parse($stdin.read)
command = event.dig('tool_input', 'command').to_s
if FORBIDDEN.any? { |it| command.match?(it) }
  warn 'blocked'
  exit 2
end
