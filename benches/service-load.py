#!/usr/bin/env python3
"""Puts load on a policy service, as many machines would: real programs, one `http` hook, many at once.

    benches/service-load.py PROGRAM [QUESTIONS [AT_ONCE]]

It starts the service of docs/fleet.md, asks it QUESTIONS times (200), AT_ONCE (16) sessions at a time, and
looks at every answer: each second question has to be refused. Exit code 1 if one answer isn't as it must
be. It prints how long hooks waited for the service under that load, as the program measured it. Then it asks one
at a time, in turn with a bare request on a connection that is kept, and prints the ratio of the two: what the
program, a new connection and the reading of the answer add to the service's own time.
"""

import concurrent.futures
import http.client
import http.server
import json
import os
import pathlib
import re
import socket
import socketserver
import statistics
import subprocess
import sys
import tempfile
import threading
import time

# How many hooks and bare requests are compared.
PAIRS = 50
PAGE = pathlib.Path(__file__).parent.parent / "docs/fleet.md"


def service():
    """Starts the service that the page shows, on a free port."""
    code = re.search(r"```python\n(import http\.server.*?)```", PAGE.read_text(encoding="utf-8"), re.S)
    names = {}
    exec(code[1].rsplit("\n\nhttp.server.", 1)[0], names)  # the class, without its fixed port
    socketserver.TCPServer.request_queue_size = 1024
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), names["Policy"])
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_address[1]


def home(folder, port):
    hook = {"name": "ask-policy", "type": "http", "url": f"http://127.0.0.1:{port}/decide",
            "timeout": "30s", "onFailure": "deny"}
    settings = pathlib.Path(folder, "home/.gemini/settings.json")
    settings.parent.mkdir(parents=True)
    settings.write_text(json.dumps({"hooks": {"BeforeTool": [{"hooks": [hook]}]}}))
    pathlib.Path(folder, "project/.git").mkdir(parents=True)


def ask(program, folder, number):
    """Asks once; returns how long the hook took in milliseconds."""
    deploys = number % 2 == 0
    given = {"tool_input": {"command": "make deploy" if deploys else "make test"}}
    command = [program, "hooks", "fire", "BeforeTool", "--tool", "run_shell_command", "--json", "--input", json.dumps(given)]
    environment = {"HOME": f"{folder}/home", "PATH": os.environ["PATH"], "GEMINI_FORCE_FILE_STORAGE": "true"}
    done = subprocess.run(command, cwd=f"{folder}/project", env=environment, capture_output=True, text=True)
    fired = json.loads(done.stdout)
    expected = ("refused", "deployments are frozen until Monday") if deploys else ("proceed", None)
    found = (fired["outcome"]["verdict"], fired["outcome"]["reason"])
    if found != expected or fired["runs"][0]["failure"] is not None:
        raise SystemExit(f"question {number}: {found}, not {expected}: {done.stdout}{done.stderr}")
    return fired["runs"][0]["duration_ms"]


def bare(connection):
    """How long a bare request takes, in milliseconds."""
    body = json.dumps({"tool_input": {"command": "make test"}})
    begun = time.perf_counter()
    connection.request("POST", "/decide", body, {"content-type": "application/json"})
    connection.getresponse().read()
    return (time.perf_counter() - begun) * 1000


def pairs(program, folder, port, count):
    """Times of hooks and of bare requests, taken in turn, so that both see the same machine."""
    connection = http.client.HTTPConnection("127.0.0.1", port)
    connection.connect()
    connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    bare(connection)
    return [(ask(program, folder, number), bare(connection)) for number in range(count)]


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    questions, at_once = (int(text) for text in (sys.argv[2:] + ["200", "16"][len(sys.argv) - 2:])[:2])
    port = service()
    with tempfile.TemporaryDirectory() as folder:
        home(folder, port)
        begun = time.perf_counter()
        with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
            times = sorted(pool.map(lambda number: ask(program, folder, number), range(questions)))
        seconds = time.perf_counter() - begun
        taken = pairs(program, folder, port, PAIRS)
    hook, raw = (statistics.median(side) for side in zip(*taken))
    ratio = statistics.median(asked / beside for asked, beside in taken)
    print(f"{questions} questions, {at_once} sessions at once: all answered as they must be, {questions / seconds:.0f} a second")
    print(f"under this load a hook took: median {statistics.median(times):.1f} ms, 99 % below {times[int(len(times) * 0.99)]:.1f} ms (a new connection each)")
    print(f"one at a time: {hook:.1f} ms; a bare request on a kept connection: {raw:.1f} ms; ratio {ratio:.1f}")


main()
