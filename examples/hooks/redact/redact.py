#!/usr/bin/env python3
"""Takes e-mail addresses, card numbers and tokens out of what the model says.

It reads each chunk of the response (AfterModel) and replaces the chunk's text. What it takes out is
shown nowhere: not on the screen, not in the history, not in the transcript.
"""

import json
import re
import sys

PATTERNS = [
    ("e-mail address", re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")),
    ("card number", re.compile(r"(?<![\d-])\d(?:[ -]?\d){12,18}(?![\d-])")),
    (
        "token",
        re.compile(
            r"(?:AKIA|ASIA)[0-9A-Z]{16}|gh[opusr]_[0-9A-Za-z]{36}|glpat-[\w-]{20}"
            r"|xox[abeoprs]-[\w-]{10,}|AIza[\w-]{35}|[rs]k_live_[0-9A-Za-z]{16,}"
        ),
    ),
]


def main():
    payload = json.load(sys.stdin)
    chunk = payload.get("content") or ""
    before = payload.get("full_content") or chunk
    before = before[: len(before) - len(chunk)] if before.endswith(chunk) else ""
    text, found = redacted(before, chunk)
    if not found:
        return
    candidate = {"content": {"role": "model", "parts": [text]}}
    told = ", ".join(f"{number} × {what}" for what, number in found.items())
    reply = {
        "systemMessage": f"redacted: {told}",
        "hookSpecificOutput": {
            "hookEventName": "AfterModel",
            "llm_response": {"candidates": [candidate]},
        },
    }
    json.dump(reply, sys.stdout)


def redacted(before, chunk):
    """Returns the chunk without what must not be shown, and how much of each kind there was."""
    # The text before may hold the beginning of something that ends in this chunk.
    whole, start, found = before + chunk, len(before), {}
    pieces = []
    for what, pattern in PATTERNS:
        for match in pattern.finditer(whole):
            if match.end() > start and (what != "card number" or is_card(match.group())):
                pieces.append((max(match.start(), start), match.end(), what))
    text, position = [], start
    for begin, end, what in sorted(pieces):
        if begin < position:
            continue  # a part of what is taken out already
        text += [whole[position:begin], f"[{what} redacted]"]
        position = end
        found[what] = found.get(what, 0) + 1
    return "".join([*text, whole[position:]]), found


def is_card(text):
    """Tells a card number from any other row of digits, by its check digit (Luhn)."""
    digits = [int(character) for character in reversed(text) if character.isdigit()]
    doubled = [sum(divmod(2 * digit, 10)) for digit in digits[1::2]]
    return (sum(digits[0::2]) + sum(doubled)) % 10 == 0


if __name__ == "__main__":
    main()
