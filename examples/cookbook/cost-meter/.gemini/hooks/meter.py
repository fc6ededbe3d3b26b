#!/usr/bin/env python3
import json, os, pathlib, sys

event = json.load(sys.stdin)
folder = pathlib.Path(os.environ["GEMINI_PROJECT_DIR"], ".gemini/meter")
folder.mkdir(parents=True, exist_ok=True)
file = folder / event["session_id"]
meter = json.loads(file.read_text()) if file.exists() else {"done": 0, "current": 0}

if event["hook_event_name"] == "AfterModel":
    if event["full_content"] == event["content"]:  # the first chunk of a response
        meter = {"done": meter["done"] + meter["current"], "current": 0}
    # Services report the usage so far with every chunk, or all of it with the last one.
    usage = event["llm_response"].get("usageMetadata") or {}
    meter["current"] = max(meter["current"], usage.get("totalTokenCount") or 0)
    file.write_text(json.dumps(meter))
else:
    used = meter["done"] + meter["current"]
    if used >= int(os.environ["BUDGET"]):
        print(json.dumps({"continue": False, "stopReason": f"the budget is used up: {used} tokens"}))
