#!/usr/bin/env python3
import json, os, signal, sys, threading

def too_long():
    os.write(2, b"guard took too long\n")
    os._exit(2)

timer = threading.Timer(5, too_long)
timer.daemon = True
timer.start()
signal.signal(signal.SIGTERM, lambda *_: os._exit(2))
event = json.load(sys.stdin)
timer.cancel()
if {"rm", "-rf"} <= set(event["tool_input"]["command"].split()):
    print("no", file=sys.stderr)
    sys.exit(2)
