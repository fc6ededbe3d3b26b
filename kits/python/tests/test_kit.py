"""The kit as agents use it: a process with a payload, or with lines."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
GUARD = """
import asyncio, os, sys, threading
from hookloop import hook, allow, deny, ask, stop, rewrite, context, message, output, run

@hook.before_tool
def guard(call):
    print("noise on standard output")
    command = call.tool_input.get("command", "")
    if "boom" in command:
        raise ValueError("broken")
    if "wrong" in command:
        return {"decision": "allow"}
    if "object" in command:
        return {"hookSpecificOutput": {"permissionDecision": "deny", "permissionDecisionReason": "as an object"}}
    if "leave" in command:
        raise SystemExit(0)
    if "vanish" in command:
        os._exit(0)
    if "cancelled" in command:
        raise asyncio.CancelledError()
    if "instead" in command:
        deny("another reply is returned")
        return message("instead")
    if "forgets" in command:
        deny("nobody returns it")
    if "closes" in command:
        sys.stdout.close()
        return deny("closed")
    if "odd" in command:
        return deny(ValueError("not a text"))
    if "halt" in command:
        return stop("")
    if "said" in command:
        return output(permissionDecision="deny")
    if call.tool_name == "run_shell_command" and "push" in command:
        return deny("no pushing")

@hook.before_tool
def also(call):
    command = call.tool_input.get("command", "")
    if "late" in command:
        return deny("too late")
    if "code 2" in command:
        raise SystemExit(2)
    if "thread ends it" in command:
        thread = threading.Thread(target=os._exit, args=(0,))
        thread.start()
        thread.join()
    if "then throws" in command:
        raise ValueError("broken, too")
    if "halt" in command or "said" in command:
        return allow()
    if "push" in command:
        return ask("sure?")
    if "ls" in command:
        return rewrite(command="ls -la")

@hook.before_model
def cold(call):
    return output(llm_request={"config": {"temperature": 0}})

@hook.before_agent
def tell(call):
    return context("you are watched: " + call.prompt)

