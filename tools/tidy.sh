#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs clang-tidy (.clang-tidy) over core and app: over the unity sources of a release build, eight files at once.
#   tools/tidy.sh [BUILD]   build/release without
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:-build/release}
find "$build/core" "$build/app" -path '*/Unity/*.cxx' -print0 |
  xargs -0 -P "$(nproc)" -n 1 clang-tidy --quiet -p "$build" --extra-arg=-Wno-unknown-warning-option 2> >(grep -v 'warnings generated' >&2)
