#!/usr/bin/env python3
"""Hands one hook call to `signalbox xpia-hook` and prints its answer; when that cannot run, the answer is a denial."""
import json, subprocess, sys


def deny(reason):
    print(json.dumps({"permissionDecision": "deny", "message": reason, "permissionDecisionReason": reason}))


try:
    call = sys.argv[1].encode("utf-8", "surrogateescape") if len(sys.argv) > 1 else sys.stdin.buffer.read()
    done = subprocess.run(["signalbox", "xpia-hook"], input=call, stdout=subprocess.PIPE, timeout=25)
    answer = json.loads(done.stdout)
    if done.returncode != 0 or not isinstance(answer, dict):
        raise ValueError(f"signalbox ended with {done.returncode}")
    print(json.dumps(answer))
except BaseException as error:
    deny(f"signalbox could not judge this call, so it may not run: {type(error).__name__}: {error}")
sys.exit(0)
