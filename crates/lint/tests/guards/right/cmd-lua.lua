#!/usr/bin/env lua
local text = io.read("*a")
if text:find("rm %-rf") then
  io.stderr:write("no\n")
  os.exit(2)
end