run()
"""


class Kit(unittest.TestCase):
    def start(self, worker, text=GUARD):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = os.path.join(folder.name, "guard.py")
        with open(path, "w") as file:
            file.write(text)
        env = {**os.environ, "PYTHONPATH": os.path.dirname(HERE)}
        for name in ("HOOKLOOP_WORKER", "PYTHONUNBUFFERED"):
            env.pop(name, None)
        if worker:
            env["HOOKLOOP_WORKER"] = "1"
        pipe = subprocess.PIPE
        return subprocess.Popen([sys.executable, path], stdin=pipe, stdout=pipe, stderr=pipe, env=env, text=True)

    def once(self, payload, text=GUARD):
        process = self.start(worker=False, text=text)
        out, err = process.communicate(json.dumps(payload), timeout=30)
        return process.returncode, out, err

    def tool(self, command, name="run_shell_command", event="BeforeTool"):
        return {"hook_event_name": event, "tool_name": name, "tool_input": {"command": command}}

    def test_the_strictest_of_several_functions_counts(self):
        code, out, _ = self.once(self.tool("git push"))
        self.assertEqual((code, json.loads(out)), (0, {"decision": "deny", "reason": "no pushing"}))

    def test_no_opinion_says_nothing_and_noise_is_no_answer(self):
        code, out, err = self.once(self.tool("date"))
        self.assertEqual((code, out), (0, ""))
        self.assertIn("noise", err)

    def test_an_exception_is_a_failure(self):
        code, out, err = self.once(self.tool("boom"))
        self.assertEqual((code, out), (1, ""))
        self.assertIn("broken", err)

    def test_a_failure_takes_no_refusal_back(self):
        for command, reason in [
            ("boom late", "too late"),
            ("leave late", "too late"),
            ("forgets late", "too late"),
            ("vanish late", "too late"),
            ("cancelled late", "too late"),
            ("push, then throws", "no pushing"),
        ]:
            code, out, _ = self.once(self.tool(command))
            self.assertEqual((code, json.loads(out)), (0, {"decision": "deny", "reason": reason}), command)

    def test_no_refusal_is_lost_on_the_way(self):
        code, out, _ = self.once(self.tool("odd"))
        self.assertEqual((code, json.loads(out)["decision"]), (0, "deny"))
        _, out, _ = self.once(self.tool("halt"))
        self.assertIs(json.loads(out)["continue"], False)
        code, out, err = self.once(self.tool("forgets"))
        self.assertEqual((code, out), (1, ""))
        self.assertIn("didn't return it", err)
        _, out, _ = self.once(self.tool("said", name="Bash", event="PreToolUse"))
        self.assertEqual(json.loads(out)["hookSpecificOutput"]["permissionDecision"], "deny")

    def test_a_refusal_counts_however_it_is_said(self):
        code, out, err = self.once(self.tool("object"))
        self.assertEqual((code, json.loads(out)), (0, {"decision": "deny", "reason": "as an object"}))
        self.assertIn("returned", err)
        # A failure of one function doesn't hide the exit code of another one.
        self.assertEqual(self.once(self.tool("boom, code 2"))[0], 2)
        code, _, err = self.once(self.tool("push, a thread ends it"))
        self.assertEqual(code, 2)
        self.assertIn("no pushing", err)

    def test_what_was_not_asked_is_reported(self):
        for command in ["instead", "a thread ends it"]:
            self.assertEqual(self.once(self.tool(command))[:2], (1, ""), command)
        self.assertEqual(self.once({"hook_event_name": "AfterTool"})[0], 1)
        function = "from hookloop import hook, deny, run\n@hook.%s\ndef f(call):\n    return deny('no')\n"
        for text in [function % "on('BeforeTools')" + "run()", function % "on('before_tool')" + "run()"]:
            code, out, err = self.once(self.tool("x"), text)
            self.assertEqual((code, out), (1, ""))
            self.assertIn("'BeforeTool' is meant", err)
        # No reply, so that whoever reads it reports a broken hook.
        code, out, err = self.once(self.tool("x"), function % "before_tool")
        self.assertIn("run()", err)
        with self.assertRaises(ValueError):
            json.loads(out)
        self.assertTrue(out.startswith("{"))

    def test_what_is_printed_before_the_start_is_no_answer(self):
        text = "from hookloop import *\nprint('kept back')\n@hook.before_tool\ndef f(call):\n    return deny('no')\n"
        for rest in ["run()", "print('at once', flush=True)\nrun()"]:
            _, out, err = self.once(self.tool("x"), text + rest)
            self.assertEqual(json.loads(out)["decision"], "deny")
            self.assertIn("kept back", err)

    def test_who_leaves_with_0_has_no_opinion(self):
        code, out, _ = self.once(self.tool("ls, leave"))
        self.assertEqual((code, json.loads(out)["hookSpecificOutput"]["tool_input"]), (0, {"command": "ls -la"}))

    def test_other_fields_of_the_output_can_be_said(self):
        _, out, _ = self.once({"hook_event_name": "BeforeModel", "llm_request": {}})
        specific = {"hookEventName": "BeforeModel", "llm_request": {"config": {"temperature": 0}}}
        self.assertEqual(json.loads(out), {"hookSpecificOutput": specific})

    def test_what_is_no_reply_is_a_failure(self):
        self.assertEqual(self.once(self.tool("wrong"))[0], 1)

    def test_claude_code_reads_its_own_words(self):
        _, out, _ = self.once(self.tool("git push", "Bash", "PreToolUse"))
        specific = json.loads(out)["hookSpecificOutput"]
        self.assertEqual(specific["permissionDecision"], "deny")
        _, out, _ = self.once(self.tool("ls", "Bash", "PreToolUse"))
        self.assertEqual(json.loads(out)["hookSpecificOutput"]["updatedInput"], {"command": "ls -la"})

    def test_a_worker_answers_a_line_for_each_event(self):
        process = self.start(worker=True)
        lines = [
            {"id": 1, "payload": self.tool("git push")},
            {"cancel": 1},
            {"id": 2, "payload": self.tool("boom")},
            {"id": 3, "payload": self.tool("date")},
            {"id": 4, "payload": {"hook_event_name": "BeforeAgent", "prompt": "héllo"}},
            {"id": 5, "payload": self.tool("closes")},
        ]
        text = "".join(json.dumps(line) + "\n" for line in lines)
        out, _ = process.communicate(text, timeout=30)
        frames = [json.loads(line) for line in out.splitlines()]
        self.assertEqual(frames[0], {"hookloop": 1})
        self.assertEqual(frames[1]["reply"]["decision"], "deny")
        self.assertEqual(frames[2]["id"], 2)
        self.assertIn("broken", frames[2]["error"])
        self.assertEqual(frames[3], {"id": 3, "reply": {}})
        self.assertIn("héllo", frames[4]["reply"]["hookSpecificOutput"]["additionalContext"])
        self.assertEqual(frames[5]["reply"]["reason"], "closed")
        self.assertEqual((len(frames), process.returncode), (6, 0))


if __name__ == "__main__":
    unittest.main()
