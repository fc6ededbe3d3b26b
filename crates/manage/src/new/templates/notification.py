import json
import sys

event = json.load(sys.stdin)
json.dump({"systemMessage": f"The agent waits: {event['message']}"}, sys.stdout)
