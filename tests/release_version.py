#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that all files name the version of CMakeLists.txt: the newest entry of CHANGELOG.md, CITATION.cff and the
metadata of the desktop; with its date, once it is released.

usage: tests/release_version.py REPOSITORY
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1])


def found(file, pattern):
    match = re.search(pattern, (ROOT / file).read_text(), re.MULTILINE)
    return match[1] if match else "nothing"


def main():
    version = found("CMakeLists.txt", r"^project\(Pipedeck VERSION ([0-9.]+)")
    date = found("CHANGELOG.md", r"^## \S+ \((.*)\)$")
    values = [("CHANGELOG.md", r"^## (\S+) \(", version), ("CITATION.cff", r"^version: (.*)$", version),
              ("packaging/pipedeck.metainfo.xml.in", r'<release version="([^"]*)"', "@PROJECT_VERSION@")]
    if date != "not released yet":
        values += [("CHANGELOG.md", r"^## \S+ \((\d{4}-\d\d-\d\d)\)$", date),
                   ("CITATION.cff", r"^date-released: (.*)$", date),
                   ("packaging/pipedeck.metainfo.xml.in", r'<release [^>]*date="([^"]*)"', date)]
    faults = [f"{file}: found {found(file, pattern)}, expected {expected}"
              for file, pattern, expected in values if found(file, pattern) != expected]
    print("\n".join(faults) or f"all files name version {version}, {date}")
    sys.exit(bool(faults))


main()
