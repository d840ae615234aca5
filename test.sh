#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing, builds with warnings as errors, runs all tests. Arguments go to ctest: ./test.sh -R planner
set -euo pipefail
cd "$(dirname "$0")"

tools/setup.sh
cmake --preset ci >/dev/null
cmake --build --preset ci -j "$(nproc)"
ctest --preset ci -j 2 "$@"
