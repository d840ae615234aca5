#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that every link of the documentation leads to a file, and every anchor to a heading of that page.

usage: tests/docs_links.py REPOSITORY
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1]).resolve()
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])


def without_code(text):
    return re.sub(r"`[^`\n]*`", "", re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL))


def slugs_of(page):
    """Returns the anchors of a page's headings, as GitHub and F1 name them."""
    slugs = set()
    for heading in re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```", "", page.read_text(), flags=re.M | re.S), re.M):
        heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        slugs.add("".join("-" if c.isspace() else c for c in heading.lower() if c.isalnum() or c in "-_ "))
    return slugs


def faults_of(page):
    for target in re.findall(r"\]\(([^)\s]+)\)", without_code(page.read_text())):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        if not file.exists():
            yield f"found no file {target}"
        elif anchor and file.suffix == ".md" and anchor not in slugs_of(file):
            yield f"found no heading {target}"


def main():
    faults = [f"{page.relative_to(ROOT)}: {fault}" for page in PAGES for fault in faults_of(page)]
    print("\n".join(faults) or f"the links of {len(PAGES)} pages lead somewhere")
    sys.exit(bool(faults))


main()
