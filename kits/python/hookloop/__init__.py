"""Hooks for AI coding agents, in Python: one file, a command hook anywhere and a worker in Hookloop.

    from hookloop import hook, deny, run

    @hook.before_tool
    def no_env_files(call):
        if str(call.tool_input.get("file_path", "")).endswith(".env"):
            return deny("This file holds secrets; ask for the value you need.")

    if __name__ == "__main__":
        run()

A function that returns nothing has no opinion. An exception is a failure of the hook: what it means
is the `onFailure` of its entry. What the functions print goes to standard error: standard output
belongs to the agent.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
import traceback
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, List, Mapping, Optional, TextIO, Tuple

__all__ = [
    "Call", "Reply", "allow", "ask", "context", "deny", "hook", "message", "output", "rewrite", "run",
    "stop",
]
__version__ = "0.1.0"

# The events of Claude Code, in ours.
_FOREIGN_EVENTS = {
    "PreToolUse": "BeforeTool",
    "PostToolUse": "AfterTool",
    "UserPromptSubmit": "BeforeAgent",
    "Stop": "AfterAgent",
    "SubagentStop": "AfterAgent",
    "PreCompact": "PreCompress",
}
# The tools of Claude Code, in ours.
_FOREIGN_TOOLS = {
    "Bash": "run_shell_command",
    "Read": "read_file",
    "Write": "write_file",
    "Edit": "replace",
    "Glob": "glob",
    "Grep": "search_file_content",
    "WebFetch": "web_fetch",
    "WebSearch": "google_web_search",
}


@dataclass(frozen=True)
class Call:
    """What a hook reads of an event. Fields that the event doesn't have are empty."""

    payload: Mapping[str, Any]
    """The whole payload, as the agent wrote it."""
    event: str = ""
    """The event by our name, such as `BeforeTool`."""
    tool_name: str = ""
    """The tool by our name, such as `run_shell_command`."""
    tool_input: Mapping[str, Any] = field(default_factory=dict)
    tool_response: Any = None
    prompt: str = ""
    prompt_response: str = ""
    cwd: str = ""
    session_id: str = ""

    @staticmethod
    def read(payload: Mapping[str, Any]) -> "Call":
        event = str(payload.get("hook_event_name", ""))
        tool = str(payload.get("tool_name", ""))
        tool_input = payload.get("tool_input")
        return Call(
            payload=payload,
            event=_FOREIGN_EVENTS.get(event, event),
            tool_name=_FOREIGN_TOOLS.get(tool, tool),
            tool_input=tool_input if isinstance(tool_input, dict) else {},
            tool_response=payload.get("tool_response"),
            prompt=str(payload.get("prompt", "")),
            prompt_response=str(payload.get("prompt_response", "")),
            cwd=str(payload.get("cwd", "")),
            session_id=str(payload.get("session_id", "")),
        )


@dataclass
class Reply:
    """What a hook says. Several replies to one event are combined: the strictest counts."""

    decision: Optional[str] = None
    reason: Optional[str] = None
    stop_reason: Optional[str] = None
    tool_input: Optional[Dict[str, Any]] = None
    context: Optional[str] = None
    message: Optional[str] = None
    output: Optional[Dict[str, Any]] = None


# What a function made that refuses, to notice when it isn't returned.
_made: List[Reply] = []


def _refusing(reply: Reply) -> Reply:
    _made.append(reply)
    return reply


def deny(reason: object = "") -> Reply:
    """Refuses; the model reads the reason."""
    return _refusing(Reply(decision="deny", reason=_text(reason)))


def ask(reason: object = "") -> Reply:
    """Asks the person; where nobody can be asked, it is a refusal."""
    return _refusing(Reply(decision="ask", reason=_text(reason)))


def allow(reason: str = "") -> Reply:
    """Says in so many words that nothing speaks against it."""
    return Reply(decision="allow", reason=reason or None)


def stop(reason: object = "") -> Reply:
    """Ends the agent's loop; the person reads the reason."""
    return _refusing(Reply(stop_reason=_text(reason)))


def _text(reason: object) -> str:
    """A reason that isn't a text, such as an exception, is no reason to lose a refusal."""
    return "" if reason is None else str(reason)


def rewrite(**arguments: Any) -> Reply:
    """Changes arguments of the call; those that aren't named stay."""
    return Reply(tool_input=arguments)


