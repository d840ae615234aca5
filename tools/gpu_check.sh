#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Everything that can only be known on a GPU, in one text, in sections that can be run one at a time:
#   machine build tests sanitizer kernels profile prediction graphs driver several oversubscribe loss gpt images
# Numbers are those that programs have measured here; what was not run is said, with the reason.
#   tools/gpu_check.sh [--report FILE] [--build FOLDER] [--only SECTION,...] [--limit SECONDS] [--no-build]
#   tools/gpu_check.sh --pack FILE.tar.xz [--build FOLDER]
# --only adds these sections to the report. --limit: no section takes longer (3600); what it has measured until then is
# in the report. --no-build takes programs that are there already. --pack, on any machine with the CUDA toolkit, builds
# them and packs them with the libraries that they need but for NVIDIA's, for a machine that has no compiler or no
# network: there unpack (python3 -m tarfile -e FILE) beside tools/, and run with --build gpu-check --no-build.
# Exit status: 0 all well, 1 something failed (the report says what), 2 there is no GPU or something is missing.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 2
report=gpu-report.txt build=build/release only="" limit=3600 make=yes pack=""
all="machine build tests sanitizer kernels profile prediction graphs driver several oversubscribe loss gpt images"

usage() { sed -n '3,13s/^# \{0,1\}//p' "$0"; }
refuse() { echo "gpu_check: $1" >&2; exit 2; }
while [ $# -gt 0 ]; do
  case $1 in
    --report|--build|--only|--limit|--pack) [ $# -ge 2 ] || refuse "$1: found nothing, expected a value"
      case $1 in
        --report) report=$2 ;; --build) build=$2 ;; --only) only=${2//,/ } ;; --limit) limit=$2 ;; --pack) pack=$2 ;;
      esac
      shift 2 ;;
    --no-build) make=no; shift ;;
    --help) usage; exit 0 ;;
    *) refuse "found '$1', expected --report, --build, --only, --limit, --no-build or --pack" ;;
  esac
done
[[ $limit =~ ^[1-9][0-9]*$ ]] || refuse "--limit: found '$limit', expected whole seconds"
for section in $only; do
  [[ " $all " == *" $section "* ]] || refuse "--only: found '$section', expected some of: $all"
done

tests=(tst_cuda_attention_gpu tst_cuda_kernels_gpu tst_cuda_rows_gpu tst_cuda_products_gpu tst_cuda_layers_gpu
       tst_cuda_nccl_alone_gpu tst_cuda_profiles_gpu tst_cuda_graphs_gpu tst_cuda_training_gpu tst_cuda_nccl_gpu
       tst_cuda_runs_gpu)
# Each test alone, so that one that can't be built here leaves the others.
build_programs() {
  for tool in cmake ninja; do command -v "$tool" >/dev/null || { echo "found no $tool"; return 1; }; done
  [ -f "$build/build.ninja" ] || cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release || return 1
  cmake --build "$build" --target pipedeck-cli pipedeck-cuda bench_cuda_kernels || return 1
  cmake --build "$build" --target "${tests[@]}" -- -k 0
}
test_program() { find "$build" -path "$build/bin" -prune -o -type f -name "$1" -perm -u+x -print -quit 2>/dev/null; }

if [ -n "$pack" ]; then
  [ "$make" = no ] || build_programs || refuse "the build failed: nothing was packed"
  folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT
  mkdir -p "$folder/gpu-check/lib" "$folder/gpu-check/bin"
  for program in pipedeck-cli pipedeck-cuda.so bench_cuda_kernels "${tests[@]}"; do
    found=$(find "$build" -maxdepth 1 -name "$program" -print -quit); found=${found:-$(test_program "$program")}
    [ -n "$found" ] || refuse "found no $program in $build, expected it to be built"
    cp "$found" "$folder/gpu-check/bin/" || exit 1
    # The packed libraries are for this program alone: Python has its own.
    [[ $program == *.so ]] || cat >"$folder/gpu-check/$program" <<'START'
