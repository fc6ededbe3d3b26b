#!/usr/bin/env python3
"""Tells the model about the project.

SessionStart: the conventions in CONVENTIONS.md. BeforeAgent: how things stand at this prompt, that is
the branch and what has changed, or the files there are where git keeps no record.
"""

import json
import os
import subprocess
import sys

CONVENTIONS = "CONVENTIONS.md"
LONGEST = 4000  # characters
MOST_LINES = 20


def main():
    payload = json.load(sys.stdin)
    event = payload["hook_event_name"]
    root = os.environ.get("GEMINI_PROJECT_DIR") or payload["cwd"]
    context = conventions(root) if event == "SessionStart" else state(root)
    if context:
        output = {"hookEventName": event, "additionalContext": context}
        json.dump({"hookSpecificOutput": output}, sys.stdout)


def conventions(root):
    try:
        with open(os.path.join(root, CONVENTIONS), encoding="utf-8") as file:
            text = file.read(LONGEST).strip()
    except FileNotFoundError:
        return None
    return f"Conventions of this project ({CONVENTIONS}):\n{text}"


def state(root):
    # Only the project's own repository counts, not one that the project happens to lie in.
    if os.path.exists(os.path.join(root, ".git")):
        branch = git(root, "branch", "--show-current")
        changes = git(root, "status", "--short")
        if branch is not None and changes is not None:
            return f"Branch: {branch or '(none)'}\nChanged: {listed(changes.splitlines())}"
    names = sorted(name for name in os.listdir(root) if not name.startswith("."))
    return f"Files: {listed(names)}"


def git(root, *arguments):
    """Returns what git prints, or nothing if it is missing or fails."""
    try:
        done = subprocess.run(
            ["git", *arguments], cwd=root, capture_output=True, text=True, timeout=5
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.rstrip() if done.returncode == 0 else None


def listed(lines):
    shown = ", ".join(line.strip() for line in lines[:MOST_LINES]) or "nothing"
    more = len(lines) - MOST_LINES
    return f"{shown}, and {more} more" if more > 0 else shown


if __name__ == "__main__":
    main()
