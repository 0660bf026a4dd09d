#!/usr/bin/env python3
"""The second historical name of the same hook."""
import json, os, runpy

try:
    runpy.run_path(os.path.join(os.path.dirname(os.path.abspath(__file__)), "pre_tool_use.py"), run_name="__main__")
except Exception as error:
    reason = f"the hook beside this one could not run, so the call may not run: {type(error).__name__}"
    print(json.dumps({"permissionDecision": "deny", "message": reason, "permissionDecisionReason": reason}))
