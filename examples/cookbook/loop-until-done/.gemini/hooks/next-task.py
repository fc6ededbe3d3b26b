#!/usr/bin/env python3
import json, os, pathlib, sys

json.load(sys.stdin)
tasks = pathlib.Path(os.environ["GEMINI_PROJECT_DIR"], "TASKS.md")
if not tasks.exists():
    sys.exit(0)
lines = tasks.read_text(encoding="utf-8").splitlines()
open_tasks = [line.strip()[6:] for line in lines if line.strip().startswith("- [ ] ")]
if open_tasks:
    print(f"Do this task of TASKS.md next, then tick it off with [x]: {open_tasks[0]}", file=sys.stderr)
    sys.exit(2)
