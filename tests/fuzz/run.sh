#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the fuzz targets and runs each for SECONDS, or those that are named:
#   tests/fuzz/run.sh SECONDS [TARGET ...]
# They begin with the seeds of tests/fuzz/seeds and of the fixtures; what they find besides is kept in
# build/fuzz/corpus, what breaks one in build/fuzz/broken, and fails the run.
set -euo pipefail
cd "$(dirname "$0")/../.."
[[ ${1:-} =~ ^[0-9]+$ ]] || { echo "usage: tests/fuzz/run.sh SECONDS [TARGET ...]" >&2; exit 2; }
seconds=$1
shift
all=(bandwidths documents events graph_text hugging_face layer_table lstopo nccl nvidia_smi onnx slurm trace)
[ $# -gt 0 ] || set -- "${all[@]}"

cmake --preset fuzz >/dev/null
cmake --build --preset fuzz --target "${@/#/fuzz_}" >/dev/null

mkdir -p build/fuzz/broken
broken=0
for target in "$@"; do
  corpus=build/fuzz/corpus/$target
  mkdir -p "$corpus"
  seeds=()
  for folder in "tests/fuzz/seeds/$target"; do [ -d "$folder" ] && seeds+=("$folder"); done
  case $target in
    lstopo | nccl | nvidia_smi | slurm | bandwidths) seeds+=(tests/fixtures/topology) ;;
    hugging_face) seeds+=(tests/fixtures/hugging_face) ;;
    documents) seeds+=(presets/clusters presets/models) ;;
  esac
  log=build/fuzz/$target.log
  if "build/fuzz/tests/fuzz/fuzz_$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=65536 \
    -artifact_prefix="build/fuzz/broken/$target-" "$corpus" "${seeds[@]}" >"$log" 2>&1; then
    echo "$target: $(grep -Eo 'Done [0-9]+ runs' "$log" | tail -1), $(grep -Eo 'cov: [0-9]+' "$log" | tail -1)"
  else
    broken=1
    echo "$target: broken, see $log and build/fuzz/broken"
  fi
done
exit $broken
