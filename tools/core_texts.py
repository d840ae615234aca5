#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the sentences of core/, and the errors of app/session, as a table that Qt's tools can read, so that the window can say them in its language.

core/ has no Qt: it writes English, with fmt's {} where figures and names go. Each literal with words in it becomes one
row, its {} numbered as %1, %2, ... The patterns of reports (core/report/words.hpp) are a table of their own: they are
looked up, never recognised. usage: tools/core_texts.py ROOT OUTPUT.cpp
"""
import glob
import os
import re
import sys

FOLDERS = ["domain", "io", "analytic", "cost", "schedule", "sim", "planner", "presets", "runtime", "store", "whatif"]
# Of folders that write programs and pages, the files with sentences for the window.
FILES = ["engines/fit.cpp", "engines/module_list.cpp", "report/write_report.cpp"]
TOKEN = re.compile(r'''//[^\n]*|/\*.*?\*/|^[ \t]*\#[^\n]*|R"(\w*)\(.*?\)\1"|\b\d(?:'?\w)*|'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\\n])*"|\S''',
                   re.S | re.M)
# Single words that sentences are put together from; others are names, keys and values of files.
WORDS = set("""weights gradients optimizer boundary workspace reserve communication nothing pins node nodes none both columns
samples synchronous asynchronous partition recomputes done searching annealing balancing simulating improving partitioning
profile cluster plan simulation model calibration project thread threads machine machines card cards lane lanes channel channels pixels labels images
socket sockets""".split())
UNITS = {"GiB", "MiB", "GB", "ms", "tmp", "dp", "pp"}
MACHINE = re.compile(r"PRAGMA|#SBATCH|^#|set -euo|_compute_time|stage_id=|events.jsonl|et al\.|^pipedeck\.|SQLite format|mkdir -p|folder=|cat >|"
                     r"^[0-9a-z]{1,3} [0-9a-z ()+]*\([a-z0-9 +]+\)$|^mpirun |^srun |^/[a-z]|^[a-z_]+/\{|^[a-z]+_\{|^node\{\}|^(?:long|short) int$|signed char$|^Input (?:D|d|type)|^Sequence number$|^GPU Device list$|^\\\"[\w-]+\\\"(?:, |:)")
SQL = re.compile(r"^\s*(CREATE|INSERT|SELECT|DELETE|UPDATE|PRAGMA|BEGIN|DROP|VACUUM|ALTER|COMMIT|ATTACH)\b")


def literals(text):
    """Neighbouring literals as one; those of #include lines, comments and raw strings left out."""
    found, joined = [], None
    for match in TOKEN.finditer(text):
        token = match.group(0)
        if token.startswith("//") or token.startswith("/*"):
            continue
        if token.startswith('"'):
            joined = (joined or "") + token[1:-1]
            continue
        if joined is not None:
            found.append(joined)
            joined = None
    return found


def has_words(text):
    if text in WORDS or text in ("its F + B", "policy B"):
        return True
    plain = re.sub(r"\{[^}]*\}", " ", text)
    words = re.findall(r"[A-Za-z]{2,}", re.sub(r"--[\w-]+", " ", plain))
    return len(words) > 1 and " " in plain.strip() or bool(words) and "{" in text and " " in text and words[0] not in UNITS


def option_captions(text):
    """The names of planners' options as the window captions them: "min-slice" as "Min slice"."""
    for name in re.findall(r'\{\s*"([a-z][a-z-]*)",\s*OptionType::', text):
        yield name.replace("-", " ").capitalize()


def engine_summaries(text):
    """What each text for another engine is, and why a model can't be run by it."""
    return re.findall(r'\{"[a-z-]+", "\.\w+", "([^"]+)"', text) + re.findall(r'"(model: [^"]+)"', text)


def session_errors(text):
    """The session's own errors, which are values as the core's are: the first literal of each."""
    made = r'(?:fail\(|in_project\(|Infeasible\{|Error\{)(?:\s*ErrorCode::\w+,)?\s*(?:QStringLiteral\(\s*)?("(?:\\.|[^"\\\n])*"(?:\s*"(?:\\.|[^"\\\n])*")*)'
    return [literal for match in re.finditer(made, text) for literal in literals(match[1] + ";")]


LITERAL = r'("(?:\\.|[^"\\\n])*"(?:\s*"(?:\\.|[^"\\\n])*")*)'


def report_patterns(text):
    """What reports say: words("..."), words.count(number, "...", "...")."""
    for match in re.finditer(r"\bwords_?(?:\(\s*|\.count\([^\";]*)" + LITERAL + r"(?:,\s*" + LITERAL + ")?", text):
        both = match.group(0).startswith(("words.count", "words_.count"))
        yield from literals(match[1] + ";")
        if both:
            yield from literals(match[2] + ";")


def numbered(text):
    """fmt's placeholders as Qt's; fmt's doubled braces as they print."""
    count = 0

    def place(_):
        nonlocal count
        count += 1
        return f"%{count}"

    text = re.sub(r"\\u([0-9a-fA-F]{4})", lambda code: chr(int(code[1], 16)), text)  # lupdate would read on after the fourth
    text = re.sub(r"(?<!\{)\{(?:[^{}]|\{[^{}]*\})*\}(?!\})", place, text)
    return text.replace("{{", "{").replace("}}", "}")


def write_table(out, function, context, rows):
    out.write(f"const std::vector<const char*>& {function}() {{\n  static const std::vector<const char*> texts{{\n")
    for text in sorted(rows):
        out.write(f'      QT_TRANSLATE_NOOP("{context}", "{text}"),  // {rows[text]}\n')
    out.write("  };\n  return texts;\n}\n\n")


def main():
    root, output = sys.argv[1], sys.argv[2]
    rows = {}
    for place in [*(os.path.join(folder, "**", "*.[ch]pp") for folder in FOLDERS), *FILES]:
        for path in sorted(glob.glob(os.path.join(root, "core", place), recursive=True)):
            with open(path, encoding="utf-8") as file:
                for text in literals(file.read()):
                    if has_words(text) and not SQL.match(text) and not MACHINE.search(text):
                        rows.setdefault(numbered(text).strip(), os.path.relpath(path, root))
    for path in sorted(glob.glob(os.path.join(root, "core", "planner", "*.cpp"))):
        with open(path, encoding="utf-8") as file:
            for text in option_captions(file.read()):
                rows.setdefault(text, os.path.relpath(path, root))
    for path in sorted(glob.glob(os.path.join(root, "core", "engines", "*.cpp"))):
        with open(path, encoding="utf-8") as file:
            for text in engine_summaries(file.read()):
                rows.setdefault(numbered(text), os.path.relpath(path, root))
    for path in sorted(glob.glob(os.path.join(root, "app", "session", "*.cpp"))):
        with open(path, encoding="utf-8") as file:
            for text in session_errors(file.read()):
                rows.setdefault(numbered(text), os.path.relpath(path, root))
    patterns = {}
    for path in sorted(glob.glob(os.path.join(root, "core", "report", "*.cpp"))):
        with open(path, encoding="utf-8") as file:
            for text in report_patterns(file.read()):
                patterns.setdefault(numbered(text), os.path.relpath(path, root))
    with open(output, "w", encoding="utf-8") as out:
        out.write("// Generated from core/ by tools/core_texts.py.\n#include \"app/language/core_texts.hpp\"\n\n"
                  "#include <QtGlobal>\n\n"
                  "namespace pipedeck::app {\n\n")
        write_table(out, "core_texts", "core", rows)
        write_table(out, "report_texts", "report", patterns)
        out.write("}  // namespace pipedeck::app\n")


if __name__ == "__main__":
    main()
