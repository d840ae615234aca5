#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing, builds, opens the window (on the files given). Without a display: the
# sample comparison as a table, a plan and pictures of the window's views, in out/.
set -euo pipefail
cd "$(dirname "$0")"

tools/setup.sh
cmake --preset release >/dev/null
cmake --build --preset release -j "$(nproc)" --target pipedeck pipedeck-cli

if [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then
  exec build/release/pipedeck "$@"
fi

sample=(--profile preset:BERT-48 --cluster "preset:DAPPLE config A, 2 × 8 V100" --global-batch 64)
mkdir -p out
echo "No display: the sample comparison without the window."
build/release/pipedeck-cli compare "${sample[@]}" | tee out/compare.txt
build/release/pipedeck-cli compare "${sample[@]}" --json > out/compare.json
build/release/pipedeck-cli plan "${sample[@]}" --planner dapple -o out/bert-48.plan.json > out/plan.txt
shots=()
for view in window compare profile topology; do
  shots+=(--screenshot "$view" "out/$view.png")
done
# The platform without a display says so of every window.
QT_QPA_PLATFORM=offscreen build/release/pipedeck --compare "${shots[@]}" 2> >(grep -vE 'propagateSizeHints|XDG_RUNTIME_DIR' >&2)

cat <<TEXT

table     out/compare.txt (as JSON: out/compare.json)
plan      out/bert-48.plan.json
pictures  out/window.png out/compare.png out/profile.png out/topology.png
TEXT
