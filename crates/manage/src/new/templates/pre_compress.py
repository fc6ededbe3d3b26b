import json
import sys

event = json.load(sys.stdin)
json.dump({"systemMessage": f"The history is being compressed ({event['trigger']})."}, sys.stdout)
