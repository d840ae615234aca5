#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Keeps the pictures of the documentation those that the tests draw. docs/pictures/makers.csv has the test of each
picture, and the name that the test gives it in the build's folder `pictures`; or the tool that draws a chart.

usage: tools/doc_pictures.py check    fails for a picture without a maker, and for a maker that draws no such picture
       tools/doc_pictures.py BUILD    copies all pictures from BUILD/pictures, after the tests have run
"""
import csv
import pathlib
import re
import shutil
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = ROOT / "docs/pictures"


def rows():
    with (FOLDER / "makers.csv").open() as table:
        return list(csv.DictReader(table))


def draws(source, name):
    """Returns whether a text in the source is the picture's name, with %1 for any part of it, or begins it."""
    for text in re.findall(r'"([^"\n]+)"', source):
        text = text.rpartition("/")[2]
        pattern = re.sub(r"%\d", ".+", re.escape(text))
        if text and re.fullmatch(pattern, name) or text.endswith("-") and name.startswith(text):
            return True
    return False


def faults():
    known = [row["picture"] for row in rows()]
    there = [str(file.relative_to(FOLDER)) for file in FOLDER.rglob("*") if file.suffix in (".png", ".svg")]
    for name in sorted(set(there) - set(known)):
        yield f"docs/pictures/{name}: found no row in makers.csv, expected the test that draws it"
    for name in sorted(set(known) - set(there)):
        yield f"docs/pictures/makers.csv: {name}: found no such picture"
    for row in rows():
        maker = ROOT / row["maker"]
        if not maker.is_file():
            yield f"docs/pictures/makers.csv: {row['picture']}: found no file {row['maker']}"
        elif row["file"] and not draws(maker.read_text(), row["file"]):
            yield f"docs/pictures/makers.csv: {row['picture']}: found no {row['file']} in {row['maker']}"
        elif not row["file"] and not row["maker"].startswith("tools/"):
            yield f"docs/pictures/makers.csv: {row['picture']}: found no name, expected the one that the test gives it"


def copy(build):
    missing = [row for row in rows() if row["file"] and not (build / "pictures" / row["file"]).is_file()]
    for row in missing:
        print(f"{build}/pictures/{row['file']}: found no such picture; run {pathlib.Path(row['maker']).stem}")
    for row in rows():
        if row["file"] and row not in missing:
            shutil.copyfile(build / "pictures" / row["file"], FOLDER / row["picture"])
    return bool(missing)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    if sys.argv[1] != "check":
        sys.exit(copy(pathlib.Path(sys.argv[1])))
    found = list(faults())
    print("\n".join(found) or f"the tests and tools draw all {len(rows())} pictures")
    sys.exit(bool(found))


main()
