#!/usr/bin/env python3
import asyncio, json, sys

async def is_bad(cmd: str) -> bool:
    await asyncio.sleep(0)
    return "rm -rf" in cmd

async def main() -> int:
    event = json.load(sys.stdin)
    results = await asyncio.gather(*[is_bad(it) for it in event["tool_input"]["command"].split(";")])
    if any(results):
        print("blocked", file=sys.stderr)
        return 2
    return 0

sys.exit(asyncio.run(main()))
