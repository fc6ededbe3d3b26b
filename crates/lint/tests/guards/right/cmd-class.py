#!/usr/bin/env python3
from __future__ import annotations

import json
import sys
from dataclasses import dataclass, field


@dataclass
class Verdict:
    decision: str = "allow"
    reason: str = ""


@dataclass
class Guard:
    forbidden: list[str] = field(default_factory=lambda: ["rm -rf", "mkfs", "dd if="])

    def judge(self, cmd: str) -> Verdict:
        low = cmd.lower()
        for needle in self.forbidden:
            if needle in low:
                return Verdict("deny", f"'{needle}' is forbidden")
        return Verdict()

    def run(self) -> None:
        payload = json.loads(sys.stdin.read())
        verdict = self.judge(payload["tool_input"]["command"])
        if verdict.decision == "deny":
            print(json.dumps({"decision": verdict.decision, "reason": verdict.reason}))


Guard().run()
