#!/usr/bin/env python3
"""Turns `rm` into a move: what the agent deletes lands in .trash/ of the project.

A plain `rm` is rewritten. One that is too involved to be rewritten with certainty (several commands,
variables, globs) is handed to the user with "ask". Whatever lies outside the project is refused.
"""

import json
import os
import re
import shlex
import sys

TRASH = ".trash"
OPERATORS = set("();<>|&")
# Characters by which the shell makes other words of a word.
EXPANDED = set("$`*?[]{}~\n#!")
RUNS_RM = re.compile(r"(^|[\s;&|(`])(\S*/)?rm(\s|$)")


def main():
    call = json.load(sys.stdin)
    arguments = call.get("tool_input", {})
    command = arguments.get("command", "")
    if not RUNS_RM.search(command):
        return None
    words = plain_words(command)
    if words is None:
        return ask("this deletes files, and is too involved to be made into a move to .trash/")
    if words[0] != "rm":
        return ask("this deletes files with `rm`")
    root = os.path.realpath(os.environ.get("GEMINI_PROJECT_DIR") or call["cwd"])
    folder = os.path.realpath(os.path.join(root, arguments.get("dir_path") or "."))
    return move(targets(words[1:]), root, folder)


def plain_words(command):
    """Returns the words of one simple command, or nothing if it is more than that."""
    lexer = shlex.shlex(command, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    lexer.commenters = ""
    try:
        words = list(lexer)
    except ValueError:
        return None
    if not words or EXPANDED & set(command) or any(set(word) <= OPERATORS for word in words):
        return None
    return words


def targets(words):
    """Returns the arguments of rm that aren't options."""
    if "--" in words:
        split = words.index("--")
        words, rest = words[:split], words[split + 1 :]
    else:
        rest = []
    return [word for word in words if not word.startswith("-")] + rest


def move(names, root, folder):
    trash = os.path.join(root, TRASH)
    taken, moves, moved = set(), [], []
    for name in names:
        path = os.path.normpath(os.path.join(folder, name))
        # The parent decides: what a link itself points to isn't what `rm` would delete.
        real = os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
        inside = real.startswith(root + os.sep)
        if not inside or real == trash or real.startswith(trash + os.sep):
            return deny(f"{name} may not be deleted: it isn't a file of the project")
        if not os.path.lexists(real):
            continue
        place = free_place(trash, os.path.basename(real), taken)
        taken.add(place)
        moves.append(["mv", "--", name, os.path.relpath(place, folder)])
        moved.append((name, os.path.relpath(place, root)))
    if not moves:
        return None
    commands = [["mkdir", "-p", "--", os.path.relpath(trash, folder)], *moves]
    told = ", ".join(f"{name} is moved to {place}" for name, place in moved)
    return {
        "systemMessage": f"{told} instead of being deleted",
        "hookSpecificOutput": {
            "hookEventName": "BeforeTool",
            "tool_input": {"command": " && ".join(shlex.join(words) for words in commands)},
        },
    }


def free_place(trash, name, taken):
    place, number = os.path.join(trash, name), 1
    while place in taken or os.path.lexists(place):
        number += 1
        place = os.path.join(trash, f"{name}-{number}")
    return place


def ask(reason):
    return {"decision": "ask", "reason": reason}


def deny(reason):
    return {"decision": "deny", "reason": reason}


if __name__ == "__main__":
    reply = main()
    if reply:
        json.dump(reply, sys.stdout)
