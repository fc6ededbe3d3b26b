"""Refuses commits and pushes on protected branches (`BeforeTool` for `run_shell_command`).

Which branch is checked out stands in `.git/HEAD`, which the entry's `grants` let it read.
"""

import json
import re

import wit_world
from wit_world import Reply_None_, Reply_Refuse

PROTECTED = {"main", "master"}
ACTS = re.compile(r"\bgit\b.*\b(commit|merge|rebase|push)\b", re.DOTALL)


class WitWorld(wit_world.WitWorld):
    def handle(self, payload: str):
        command = json.loads(payload).get("tool_input", {}).get("command", "")
        act = ACTS.search(command)
        if not act:
            return Reply_None_()
        try:
            with open(".git/HEAD", encoding="utf-8") as file:
                branch = file.read().strip().removeprefix("ref: refs/heads/")
        except OSError as error:
            # What can't be looked at isn't allowed.
            return Reply_Refuse(f"which branch this is can't be read ({error}); nothing is committed")
        if branch in PROTECTED:
            return Reply_Refuse(f"no `git {act.group(1)}` on {branch}: make a branch of your own first")
        wit_world.log("info", f"on {branch}")
        return Reply_None_()
