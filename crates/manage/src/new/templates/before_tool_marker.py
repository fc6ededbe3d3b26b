import json
import sys

# Calls that contain one of these texts are refused: write what your project's guard is about.
FORBIDDEN = ["DO-NOT-TOUCH"]

call = json.load(sys.stdin)
arguments = json.dumps(call.get("tool_input", {}), ensure_ascii=False)

for text in FORBIDDEN:
    if text in arguments:
        print(f"This call contains {text}, which stays as it is here: find another way.", file=sys.stderr)
        sys.exit(2)

# No opinion.
sys.exit(0)
