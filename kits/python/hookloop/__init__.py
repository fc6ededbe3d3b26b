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

import atexit
import contextlib
import io
import json
import os
import sys
import threading
import traceback
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, Iterator, List, Mapping, NoReturn, Optional, TextIO, Tuple

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
_OUR_EVENTS = (
    "SessionStart", "SessionEnd", "BeforeAgent", "AfterAgent", "BeforeModel", "BeforeToolSelection",
    "AfterModel", "BeforeTool", "AfterTool", "PreCompress", "Notification",
)
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


# What the functions of the event that is being answered have said so far.
_so_far: List[Reply] = []
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
        event = _known_event(event)

        def add(function: Function) -> Function:
            if getattr(function, "__module__", "") == "__main__":
                _standard_output()
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


def _known_event(event: str) -> str:
    """An event that is merely misspelt never comes, so its function would never be asked."""
    if event in _FOREIGN_EVENTS or event in _OUR_EVENTS:
        return _FOREIGN_EVENTS.get(event, event)
    import difflib  # only here: it costs the start some milliseconds

    known = {name.lower(): name for name in (*_OUR_EVENTS, *_FOREIGN_EVENTS)}
    plain = event.lower().replace("_", "").replace("-", "")
    near = difflib.get_close_matches(plain, known, n=1, cutoff=0.85)
    if near:
        raise ValueError(f"there is no event {event!r}: {known[near[0]]!r} is meant")
    # Other agents have events that have no name here.
    return event


hook = _Hooks()

# Where answers are written, once nobody else can write there.
_out: Optional[TextIO] = None
_has_run = False


def _standard_output() -> TextIO:
    """Takes standard output for the answers: what anybody else writes there goes to standard error."""
    global _out
    if _out is None:
        _out = io.TextIOWrapper(os.fdopen(os.dup(1), "wb"), encoding="utf-8", write_through=True)
        os.dup2(2, 1)
        # What was printed before and kept back follows the rest.
        with contextlib.suppress(OSError, ValueError, AttributeError):
            sys.stdout.flush()
        # Standard error is written line by line; a pipe would keep it back.
        sys.stdout = sys.stderr
    return _out


def _notice_missing_run() -> None:
    """Says that nobody was asked: without `run()` the hook would let everything pass, in silence."""
    is_hook = any(getattr(it, "__module__", "") == "__main__" for _, it in hook.functions)
    if _has_run or not is_hook or hasattr(sys, "ps1") or hasattr(sys, "last_value"):
        return
    why = "the file never calls run(), so none of its functions was asked: end it with run()"
    print(f"hookloop: {why}", file=sys.stderr)
    with contextlib.suppress(OSError, ValueError):
        # No reply, on purpose, and whatever the exit code is: who reads it reports a broken hook.
        _standard_output().write('{"hookloop": ' + why + "\n")


atexit.register(_notice_missing_run)

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
    if _made and not any(reply is made for made in _made):
        raise TypeError(f"{name} made deny(…), ask(…) or stop(…) and didn't return it")
    if reply is not None and not isinstance(reply, Reply):
        why = f"{name} returned {reply!r}: return deny(…), ask(…) and the like, or nothing"
        refusal = _refusal_in(reply)
        if refusal is None:
            raise TypeError(why)
        print(f"hookloop: {why}; its refusal counts", file=sys.stderr)
        return refusal
    return reply


def _refusal_in(said: Any) -> Optional[Reply]:
    """Reads a refusal in the words of a reply: who wrote it as a dictionary meant it no less."""
    if not isinstance(said, Mapping):
        return None
    specific = said.get("hookSpecificOutput")
    places = [said, specific if isinstance(specific, Mapping) else {}]
    reasons = [place.get(key) for place in places for key in ("reason", "permissionDecisionReason")]
    reason = next(filter(None, reasons), "")
    if any(place.get("continue") is False for place in places):
        return Reply(stop_reason=_text(said.get("stopReason") or reason))
    words = [str(place.get(key)).lower() for place in places for key in ("decision", "permissionDecision")]
    if "deny" in words or "block" in words:
        return Reply(decision="deny", reason=_text(reason))
    return Reply(decision="ask", reason=_text(reason)) if "ask" in words else None


class _Left(SystemExit):
    """A function ended the process at once, which would leave the other functions unasked."""


@contextlib.contextmanager
def _staying() -> Iterator[None]:
    """Keeps a function from ending the process before the others were asked."""
    leave, here = os._exit, os.getpid()

    def stay(code: int) -> NoReturn:
        # Children of a function end as they want to.
        if os.getpid() != here:
            leave(code)
        if threading.current_thread() is threading.main_thread():
            raise _Left(code)
        # Nobody waits for what a thread raises.
        so_far = _combine(_so_far)
        if so_far.decision in ("deny", "ask") or so_far.stop_reason is not None:
            print(so_far.reason or so_far.stop_reason or "", file=sys.stderr, flush=True)
            code = 2
        leave(code or 1)

    os._exit = stay
    try:
        yield
    finally:
        os._exit = leave


def _code_of(error: BaseException) -> Optional[int]:
    """The exit code that an exception stands for, if it ends the process."""
    if not isinstance(error, SystemExit):
        return None
    return error.code if isinstance(error.code, int) else 0 if error.code is None else 1


def _fail_unless_refused(reply: Reply, failed: BaseException) -> None:
    """Raises what a function raised, unless another one refuses: a failure takes no refusal back."""
    is_refused = reply.decision == "deny" or reply.stop_reason is not None
    # Exit code 2 refuses, which is more than a question.
    is_asked = reply.decision == "ask" and _code_of(failed) != 2
    if not is_refused and not is_asked:
        raise failed
    traceback.print_exception(type(failed), failed, failed.__traceback__)


def _answer(payload: Mapping[str, Any]) -> Dict[str, Any]:
    """Asks the functions of an event, and writes what they say in the words of the agent."""
    call = Call.read(payload)
    replies = _so_far
    replies.clear()
    failed: Optional[BaseException] = None
    functions = [function for event, function in hook.functions if event == call.event]
    if not functions:
        raise LookupError(f"no function of this hook waits for {call.event or 'an event without a name'}")
    for function in functions:
        try:
            with _staying():
                reply = _asked(function, call)
        except BaseException as error:  # the others are asked all the same
            # Who leaves with 0 has no opinion, and who leaves with 2 refuses.
            if _code_of(error) == 0:
                continue
            if failed is None or _code_of(error) == 2:
                failed = error
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
    global _has_run
    _has_run = True
    # What anybody prints must not get between the answers.
    out = _standard_output()
    lines = io.TextIOWrapper(sys.stdin.buffer, encoding="utf-8", errors="replace")
    if os.environ.get("HOOKLOOP_WORKER") == "1":
        _work(lines, out)
        return
    said = _answer(json.loads(lines.read() or "{}"))
    if said:
        out.write(json.dumps(said) + "\n")
    out.flush()
