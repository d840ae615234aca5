#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs clang-tidy (.clang-tidy) over core and app: over the unity sources of a release build, eight files at once.
# Prints the findings of its checks, and fails if there are any. clang 14 cannot parse all of g++ 12's ranges: its own
# errors do not count.
#   tools/tidy.sh [BUILD]   build/release without
set -euo pipefail
cd "$(dirname "$0")/.."
build=$(realpath "${1:-build/release}")
sources=$(grep -oE "\"file\": \"$build/(core|app)/[^\"]*/Unity/[^\"]*\"" "$build/compile_commands.json" | cut -d'"' -f4 | sort -u) || {
  echo "$build: found no unity sources of core and app, expected a release build" >&2
  exit 2
}
findings=$({ xargs -P "$(nproc)" -n 1 clang-tidy --quiet -p "$build" --extra-arg=-Wno-unknown-warning-option <<<"$sources" 2>/dev/null || true; } |
  { grep -E 'warnings-as-errors\]$' || true; } | sort -u)
if [ -n "$findings" ]; then
  echo "$findings"
  exit 1
fi
echo "clang-tidy has no findings"
