#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that programs and modules load libraries from absolute folders alone, never from the current one.

usage: tests/runpaths.py FILE...
"""
import re
import subprocess
import sys


def relative_entries(file):
    dynamic = subprocess.run(["readelf", "-d", "-W", file], capture_output=True, text=True, check=True).stdout
    entries = [entry for path in re.findall(r"\((?:RPATH|RUNPATH)\).*\[(.*)\]", dynamic) for entry in path.split(":")]
    return [entry for entry in entries if not re.match(r"/|\$ORIGIN(/|$)|\$\{ORIGIN\}(/|$)", entry)]


def main():
    bad = {file: found for file in sys.argv[1:] if (found := relative_entries(file))}
    for file, entries in bad.items():
        print(f"{file}: found {entries} in its run path, expected absolute folders")
    sys.exit(bool(bad))


main()