#!/bin/sh
here=$(dirname "$(readlink -f "$0")")
LD_LIBRARY_PATH=${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$here/lib exec "$here/bin/$(basename "$0")" "$@"
START
    ldd "$found" | awk '$2 == "=>" && $3 ~ "^/" {print $3}'
  done | grep -Ev '/(libc|libm|libdl|librt|libpthread|libstdc\+\+|libgcc_s|ld-linux[^/]*|libcuda|libcublas[^/]*|libcudnn[^/]*|libnccl)\.so' |
    sort -u | xargs -r -I{} cp -L {} "$folder/gpu-check/lib/"
  [ "${PIPESTATUS[0]}" -eq 0 ] && [ -x "$folder/gpu-check/bin/pipedeck-cli" ] || exit 2
  chmod +x "$folder"/gpu-check/*[a-z]
  find "$folder"/gpu-check/bin "$folder"/gpu-check/lib -type f -exec strip --strip-unneeded {} + 2>/dev/null
  # The programs have most of their code in common: xz sees that, gzip does not.
  tar -C "$folder" -cf - gpu-check | xz -9 >"$pack" || refuse "can't write $pack"
  echo "$pack: $(du -h "$pack" | cut -f1)"
  exit 0
fi

command -v nvidia-smi >/dev/null || refuse "found no nvidia-smi, expected a machine with a GPU and NVIDIA's driver"
gpus=$(nvidia-smi -L 2>&1) && [[ $gpus == *GPU* ]] || refuse "found no GPU: nvidia-smi says: $gpus"
needed=(); [ "$make" = yes ] && needed+=(cmake ninja)
needed+=(python3 timeout tee find)
for tool in "${needed[@]}"; do
  command -v "$tool" >/dev/null || refuse "found no $tool, expected what tools/setup.sh installs, or --no-build"
done
[[ $build == /* ]] || build=$PWD/$build
cli=$build/pipedeck-cli
[ "$make" = yes ] || [ -x "$cli" ] || refuse "found no $cli, expected it to be built (--no-build)"

failed=0 end=$((SECONDS + limit))
say() { echo "$*" | tee -a "$report"; }
left() { local seconds=$((end - SECONDS)); [ "$seconds" -gt 1 ] && echo "$seconds" || echo 1; }
no_time() { [ "$SECONDS" -lt "$end" ] && return 1; say "not run: the section's time is over (--limit $limit): $*"; }
# Runs a command whose output is part of the report, no longer than the section may take.
run() {
  local status=0
  no_time "$*" && return 124
  timeout -k 10 "$(left)" "$@" 2>&1 | tee -a "$report"
  status=${PIPESTATUS[0]}
  [ "$status" -ne 77 ] || return 0  # it has said why it was not run
  [ "$status" -ne 124 ] || { failed=1; say "FAILED: stopped when the section's time was over: $*"; return 124; }
  [ "$status" -eq 0 ] || { failed=1; say "FAILED with status $status: $*"; }
  return "$status"
}

[ -n "$only" ] && [ -f "$report" ] || : >"$report" || refuse "can't write $report"
scratch=$(mktemp -d); trap 'rm -rf "$scratch"' EXIT
# NVIDIA's libraries as PyTorch's wheels bring them.
libraries=${LD_LIBRARY_PATH:-}
wheels=$(python3 -c 'import glob, os, nvidia
print(":".join(sorted(path for root in nvidia.__path__ for path in glob.glob(os.path.join(root, "*", "lib")))))' 2>/dev/null)
[ -z "$wheels" ] || libraries=$libraries:$wheels
export LD_LIBRARY_PATH=${libraries#:} QT_QPA_PLATFORM=offscreen LC_ALL=C.UTF-8 PYTHONUNBUFFERED=1
gpt=presets/models/2-gpt-2-124m.model.json

say_machine() {
  run nvidia-smi --query-gpu=name,memory.total,driver_version,clocks.max.sm,power.limit,ecc.mode.current --format=csv
  run nvidia-smi topo -m
  [ ! -x "$cli" ] || run "$cli" list devices
  python3 -c 'import torch; print("PyTorch", torch.__version__, "CUDA", torch.version.cuda)' 2>&1 | tail -n 1 |
    tee -a "$report"
}

say_build() {
  [ "$make" = yes ] || { say "not run: --no-build"; return; }
  local log=$scratch/build.log
  if ! (build_programs) >"$log" 2>&1; then
    failed=1
    tail -n 60 "$log" | tee -a "$report"
    say "FAILED: the build"
    [ -x "$cli" ] && [ -f "$build/pipedeck-cuda.so" ] || exit 1  # nothing can be measured
  fi
  grep -m1 "CUDA:" "$log" | tee -a "$report"
}

say_tests() {
  for test in "${tests[@]}"; do
    local program output status
    no_time "$test" && continue
    program=$(test_program "$test")
    [ -n "$program" ] || { failed=1; say "$test: not run: it is not built"; continue; }
    output=$(timeout -k 10 "$(left)" "$program" 2>&1); status=$?
    say "$test: $(grep -m1 '^Totals:' <<<"$output" || echo "no result"), status $status"
    [ "$status" -eq 0 ] || { failed=1; grep -A4 -E '^(FAIL|QFATAL|XPASS)|error while loading' <<<"$output" | head -n 60 | tee -a "$report"; }
    grep -m3 '^SKIP' <<<"$output" | tee -a "$report"
    grep -m3 'NCCL to itself' <<<"$output" | tee -a "$report"
  done
}

say_sanitizer() {
  local sanitizer program output status
  sanitizer=$(command -v compute-sanitizer || ls /usr/local/cuda/bin/compute-sanitizer 2>/dev/null) ||
    { say "not run: compute-sanitizer is not there"; return; }
  # It makes kernels slower by a factor of ten to a thousand: the quickest tool first.
  for tool in memcheck synccheck initcheck racecheck; do
    for test in tst_cuda_rows_gpu tst_cuda_kernels_gpu tst_cuda_attention_gpu; do
      no_time "$tool $test" && continue
      program=$(test_program "$test")
      [ -n "$program" ] || { say "$tool $test: not run: it is not built"; continue; }
      output=$(timeout -k 10 "$(left)" "$sanitizer" --target-processes all --tool "$tool" --error-exitcode 9 "$program" 2>&1); status=$?
      if grep -q 'Device not supported\|Unable to find injection library' <<<"$output"; then
        say "not run: compute-sanitizer says: $(grep -m1 'not supported\|Unable' <<<"$output")"; return
      fi
      say "$tool $test: $(grep '========= \(ERROR\|RACECHECK\) SUMMARY' <<<"$output" | tail -n 1), status $status"
      [ "$status" -ne 124 ] || { say "stopped when the section's time was over: nothing is known of it"; continue; }
      [ "$status" -eq 0 ] || { failed=1; grep '=========' <<<"$output" | head -n 40 | tee -a "$report"; }
    done
  done
}

say_kernels() {
  [ -x "$build/bench_cuda_kernels" ] || { say "not run: bench_cuda_kernels is not built"; return; }
  run "$build/bench_cuda_kernels"
}

say_profile() {
  say "GPT-2 124M in bf16; copies between GPUs, all-reduces beside predictions and NCCL's own estimates"
  run "$cli" profile --model "$gpt" --backend cuda --precision bf16 --micro-batch 1,2,4 --links \
    --cluster-out "$scratch/measured.cluster.json"
  say "The same in single launches"
  run "$cli" profile --model "$gpt" --backend cuda --precision bf16 --micro-batch 1,2,4 --no-graphs
  if [ "$(grep -c '^GPU ' <<<"$gpus")" -ge 2 ]; then
    say "Layers cut over two GPUs"
    run "$cli" profile --model "$gpt" --backend cuda --precision bf16 --micro-batch 4 --tensor-parallel 2
  fi
}

say_prediction() {
  local model name=$scratch/here
  run "$cli" convert --this-machine -o "$name.cluster.json" || return
  for model in "$gpt" presets/models/4-resnet-50.model.json; do
    say "$model in bf16: times and memory of a run beside what is predicted from its profile"
    run "$cli" profile --model "$model" --backend cuda --precision bf16 --micro-batch 4 -o "$name.profile.json" &&
      run "$cli" plan --profile "$name.profile.json" --cluster "$name.cluster.json" --global-batch 16 --micro-batch 4 \
        --pp 1 --dp 1 --planner gpipe -o "$name.plan.json" &&
      run "$cli" run --plan "$name.plan.json" --model "$model" --backend cuda --precision bf16 --steps 30 \
        --profile "$name.profile.json" --cluster "$name.cluster.json"
  done
}

say_graphs() {
  say "One small model, whose kernels are over before the next is launched"
  cat >"$scratch/tiny.json" <<'PLAN'
{"format": "pipedeck.plan", "version": 1, "name": "one device", "planner": "hand", "profile": "gpt", "cluster": "here",
 "global_batch": 8, "micro_batch": 1, "micro_batches": 8, "schedule": "1f1b", "optimizer": "adam", "precision": "fp32",
 "stages": [{"layers": [0, 11], "devices": [0]}]}
PLAN
  for graphs in "" --no-graphs; do
    run "$cli" run --plan "$scratch/tiny.json" --model preset:gpt-tiny --backend cuda --steps 50 $graphs
  done
}

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

say_driver() {
  say "What the driver tells of a run: power, clocks, memory, energy, and what a look takes"
  write_plan "$scratch/plan.json" alone 1 '[0]'
  if run "$cli" run --plan "$scratch/plan.json" --model preset:mlp-small --backend cuda --steps 2000 \
      --sample-every 200 --events "$scratch/run.jsonl"; then
    run nvidia-smi --query-gpu=uuid,power.draw,memory.used,clocks.sm,utilization.gpu,temperature.gpu --format=csv
    run grep -m1 '"started"' "$scratch/run.jsonl"
    run sh -c 'grep "\"sample\"" "$1" | tail -n 1' sh "$scratch/run.jsonl"
    run grep '"finished"' "$scratch/run.jsonl"
  fi
}

say_several() {
  [ "$(grep -c '^GPU ' <<<"$gpus")" -ge 2 ] || { say "not run: there is one GPU"; return; }
  for plan in 'stages 1 [0] 1 [1]' 'replicas 1 [0,1]' 'cut 2 [0,1]'; do
    write_plan "$scratch/plan.json" $plan
    run "$cli" run --plan "$scratch/plan.json" --model preset:mlp-small --backend cuda --steps 20 \
      --overlap "$([ "${plan%% *}" = replicas ] && echo layer || echo none)"
  done
}

say_oversubscribe() {
  say "Two stages on one GPU, and one: the same losses"
  write_plan "$scratch/one.json" one 1 '[0]' && write_plan "$scratch/two.json" two 1 '[0]' 1 '[1]'
  for stages in one two; do
    run env CUDA_VISIBLE_DEVICES=0 "$cli" run --plan "$scratch/$stages.json" --model preset:mlp-small --backend cuda \
      --steps 40 --oversubscribe --events "$scratch/$stages.jsonl" || return
  done
  run python3 - "$scratch" <<'COMPARE'
import json, sys
def losses(name):
    events = [json.loads(line) for line in open(f"{sys.argv[1]}/{name}.jsonl")]
    return [event["loss"] for event in events if event["event"] == "step"]
one, two = losses("one"), losses("two")
apart = max(abs(a - b) / max(abs(a), 1e-9) for a, b in zip(one, two))
print(f"{len(one)} and {len(two)} steps: losses are at most {apart:.1e} apart (at most 1e-5 wanted)")
sys.exit(0 if len(one) == len(two) == 40 and apart <= 1e-5 else 1)
COMPARE
}

say_loss() {
  for precision in fp32 tf32 bf16; do
    run python3 tests/bench/losses_beside_torch.py "$cli" "$gpt" --precision "$precision" --steps 100 --batch 4
  done
}

say_gpt() {
  "$cli" convert --this-machine -o "$scratch/peak.cluster.json" >/dev/null 2>&1
  run python3 tests/bench/gpt_on_gpu.py "$cli" "$gpt" --cluster "$scratch/peak.cluster.json" \
    --time-limit "$(($(left) * 2 / 3))"
}

say_images() {
  run python3 tests/bench/images_on_gpu.py "$cli" presets/models/9-vgg-16.model.json \
    presets/models/4-resnet-50.model.json --time-limit "$(($(left) * 2 / 3))"
}

say "Pipedeck on a GPU, $(date -u +%Y-%m-%dT%H:%M:%SZ), commit $(git rev-parse --short HEAD 2>/dev/null || echo unknown)"
for section in ${only:-$all}; do
  say ""
  say "== $section"
  end=$((SECONDS + limit))
  "say_$section"
done
say ""
say "== result"
if [ "$failed" -eq 0 ]; then say "all well"; else say "something FAILED: see above"; fi
exit "$failed"
