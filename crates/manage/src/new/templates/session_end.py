import json
import sys

event = json.load(sys.stdin)
json.dump({"systemMessage": f"The session ended ({event['reason']})."}, sys.stdout)
