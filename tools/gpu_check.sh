#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Everything that can only be known on a GPU, in one text: builds, runs the tests on the GPU (attention first), the same
# under compute-sanitizer, the kernels beside what the GPU's memory gives, profiles and links, a run beside its
# prediction, steps with CUDA graphs and without, and tokens a second of GPT-2 beside PyTorch.
# Numbers are those that programs have measured here; what was not run is said, with the reason.
#   tools/gpu_check.sh [--report FILE] [--build FOLDER]
# Exit status: 0 all well, 1 something failed (the report says what), 2 there is no GPU or something is missing.
set -uo pipefail
cd "$(dirname "$0")/.."
report=gpu-report.txt build=build/release

usage() { sed -n '3,7s/^# \{0,1\}//p' "$0"; }
refuse() { echo "gpu_check: $1" >&2; exit 2; }
while [ $# -gt 0 ]; do
  case $1 in
    --report|--build) [ $# -ge 2 ] || refuse "$1: found nothing, expected a path"
      if [ "$1" = --report ]; then report=$2; else build=$2; fi
      shift 2 ;;
    --help) usage; exit 0 ;;
    *) refuse "found '$1', expected --report FILE or --build FOLDER" ;;
  esac
done

command -v nvidia-smi >/dev/null || refuse "found no nvidia-smi, expected a machine with a GPU and NVIDIA's driver"
gpus=$(nvidia-smi -L 2>&1) && [[ $gpus == *GPU* ]] || refuse "found no GPU: nvidia-smi says: $gpus"
for tool in cmake ninja python3; do
  command -v "$tool" >/dev/null || refuse "found no $tool, expected what tools/setup.sh installs"
done

failed=0
say() { echo "$*" | tee -a "$report"; }
title() { say ""; say "== $1"; }
# Runs a command whose output is part of the report.
run() {
  local status=0
  "$@" 2>&1 | tee -a "$report"
  status=${PIPESTATUS[0]}
  [ "$status" -eq 0 ] || { failed=1; say "FAILED with status $status: $*"; }
  return "$status"
}

: >"$report" || refuse "can't write $report"
say "Pipedeck on a GPU, $(date -u +%Y-%m-%dT%H:%M:%SZ), commit $(git rev-parse --short HEAD 2>/dev/null || echo unknown)"
title "Machine"
run nvidia-smi --query-gpu=name,memory.total,driver_version,clocks.max.sm,power.limit --format=csv
run nvidia-smi topo -m

title "Build"
tests=(tst_cuda_attention_gpu tst_cuda_kernels_gpu tst_cuda_rows_gpu tst_cuda_products_gpu tst_cuda_layers_gpu
       tst_cuda_nccl_gpu tst_cuda_training_gpu tst_cuda_runs_gpu tst_cuda_graphs_gpu)
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! { cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release && cmake --build "$build" --target pipedeck-cli \
       pipedeck-cuda bench_cuda_kernels "${tests[@]}"; } >"$log" 2>&1; then
  tail -n 60 "$log" | tee -a "$report"
  say "FAILED: the build; nothing was measured"
  exit 1
fi
grep -m1 "CUDA:" "$log" | tee -a "$report"

test_program() { find "$build/tests" -type f -name "$1" -perm -u+x -print -quit; }
title "Tests on the GPU"
for test in "${tests[@]}"; do
  output=$(QT_QPA_PLATFORM=offscreen LC_ALL=C.UTF-8 timeout 1800 "$(test_program "$test")" 2>&1)
  status=$?
  say "$test: $(grep -m1 '^Totals:' <<<"$output" || echo "no result"), status $status"
  [ "$status" -eq 0 ] || { failed=1; grep -A4 -E '^(FAIL|QFATAL|XPASS)' <<<"$output" | head -n 60 | tee -a "$report"; }
  grep -m3 '^SKIP' <<<"$output" | tee -a "$report"
done

title "compute-sanitizer"
if sanitizer=$(command -v compute-sanitizer || ls /usr/local/cuda/bin/compute-sanitizer 2>/dev/null); then
  for tool in memcheck racecheck initcheck synccheck; do
    for test in tst_cuda_attention_gpu tst_cuda_kernels_gpu tst_cuda_rows_gpu; do
      output=$(QT_QPA_PLATFORM=offscreen timeout 3600 "$sanitizer" --tool "$tool" --error-exitcode 9 \
        "$(test_program "$test")" 2>&1)
      status=$?
      say "$tool $test: $(grep '========= \(ERROR\|RACECHECK\) SUMMARY' <<<"$output" | tail -n 1), status $status"
      [ "$status" -eq 0 ] || { failed=1; grep '=========' <<<"$output" | head -n 40 | tee -a "$report"; }
    done
  done
else
  say "not run: compute-sanitizer is not there"
fi

title "Kernels beside a copy within the GPU's memory"
run "$build/bench_cuda_kernels"