def context(text: str) -> Reply:
    """Tells the model something."""
    return Reply(context=text)


def message(text: str) -> Reply:
    """Tells the person something."""
    return Reply(message=text)


def output(**fields: Any) -> Reply:
    """Says a field of `hookSpecificOutput` that there is no word for here, such as `llm_request`."""
    return Reply(output=fields)


Function = Callable[[Call], Optional[Reply]]


class _Hooks:
    """Decorators that say which event a function waits for."""

    def __init__(self) -> None:
        self.functions: List[Tuple[str, Function]] = []

    def on(self, event: str) -> Callable[[Function], Function]:
        def add(function: Function) -> Function:
            self.functions.append((event, function))
            return function

        return add

    def session_start(self, function: Function) -> Function:
        return self.on("SessionStart")(function)

    def session_end(self, function: Function) -> Function:
        return self.on("SessionEnd")(function)

    def before_agent(self, function: Function) -> Function:
        return self.on("BeforeAgent")(function)

    def after_agent(self, function: Function) -> Function:
        return self.on("AfterAgent")(function)

    def before_model(self, function: Function) -> Function:
        return self.on("BeforeModel")(function)

    def after_model(self, function: Function) -> Function:
        return self.on("AfterModel")(function)

    def before_tool_selection(self, function: Function) -> Function:
        return self.on("BeforeToolSelection")(function)

    def before_tool(self, function: Function) -> Function:
        return self.on("BeforeTool")(function)

    def after_tool(self, function: Function) -> Function:
        return self.on("AfterTool")(function)

    def pre_compress(self, function: Function) -> Function:
        return self.on("PreCompress")(function)

    def notification(self, function: Function) -> Function:
        return self.on("Notification")(function)


hook = _Hooks()

_STRICTNESS = {None: 0, "allow": 1, "ask": 2, "deny": 3}


def _stricter_of(one: Mapping[str, Any], other: Mapping[str, Any]) -> Dict[str, Any]:
    """Lays fields over others; of two decisions the stricter stays."""
    whole = {**one, **other}
    for name in ("decision", "permissionDecision"):
        if _strictness(one.get(name)) > _strictness(other.get(name)):
            whole[name] = one[name]
    return whole


def _strictness(decision: Any) -> int:
    return _STRICTNESS.get(decision, 0) if isinstance(decision, str) else 0


def _combine(replies: List[Reply]) -> Reply:
    whole = Reply()
    for reply in replies:
        if _STRICTNESS[reply.decision] > _STRICTNESS[whole.decision]:
            whole.decision, whole.reason = reply.decision, reply.reason
        if reply.stop_reason is not None:
            whole.stop_reason = whole.stop_reason or reply.stop_reason
        if reply.tool_input is not None:
            whole.tool_input = {**(whole.tool_input or {}), **reply.tool_input}
        if reply.output is not None:
            whole.output = _stricter_of(whole.output or {}, reply.output)
        for name in ("context", "message"):
            said = [text for text in (getattr(whole, name), getattr(reply, name)) if text]
            setattr(whole, name, "\n\n".join(said) or None)
    return whole


def _asked(function: Function, call: Call) -> Optional[Reply]:
    """Asks a function, and notices what it forgets to return."""
    _made.clear()
    reply = function(call)
    name = getattr(function, "__name__", "the function")
    if reply is None and _made:
        raise TypeError(f"{name} made deny(…), ask(…) or stop(…) and didn't return it")
    if reply is not None and not isinstance(reply, Reply):
        raise TypeError(f"{name} returned {reply!r}: return deny(…), ask(…) and the like, or nothing")
    return reply


def _fail_unless_refused(reply: Reply, failed: BaseException) -> None:
    """Raises what a function raised, unless another one refuses: a failure takes no refusal back."""
    is_refused = reply.decision == "deny" or reply.stop_reason is not None
    # Exit code 2 refuses, which is more than a question.
    is_asked = reply.decision == "ask" and getattr(failed, "code", None) != 2
    if not is_refused and not is_asked:
        raise failed
    traceback.print_exception(type(failed), failed, failed.__traceback__)


