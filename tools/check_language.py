#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Finds texts that break the language rules of CONTRIBUTING.md: sentences that begin with a banned word, and banned
words. Texts are comments, the strings of app and core (windows, help, messages), and the pages of docs, whose lines may
have 100 columns. Comments and pages name only sources that exist. Prints each fault with its file and line.

    tools/check_language.py [--count] [FILE or FOLDER ...]

Without arguments: the folders that are clean and have to stay so. Exit status: 0, 1 where a rule is broken.
"""
import argparse
import collections
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CLEAN = ["core/analytic", "core/base", "core/cost", "core/io", "core/mesh", "core/model", "core/plan", "core/planner", "core/presets",
         "core/reproduce", "core/runtime", "core/schedule", "core/sim", "core/store", "core/study", "app", "tests"]
OPENINGS = ("What", "Of", "The same", "Those", "Who", "Whether")
WORDS = ("told", "tells", "say", "says", "said", "nobody", "beside", "at hand", "so many", "goes on", "lies", "reckon",
         "reckons")
UNITS = "device|GPU|sample|replica|stage|step|micro-batch|token|second|layer|node|rank|worker|process|machine|hour|month"
AMOUNTS = "bytes|samples|tokens|times|seconds|milliseconds|operations|images|requests|rows|values|GB|MB|TFLOP|dollars"
PER = re.compile(rf"\b(?:{AMOUNTS}) an? (?:{UNITS})\b")
OPENING = re.compile(rf"(?:^|(?<=[.!?:;] ))(?:{'|'.join(OPENINGS)})\b")
WORD = re.compile(rf"\b(?:{'|'.join(WORDS)})\b", re.IGNORECASE)
SUFFIXES = {".hpp": "//", ".cpp": "//", ".cu": "//", ".cuh": "//", ".py": "#", ".sh": "#", ".cmake": "#", ".txt": "#"}
QUOTED = re.compile(r'"[^"]*"|`[^`]*`')
STRING = r'"(?:\\.|[^"\\\n])*"'
STRINGS = re.compile(rf"{STRING}(?:\s*{STRING})*")
TITLES = ("What-if", "What if", "&What-if", "What if…")  # names, not sentences
PAGES = sorted([*(ROOT / "docs").glob("*.md"), *ROOT.glob("*.md")])
COLUMNS = 100
SOURCE = re.compile(r"(?<![\w/.])(?:[\w.-]+/)*[a-z]\w*\.(?:hpp|cpp|cuh|cu)\b")
FOLDER = re.compile(r"`((?:core|app|tests|tools|packaging|presets|resources)/[\w/.-]+)`")
EXAMPLES = ("tst_x.cpp",)
GENERATED = ("reproduction.md", "accuracy-rows.md")


def comments_of(path):
    """(line, text) of each block of comment lines, and of each comment behind code."""
    mark = SUFFIXES[path.suffix]
    lead = re.compile(rf"^\s*{re.escape(mark)}+(?:/|!|<)*\s?(.*)$")
    behind = re.compile(rf"\s{re.escape(mark)}+<?\s+(.*)$")
    block, first = [], 0
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        found = lead.match(line)
        if found and "SPDX-License-Identifier" not in line and not line.startswith("#!"):
            first = first or number
            block.append(found.group(1).strip())
            continue
        if block:
            yield first, block
            block, first = [], 0
        code = re.sub(r'"(?:\\.|[^"\\])*"', '""', line)
        if (found := behind.search(code)) and mark == "//":
            yield number, [found.group(1)]
    if block:
        yield first, block


def strings_of(path):
    """(line, text) of each string with a space, adjacent ones joined."""
    lines = path.read_text(encoding="utf-8").splitlines()
    code = "\n".join("" if line.lstrip().startswith(("//", "#include")) else line for line in lines)
    for found in STRINGS.finditer(code):
        text = "".join(piece[1:-1] for piece in re.findall(STRING, found.group(0)))
        if " " in text and text not in TITLES:
            yield code.count("\n", 0, found.start()) + 1, text.replace("\\n", " ").replace('\\"', "'")


def paragraphs_of(path):
    """(line, text) of each paragraph outside code blocks, and the lines that are too long."""
    paragraph, first, fenced = [], 0, False
    for number, line in enumerate([*path.read_text(encoding="utf-8").splitlines(), ""], 1):
        fenced ^= line.lstrip().startswith("```")
        if line.strip() and not fenced and not line.lstrip().startswith(("```", "#")):
            first = first or number
            paragraph.append(line.strip())
        elif paragraph:
            yield first, " ".join(paragraph)
            paragraph, first = [], 0


def long_lines_of(path):
    """Numbers of the lines of prose that are too long. Code, tables, pictures and links may be longer."""
    fenced = False
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        fenced ^= line.lstrip().startswith("```")
        if len(line) > COLUMNS and not fenced and not re.match(r"\s*(\||!?\[|```|<)", line) and "](" not in line:
            yield number, len(line)


def faults_of(text):
    for rule in (OPENING, WORD, PER):
        for found in rule.finditer(text):
            yield found.group(0), text[max(0, found.start() - 30):found.end() + 40]


def repository():
    """The paths of all files below ROOT that git knows or may come to know."""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, text=True, capture_output=True)
    if listed.returncode == 0:
        return [f"/{path}" for path in listed.stdout.splitlines()]
    return [f"/{path.relative_to(ROOT)}" for path in ROOT.rglob("*.*") if "build" not in path.parts]


def missing_sources(path, known):
    """(line, name) of each source or folder that a comment or a page names and that does not exist."""
    blocks = comments_of(path) if path.suffix in (".hpp", ".cpp", ".cu", ".cuh") else []
    if path.suffix == ".md":
        blocks = ((number, [line]) for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1))
    for line, block in blocks:
        text = " ".join(block)
        for name in (found.removeprefix("../") for found in SOURCE.findall(text)):
            if name not in EXAMPLES and not any(file.endswith(f"/{name}") for file in known):
                yield line, name
        for name in FOLDER.findall(text) if path.suffix == ".md" else ():
            if not any(file.startswith((f"/{name.rstrip('/')}/", f"/{name}.")) or file == f"/{name}" for file in known):
                yield line, name


def files_of(arguments):
    for argument in arguments:
        path = Path(argument) if Path(argument).is_absolute() else Path.cwd() / argument
        if path.is_dir():
            yield from sorted(file for file in path.rglob("*") if file.suffix in SUFFIXES and file.is_file())
        else:
            yield path


def texts_of(path):
    if path.suffix == ".md":
        for line, text in paragraphs_of(path):
            yield line, QUOTED.sub("''", text)
        return
    for line, block in comments_of(path):
        # A list of a block's lines: each may begin a sentence of its own, as after a colon.
        yield line, QUOTED.sub("''", " ".join(block))
    if path.suffix in (".cpp", ".hpp") and path.relative_to(ROOT).parts[0] in ("app", "core"):
        for line, text in strings_of(path):
            yield line, re.sub(r"`[^`]*`", "''", text)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("paths", nargs="*", metavar="FILE or FOLDER")
    arguments.add_argument("--count", action="store_true", help="faults of each folder instead of each fault")
    given = arguments.parse_args()
    counts = collections.Counter()
    known = repository()
    for path in files_of(given.paths or [*(ROOT / folder for folder in CLEAN), *PAGES]):
        faults = [(line, f"'{fault}' in: {around.strip()}")
                  for line, text in texts_of(path) for fault, around in faults_of(text)]
        if path.suffix == ".md" and path.name not in GENERATED:
            faults += [(line, f"{length} columns, at most {COLUMNS}") for line, length in long_lines_of(path)]
        faults += [(line, f"{name} does not exist") for line, name in missing_sources(path, known)]
        counts[str(path.parent.relative_to(ROOT))] += len(faults)
        if not given.count:
            for line, fault in sorted(faults):
                print(f"{path.relative_to(ROOT)}:{line}: {fault}")
    if given.count:
        for folder, count in sorted(counts.items()):
            print(f"{count:6} {folder}")
    faults = sum(counts.values())
    print(f"{faults} faults of language" if faults else "comments, texts and pages keep the language rules")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
