#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the documentation's site of the pages in docs/, which F1 shows too, and of the programs' own --help.

usage: packaging/site/build.py PIPEDECK_CLI FOLDER

FOLDER gets the site, which opens without a server. Needs the packages mkdocs and mkdocs-material. A link to a page
that is not there ends the build.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BESIDE_DOCS = ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")


def commands_page(program):
    """Returns a page with what each command prints for --help."""
    def printed(*arguments):
        return subprocess.run([program, *arguments], check=True, capture_output=True, text=True).stdout

    overview = printed("--help")
    page = ["# Commands", "", "`pipedeck-cli COMMAND --help` prints these pages.", "", "```", overview.rstrip(), "```"]
    for command in re.findall(r"^  (\S+)", overview, re.MULTILINE):
        page += ["", f"## {command}", "", "```", printed(command, "--help").strip(), "```"]
    return "\n".join(page) + "\n"


def on_the_site(text, of_docs):
    """Returns a page with its links as they are on the site: all pages lie in one folder, the README is its index."""
    if of_docs:
        text = text.replace("](../README.md", "](index.md").replace("](../", "](")
    return text.replace("](README.md", "](index.md").replace("](docs/", "](")


def prepare(program, pages):
    shutil.copytree(ROOT / "docs", pages)
    for page in pages.glob("*.md"):
        page.write_text(on_the_site(page.read_text(), True))
    for name in BESIDE_DOCS:
        (pages / name).write_text(on_the_site((ROOT / name).read_text(), False))
    (pages / "index.md").write_text(on_the_site((ROOT / "README.md").read_text(), False))
    (pages / "commands.md").write_text(commands_page(program))
    for file in ("LICENSE", "resources/icons/pipedeck.svg"):
        shutil.copy(ROOT / file, pages)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as work:
        prepare(sys.argv[1], pathlib.Path(work) / "pages")
        shutil.copy(ROOT / "packaging/site/mkdocs.yml", work)
        subprocess.run(["mkdocs", "build", "--clean", "--config-file", f"{work}/mkdocs.yml", "--site-dir",
                        str(pathlib.Path(sys.argv[2]).resolve())], check=True)


main()
