#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the fuzz targets and runs each for SECONDS, one on each core at a time, or those that are named:
#   tests/fuzz/run.sh SECONDS [TARGET ...]
# They begin with the seeds of tests/fuzz/seeds and of the fixtures; what they find besides is kept in
# build/fuzz/corpus, what breaks one in build/fuzz/broken, and fails the run.
set -euo pipefail
cd "$(dirname "$0")/../.."
[[ ${1:-} =~ ^[0-9]+$ ]] || { echo "usage: tests/fuzz/run.sh SECONDS [TARGET ...]" >&2; exit 2; }
seconds=$1
shift
all=(bandwidths documents events gpu_copies graph_text hugging_face layer_table lstopo nccl nvidia_smi onnx slurm trace trace_profile)
[ $# -gt 0 ] || set -- "${all[@]}"

cmake --preset fuzz >/dev/null
cmake --build --preset fuzz --target "${@/#/fuzz_}" >/dev/null

mkdir -p build/fuzz/broken
run_one() {
  local target=$1 corpus=build/fuzz/corpus/$1 log=build/fuzz/$1.log seeds=()
  mkdir -p "$corpus"
  [ ! -d "tests/fuzz/seeds/$target" ] || seeds+=("tests/fuzz/seeds/$target")
  case $target in
    lstopo | nccl | nvidia_smi | slurm | bandwidths | gpu_copies) seeds+=(tests/fixtures/topology) ;;
    hugging_face) seeds+=(tests/fixtures/hugging_face) ;;
    documents) seeds+=(presets/clusters presets/models) ;;
    onnx) seeds+=(tests/fixtures/onnx) ;;
  esac
  if "build/fuzz/tests/fuzz/fuzz_$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=65536 \
    -artifact_prefix="build/fuzz/broken/$target-" "$corpus" "${seeds[@]}" >"$log" 2>&1; then
    echo "$target: $(grep -Eo 'Done [0-9]+ runs' "$log" | tail -1), $(grep -Eo 'cov: [0-9]+' "$log" | tail -1)"
  else
    echo "$target: broken, see $log and build/fuzz/broken"
    return 1
  fi
}
export -f run_one
export seconds
printf '%s\0' "$@" | xargs -0 -n 1 -P "$(nproc)" bash -c 'run_one "$1"' run_one
