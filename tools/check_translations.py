#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Finds texts of the window that no translation can reach: literals of two or more words outside tr().

Left alone are what no person reads in the window: usage texts, object names, style sheets, tags, patterns, keys of files,
and lines that say so in a comment: "// not shown", "// a name". usage: tools/check_translations.py [ROOT]; fails where it finds any.
"""
import glob
import os
import re
import sys

FOLDERS = ["session", "models", "views", "ui"]
USAGE = {"app/ui/command_line.cpp"}  # what the program says to a shell, in English as the other command line does
TOKEN = re.compile(r'''//[^\n]*|/\*.*?\*/|^[ \t]*\#[^\n]*|R"(\w*)\(.*?\)\1"|'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\\n])*"|[\w:]+|\S''',
                   re.S | re.M)
# Whoever takes its literals as texts to translate; errors are values, said by core_text.
TRANSLATES = re.compile(r"(?:^|::)(?:tr|translate|QT_TRANSLATE_NOOP|QT_TR_NOOP|ensure|fail|in_project|Infeasible|Error)$")
# Whoever takes them as names and patterns.
TECHNICAL = re.compile(r"(?:^|::)(?:setObjectName|setStyleSheet|setProperty|property|QRegularExpression|findChild|value|setValue|"
                       r"fprintf|puts|print|toString|qFatal|qWarning|qDebug|QKeySequence|fromUtf8|fromTheme|arguments|setenv|find_action)$")
KEYS = re.compile(r"^(?:(?:Shift|Ctrl|Alt|Left|Right|Up|Down|Home|End|Return|Esc|Tab|Space|Delete|PgUp|PgDown|F\d+|\w)(?:, |\+|$))+$")
WORDS = re.compile(r"[A-Za-z\u00c0-\u024f]{2,}")


def plain(literal):
    """What a person would read of it: no escapes, no placeholders, no tags."""
    text = re.sub(r"\\[nt]", " ", literal)
    text = re.sub(r"<[^>]*>|&\w+;|%\w+|\{[^{}]*\}|--[\w-]+", " ", text)
    return text


def reads_as_text(literal):
    text = plain(literal)
    if KEYS.search(text):
        return False
    if len(WORDS.findall(text)) < 2 or not re.search(r"\w[,.:;]? +\w", text):
        return False
    return not re.search(r"^\s*[\w-]+\s*:\s*[^;]+;|\{[^}]*:[^}]*\}|\bstyle=|^Q\w+[ :{]", literal)  # style sheets


def callee_stack(tokens):
    """For each literal the names of the calls that it stands in, outermost first."""
    stack, previous = [], ""
    for token in tokens:
        text = token.group(0)
        if text.startswith(("//", "/*")):
            continue
        if text.startswith('"') or text.startswith('R"'):
            yield token, [name for name in stack if name]
        elif text in "([{":
            stack.append(previous if text in "({" else "")
        elif text in ")]}" and stack:
            stack.pop()
        previous = text


def findings(path, text):
    joined = None  # neighbouring literals are one
    lines = text.split("\n")
    for token, callees in callee_stack(TOKEN.finditer(text)):
        literal = token.group(0)
        if literal.startswith("R"):
            continue
        between = text[joined[1]:token.start()] if joined else "x"
        if joined and not between.strip():
            joined = (joined[0] + literal[1:-1], token.end(), joined[2], callees)
            continue
        if joined:
            yield joined
        joined = (literal[1:-1], token.end(), token.start(), callees)
    if joined:
        yield joined


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
    found = 0
    for folder in FOLDERS:
        for path in sorted(glob.glob(os.path.join(root, "app", folder, "*.[ch]pp"))):
            name = os.path.relpath(path, root)
            if name in USAGE:
                continue
            with open(path, encoding="utf-8") as file:
                text = file.read()
            lines = text.split("\n")
            for literal, _, start, callees in findings(name, text):
                line = text.count("\n", 0, start)
                if not reads_as_text(literal) or re.search("// (?:not shown|a name)", lines[line]):
                    continue
                inner = [callee for callee in callees if callee not in ("QStringLiteral", "QLatin1String")]
                if any(TRANSLATES.search(callee) for callee in inner) or inner and TECHNICAL.search(inner[-1]):
                    continue
                print(f'{name}:{line + 1}: not translatable: "{literal}"')
                found += 1
    if not found:
        print("every text of the window goes through tr()")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
