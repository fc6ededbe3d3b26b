import json
import re
import sys

call = json.load(sys.stdin)
arguments = json.dumps(call.get("tool_input", {}))

if re.search(r"""(^|[/"'=\s])\.env(["'\s]|$)""", arguments):
    print("Files named .env hold secrets: find a way that does without them.", file=sys.stderr)
    sys.exit(2)

# No opinion.
sys.exit(0)
