#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing, builds, runs all tests. Arguments go to ctest: ./test.sh -R planner
# With CI=true warnings are errors; else the build is the one of run.sh, so that neither undoes the other's.
set -euo pipefail
cd "$(dirname "$0")"

preset=$([ "${CI:-}" = true ] && echo ci || echo release)
tools/setup.sh
cmake --preset "$preset" >/dev/null
cmake --build --preset "$preset" -j "$(nproc)"
ctest --preset "$preset" -j 2 "$@"
