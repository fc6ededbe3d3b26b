#!/usr/bin/env python3
import json, os, sys

READING = {"read_file", "read_many_files", "list_directory", "glob", "search_file_content", "web_fetch"}

call = json.load(sys.stdin)
begin, end = os.environ["WORKING_HOURS_UTC"].split("-")
now = call["timestamp"][11:16]  # of an ISO 8601 time in UTC
if call["tool_name"] not in READING and not begin <= now < end:
    print(f"nothing is changed outside of {begin} to {end} UTC: only look, and say what you would do", file=sys.stderr)
    sys.exit(2)
