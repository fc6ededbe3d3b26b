#!/usr/bin/env python3
import json
import sys
from pathlib import Path

SECRET = {".pem", ".key", ".p12", ".env"}
NAMES = {".env", ".npmrc", "id_rsa", "credentials.json"}

event = json.load(sys.stdin)
path = Path(event["tool_input"].get("file_path", ""))
if path.suffix.lower() in SECRET or path.name in NAMES or path.name.startswith(".env."):
    print(json.dumps({"decision": "deny", "reason": f"{path.name} holds secrets"}))
    sys.exit(0)
print(json.dumps({"decision": "allow"}))