gpt=presets/models/2-gpt-2-124m.model.json
folder=$(mktemp -d)
title "Profile of GPT-2 124M in bf16, copies between GPUs, all-reduces beside predictions and NCCL's own estimates"
run "$build/pipedeck-cli" profile --model "$gpt" --backend cuda --precision bf16 --micro-batch 1,2,4 --links
title "The same in single launches"
run "$build/pipedeck-cli" profile --model "$gpt" --backend cuda --precision bf16 --micro-batch 1,2,4 --no-graphs

title "GPT-2 124M in bf16: a run beside its prediction from a profile and the cluster of this machine"
run "$build/pipedeck-cli" profile --model "$gpt" --backend cuda --precision bf16 --micro-batch 4 \
  -o "$folder/gpt.profile.json" &&
  run "$build/pipedeck-cli" convert --this-machine -o "$folder/here.cluster.json" &&
  run "$build/pipedeck-cli" plan --profile "$folder/gpt.profile.json" --cluster "$folder/here.cluster.json" \
    --global-batch 16 --micro-batch 4 --pp 1 --dp 1 --planner gpipe -o "$folder/gpt.plan.json" &&
  run "$build/pipedeck-cli" run --plan "$folder/gpt.plan.json" --model "$gpt" --backend cuda --precision bf16 \
    --steps 30 --profile "$folder/gpt.profile.json" --cluster "$folder/here.cluster.json"
rm -rf "$folder"

title "Steps with CUDA graphs and without: one small model, whose kernels are over before the next is launched"
folder=$(mktemp -d)
cat >"$folder/plan.json" <<'PLAN'
{"format": "pipedeck.plan", "version": 1, "name": "one device", "planner": "hand", "profile": "gpt", "cluster": "here",
 "global_batch": 8, "micro_batch": 1, "micro_batches": 8, "schedule": "1f1b", "optimizer": "adam", "precision": "fp32",
 "stages": [{"layers": [0, 11], "devices": [0]}]}
PLAN
for graphs in "" --no-graphs; do
  run timeout 300 "$build/pipedeck-cli" run --plan "$folder/plan.json" --model preset:gpt-tiny --backend cuda \
    --steps 50 $graphs
done
rm -rf "$folder"

# write_plan FILE NAME DEGREE DEVICES [DEGREE DEVICES]: mlp-small in one or two stages.
write_plan() {
  python3 - "$@" <<'PLAN'
import json, sys
path, name, *stages = sys.argv[1:]
layers = [0, 8] if len(stages) == 2 else [0, 4, 8]
plan = {"format": "pipedeck.plan", "version": 1, "name": name, "planner": "hand", "profile": "mlp", "cluster": "here",
        "global_batch": 32, "micro_batch": 8, "micro_batches": 4, "schedule": "1f1b", "warmup": "A",
        "optimizer": "adam", "precision": "fp32", "zero": 0,
        "stages": [{"layers": layers[i:i + 2], "devices": json.loads(stages[2 * i + 1]),
                    "tensor_parallel": int(stages[2 * i]), "recompute": False} for i in range(len(stages) // 2)]}
json.dump(plan, open(path, "w"))
PLAN
}
folder=$(mktemp -d)

title "What the driver tells of a run: power, clocks, memory, energy, and what a look takes"
write_plan "$folder/plan.json" alone 1 '[0]'
if run timeout 300 "$build/pipedeck-cli" run --plan "$folder/plan.json" --model preset:mlp-small --backend cuda \
    --steps 2000 --sample-every 200 --events "$folder/run.jsonl"; then
  run nvidia-smi --query-gpu=uuid,power.draw,memory.used,clocks.sm,utilization.gpu,temperature.gpu --format=csv
  run grep -m1 '"started"' "$folder/run.jsonl"
  run sh -c 'grep "\"sample\"" "$1" | tail -n 1' sh "$folder/run.jsonl"
  run grep '"finished"' "$folder/run.jsonl"
fi

title "Two GPUs joined by NCCL: stages, replicas, layers cut"
if [ "$(grep -c '^GPU ' <<<"$gpus")" -ge 2 ]; then
  for plan in 'stages 1 [0] 1 [1]' 'replicas 1 [0,1]' 'cut 2 [0,1]'; do
    write_plan "$folder/plan.json" $plan
    run timeout 300 "$build/pipedeck-cli" run --plan "$folder/plan.json" --model preset:mlp-small --backend cuda \
      --steps 20 --overlap "$([ "${plan%% *}" = replicas ] && echo layer || echo none)"
  done
else
  say "not run: there is one GPU"
fi
rm -rf "$folder"

title "GPT-2 124M, one GPU"
run python3 tests/bench/gpt_on_gpu.py "$build/pipedeck-cli" presets/models/2-gpt-2-124m.model.json

title "Result"
if [ "$failed" -eq 0 ]; then say "all well"; else say "something FAILED: see above"; fi
exit "$failed"
