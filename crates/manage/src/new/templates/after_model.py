import json
import sys

chunk = json.load(sys.stdin)

# A mark may begin in one chunk and end in the next: all text so far is looked at.
if "INTERNAL-ONLY" in (chunk.get("full_content") or chunk.get("content") or ""):
    print("The answer quotes text that is marked INTERNAL-ONLY.", file=sys.stderr)
    sys.exit(2)