def _answer(payload: Mapping[str, Any]) -> Dict[str, Any]:
    """Asks the functions of an event, and writes what they say in the words of the agent."""
    call = Call.read(payload)
    replies = []
    failed: Optional[BaseException] = None
    for event, function in hook.functions:
        if event != call.event:
            continue
        try:
            reply = _asked(function, call)
        except (Exception, SystemExit) as error:  # the others are asked all the same
            failed = failed or error
            continue
        if reply is not None:
            replies.append(reply)
    reply = _combine(replies)
    if failed is not None:
        _fail_unless_refused(reply, failed)
        # Who fails may refuse, and change nothing.
        reply = Reply(reply.decision, reply.reason, reply.stop_reason, message=reply.message)
    name = str(payload.get("hook_event_name", ""))
    if name in _FOREIGN_EVENTS:
        return _in_words_of_claude_code(name, call, reply)
    return _in_our_words(call, reply)


def _in_our_words(call: Call, reply: Reply) -> Dict[str, Any]:
    said: Dict[str, Any] = {}
    if reply.decision:
        said["decision"] = reply.decision
    if reply.reason:
        said["reason"] = reply.reason
    if reply.stop_reason is not None:
        said.update({"continue": False, "stopReason": reply.stop_reason})
    if reply.message:
        said["systemMessage"] = reply.message
    specific: Dict[str, Any] = dict(reply.output or {})
    if reply.tool_input is not None:
        specific["tool_input"] = reply.tool_input
    if reply.context:
        specific["additionalContext"] = reply.context
    if specific:
        said["hookSpecificOutput"] = {"hookEventName": call.event, **specific}
    return said


def _in_words_of_claude_code(name: str, call: Call, reply: Reply) -> Dict[str, Any]:
    said: Dict[str, Any] = {}
    specific: Dict[str, Any] = dict(reply.output or {})
    if name == "PreToolUse":
        said_so = _strictness(specific.get("permissionDecision"))
        if reply.decision and _STRICTNESS[reply.decision] >= said_so:
            specific["permissionDecision"] = reply.decision
            specific["permissionDecisionReason"] = reply.reason or ""
        if reply.tool_input is not None:
            # It takes the whole input, and no change without a decision.
            specific["updatedInput"] = {**call.tool_input, **reply.tool_input}
            specific.setdefault("permissionDecision", "allow")
    elif reply.decision in ("deny", "ask"):
        said.update({"decision": "block", "reason": reply.reason or ""})
    if reply.context:
        specific["additionalContext"] = reply.context
    if specific:
        said["hookSpecificOutput"] = {"hookEventName": name, **specific}
    if reply.stop_reason is not None:
        said.update({"continue": False, "stopReason": reply.stop_reason})
    if reply.message:
        said["systemMessage"] = reply.message
    return said


def _work(lines: TextIO, out: TextIO) -> None:
    """Answers one line for each event, until there are no more (HT-10)."""

    def say(frame: Mapping[str, Any]) -> None:
        # What was printed belongs to the event that it was printed for.
        with contextlib.suppress(OSError, ValueError):
            sys.stdout.flush()
        out.write(json.dumps(frame) + "\n")
        out.flush()

    say({"hookloop": 1})
    for line in lines:
        if not line.strip():
            continue
        question = json.loads(line)
        # One event after another: what is cancelled was answered before it is read.
        if "payload" not in question:
            continue
        try:
            say({"id": question["id"], "reply": _answer(question["payload"])})
        except Exception as error:  # what a function raises is a failure of the hook
            traceback.print_exc()
            say({"id": question["id"], "error": f"{type(error).__name__}: {error}"})


def run() -> None:
    """Runs the hook: as a worker where Hookloop asks for one, else for one event."""
    out = io.TextIOWrapper(os.fdopen(os.dup(1), "wb"), encoding="utf-8", write_through=True)
    lines = io.TextIOWrapper(sys.stdin.buffer, encoding="utf-8", errors="replace")
    # What anybody prints must not get between the answers.
    sys.stdout.flush()
    os.dup2(2, 1)
    # Standard error is written line by line; a pipe would keep it back.
    sys.stdout = sys.stderr
    if os.environ.get("HOOKLOOP_WORKER") == "1":
        _work(lines, out)
        return
    said = _answer(json.loads(lines.read() or "{}"))
    if said:
        out.write(json.dumps(said) + "\n")
    out.flush()
