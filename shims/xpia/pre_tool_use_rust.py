#!/usr/bin/env python3
"""The second historical name of the same hook."""
import os, runpy

runpy.run_path(os.path.join(os.path.dirname(os.path.abspath(__file__)), "pre_tool_use.py"), run_name="__main__")
