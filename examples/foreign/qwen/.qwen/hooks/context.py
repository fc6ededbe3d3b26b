#!/usr/bin/env python3
"""Context at the start of a session."""
import json
import sys

data = json.load(sys.stdin)
print("Project rule: speak of receipts, never of invoices.")
