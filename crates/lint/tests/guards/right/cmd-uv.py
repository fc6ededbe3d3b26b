#!/usr/bin/env -S uv run --script
# /// script
# dependencies = ["pydantic"]
# ///
import sys

from pydantic import BaseModel


class Input(BaseModel):
    command: str = ""


class Event(BaseModel):
    tool_name: str
    tool_input: Input


event = Event.model_validate_json(sys.stdin.read())
if "rm -rf" in event.tool_input.command:
    print("rm -rf is blocked", file=sys.stderr)
    sys.exit(2)
