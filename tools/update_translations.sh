#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Brings resources/i18n/*.ts up to date with the texts of the window and of the core. With --check nothing is written:
# fails where a text has no translation yet, or where a translation has no text any more.
set -euo pipefail
cd "$(dirname "$0")/.."

lupdate=$(command -v /usr/lib/qt6/bin/lupdate lupdate6 lupdate | head -1)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tools/core_texts.py . "$work/core_texts.cpp"
for ts in resources/i18n/*.ts; do
  cp "$ts" "$work/new.ts"
  "$lupdate" -silent -locations none -no-obsolete -no-ui-lines -I . app/language app/session app/models app/views app/ui "$work/core_texts.cpp" -ts "$work/new.ts"
  if [ "${1:-}" = --check ]; then
    python3 - "$work/new.ts" "$ts" <<'PY'
import sys, xml.etree.ElementTree as tree
def messages(path):
    return {(c.findtext("name"), m.findtext("source"), m.findtext("comment")): m.find("translation")
            for c in tree.parse(path).getroot().iter("context") for m in c.iter("message")}
wanted, there = messages(sys.argv[1]), messages(sys.argv[2])
lost = [key for key in wanted if key[0] not in ("core", "report") and not key[0].startswith("pipedeck::app::")]
missing = [key for key, text in wanted.items() if text.get("type") == "unfinished"]
left_over = [key for key in there if key not in wanted]
for context, source, _ in missing: print(f"{sys.argv[2]}: {context}: no translation of {source!r}")
for context, source, _ in lost: print(f"lupdate gives {source!r} the context {context!r}: it would not be found")
for context, source, _ in left_over: print(f"{sys.argv[2]}: {context}: {source!r} is no text of the program any more")
sys.exit(1 if missing or left_over or lost else 0)
PY
  else
    cp "$work/new.ts" "$ts"
  fi
done
