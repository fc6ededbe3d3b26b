#!/usr/bin/env python3
import collections, json, os, sys, time

LIMIT = int(os.environ["LIMIT"])
calls = collections.defaultdict(collections.deque)

print(json.dumps({"hookloop": 1}), flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if "payload" not in message:
        continue
    tool, now = message["payload"]["tool_name"], time.monotonic()
    recent = calls[tool]
    while recent and now - recent[0] > 60:
        recent.popleft()
    answer = {"id": message["id"]}
    if len(recent) >= LIMIT:
        answer["refuse"] = f"{tool} ran {LIMIT} times in the last minute: work with what you have"
    else:
        recent.append(now)
        answer["reply"] = {}
    print(json.dumps(answer), flush=True)
