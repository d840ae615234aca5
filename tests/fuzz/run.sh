#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the fuzz targets and runs each for SECONDS, one per core at a time, or only the named ones:
#   tests/fuzz/run.sh SECONDS [TARGET ...]
# A target is a program of this folder ("documents", "trace") or an importer ("onnx", "slurm"). They begin with
# tests/fuzz/seeds and the fixtures. New inputs are saved in build/fuzz/corpus. An input that breaks a target is saved in
# build/fuzz/broken, and the run fails.
set -euo pipefail
cd "$(dirname "$0")/../.."
[[ ${1:-} =~ ^[0-9]+$ ]] || { echo "usage: tests/fuzz/run.sh SECONDS [TARGET ...]" >&2; exit 2; }
seconds=$1
shift

cmake --preset fuzz >/dev/null
cmake --build --preset fuzz --target fuzzers >/dev/null
programs=build/fuzz/tests/fuzz
if [ $# -eq 0 ]; then
  mapfile -t all < <({
    find tests/fuzz -name 'fuzz_*.cpp' ! -name fuzz_importer.cpp -printf '%f\n' | sed 's/^fuzz_//; s/\.cpp$//'
    "$programs/fuzz_importer"  # a program of an importer's name does more
  } | sort -u)
  set -- "${all[@]}"
fi

mkdir -p build/fuzz/broken
run_one() {
  local target=$1 corpus=build/fuzz/corpus/$1 log=build/fuzz/$1.log seeds=()
  local program=$programs/fuzz_$target
  [ -x "$program" ] || program="env PIPEDECK_IMPORTER=$target $programs/fuzz_importer"
  mkdir -p "$corpus"
  case $target in
    ibstat | kubernetes | lstopo | nccl-topology | nccl-tests | nvidia-smi | slurm | bandwidths | gpu-copies) seeds+=(tests/fixtures/topology) ;;
    megatron | torchtitan | deepspeed) seeds+=(tests/fixtures/jobs) ;;
    calculon-* | simumax-* | galvatron-*) seeds+=(tests/fixtures/simulators) ;;
    hugging-face) seeds+=(tests/fixtures/hugging_face) ;;
    layer-table) seeds+=(tests/fuzz/seeds/layer_table) ;;
    onnx) seeds+=(tests/fixtures/onnx) ;;
    profile | cluster | plan | model | simulation | calibration | workload) seeds+=(tests/fuzz/seeds/documents) ;;
    documents) seeds+=(presets/clusters presets/models) ;;
    project)
      mkdir -p build/fuzz/projects
      cp tests/fixtures/*.pipedeck build/fuzz/projects
      seeds+=(build/fuzz/projects)
      ;;
  esac
  [ ! -d "tests/fuzz/seeds/$target" ] || seeds+=("tests/fuzz/seeds/$target")
  # shellcheck disable=SC2086
  if $program -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=65536 \
    -artifact_prefix="build/fuzz/broken/$target-" "$corpus" "${seeds[@]}" >"$log" 2>&1; then
    echo "$target: $(grep -Eo 'Done [0-9]+ runs' "$log" | tail -1), $(grep -Eo 'cov: [0-9]+' "$log" | tail -1)"
  else
    echo "$target: broken, see $log and build/fuzz/broken"
    return 1
  fi
}
export -f run_one
export seconds programs
printf '%s\0' "$@" | xargs -0 -n 1 -P "$(nproc)" bash -c 'run_one "$1"' run_one
