#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Measures on a GPU what no other machine shows, section by section, in the order of worth:
#   machine build tests kernels oversubscribe gpt loss graphs trace prediction profile images driver several sanitizer
# Usage:
#   tools/gpu_check.sh [--report FILE] [--build FOLDER] [--only SECTION,...] [--total SECONDS] [--limit SECONDS]
#                      [--no-build] [--small]
#   tools/gpu_check.sh --pack FILE.tar.xz [--build FOLDER] [--no-build]
# --report: the text, written section by section: gpu-report.txt, in $OUT if that is set. Raw figures go to its folder:
#   gpu-report.tests.log, .runs.jsonl, .times.jsonl, .losses.csv, .profiles.jsonl, .trace.csv.
# --only adds these sections to the report.
# --total: limit of all sections together; each has its share, and the others get its unused time.
# --limit: limit of each section (3600). Results before the limit stay in the report.
# --no-build uses the programs in --build.
# --small uses small models and few steps: it tests this script, and its figures have no meaning for a GPU.
# --pack builds the programs on any machine with the CUDA toolkit and packs them with this script, its models and the
#   libraries that they need except NVIDIA's, in at most 36 MB, for a machine without a compiler or a network. There:
#   python3 -m tarfile -e FILE . && tools/gpu_check.sh --build gpu-check --no-build
# Exit status: 0 success, 1 something failed (the report names it), 2 there is no GPU or something is missing.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 2
report=${OUT:+$OUT/}gpu-report.txt build=build/release only="" total="" limit=3600 make=yes small="" pack=""
all="machine build tests kernels oversubscribe gpt loss graphs trace prediction profile images driver several sanitizer"
# Shares of --total.
declare -A weight=([machine]=20 [build]=120 [tests]=120 [kernels]=50 [oversubscribe]=40 [gpt]=180 [loss]=90 [graphs]=40
                   [trace]=70 [prediction]=100 [profile]=60 [images]=90 [driver]=20 [several]=20 [sanitizer]=120)

usage() { sed -n '3,/^set /{/^#/s/^# \{0,1\}//p}' "$0"; }
refuse() { echo "gpu_check: $1" >&2; exit 2; }
while [ $# -gt 0 ]; do
  case $1 in
    --report|--build|--only|--total|--limit|--pack) [ $# -ge 2 ] || refuse "$1: found nothing, expected a value"
      case $1 in
        --report) report=$2 ;; --build) build=$2 ;; --only) only=${2//,/ } ;; --total) total=$2 ;; --limit) limit=$2 ;;
        --pack) pack=$2 ;;
      esac
      shift 2 ;;
    --no-build) make=no; shift ;;
    --small) small=yes; shift ;;
    --help) usage; exit 0 ;;
    *) refuse "found '$1', expected --report, --build, --only, --total, --limit, --no-build, --small or --pack" ;;
  esac
done
for option in limit ${total:+total}; do
  [[ ${!option} =~ ^[1-9][0-9]*$ ]] || refuse "--$option: found '${!option}', expected whole seconds"
done
for section in $only; do
  [[ " $all " == *" $section "* ]] || refuse "--only: found '$section', expected some of: $all"
done

# Tests of NVIDIA's libraries come first: they are the least certain.
tests="tst_cuda_products_gpu tst_cuda_layers_gpu tst_cuda_fused_attention_gpu tst_cuda_nccl_alone_gpu
       tst_cuda_attention_gpu tst_cuda_rows_gpu tst_cuda_kernels_gpu tst_cuda_decoder_kernels_gpu
       tst_cuda_expert_kernels_gpu tst_cuda_training_gpu
       tst_cuda_graphs_gpu tst_cuda_profiles_gpu tst_cuda_memory_gpu tst_cuda_nccl_gpu tst_cuda_divided_tokens_gpu
       tst_cuda_expert_ranks_gpu tst_cuda_tied_ends_gpu tst_cuda_balanced_experts_gpu
       tst_cuda_adapters_gpu tst_cuda_offload_gpu tst_cuda_runs_gpu"
export build tests
# Builds each test by itself, so that one that can't be built here leaves the others.
build_programs() {
  for tool in cmake ninja; do command -v "$tool" >/dev/null || { echo "found no $tool"; return 1; }; done
  [ -f "$build/build.ninja" ] || cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release || return 1
  cmake --build "$build" --target pipedeck-cli pipedeck-cuda bench_cuda_kernels || return 1
  # shellcheck disable=SC2086
  cmake --build "$build" --target $tests -- -k 0
}
export -f build_programs
test_program() { find "$build" -path "$build/bin" -prune -o -name "$1" ! -type d -perm -u+x -print -quit 2>/dev/null; }
commit() {
  if [ -f "$build/COMMIT" ]; then cat "$build/COMMIT"; else
    git describe --always --dirty --abbrev=12 2>/dev/null || echo "not known"
  fi
}

if [ -n "$pack" ]; then
  most=36000000  # bytes: with the source it has to travel to a borrowed machine
  [ "$make" = no ] || build_programs || refuse "the build failed: nothing was packed"
  folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT
  mkdir -p "$folder/gpu-check/lib" "$folder/gpu-check/bin"
  commit >"$folder/gpu-check/COMMIT"
  for program in pipedeck-cli pipedeck-cuda.so bench_cuda_kernels $tests; do
    found=$(find "$build" -maxdepth 1 -name "$program" -print -quit); found=${found:-$(test_program "$program")}
    [ -n "$found" ] || refuse "found no $program in $build, expected it to be built"
    cp -L "$found" "$folder/gpu-check/bin/" || exit 1
    # The packed libraries are for this program alone: Python has its own.
    [[ $program == *.so ]] || cat >"$folder/gpu-check/$program" <<'START'
#!/bin/sh
here=$(dirname "$(readlink -f "$0")")
LD_LIBRARY_PATH=${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$here/lib exec "$here/bin/$(basename "$0")" "$@"
START
    ldd "$found" 2>/dev/null | awk '$2 == "=>" && $3 ~ "^/" {print $3}' || true  # a script has none
  done | grep -Ev '/(libc|libm|libdl|librt|libpthread|libstdc\+\+|libgcc_s|ld-linux[^/]*|libcuda|libcublas[^/]*|libcudnn[^/]*|libnccl)\.so' |
    sort -u | xargs -r -I{} cp -L {} "$folder/gpu-check/lib/"
  [ "${PIPESTATUS[0]}" -eq 0 ] && [ -x "$folder/gpu-check/bin/pipedeck-cli" ] || exit 2
  chmod +x "$folder"/gpu-check/*[a-z]
  find "$folder"/gpu-check/bin "$folder"/gpu-check/lib -type f -exec strip --strip-unneeded {} + 2>/dev/null
  cp --parents tools/gpu_check.sh tests/bench/*.py presets/models/*.json "$folder" || exit 1
  # The programs have most of their code in common: xz sees that, gzip does not.
  tar -C "$folder" -cf - gpu-check tools tests presets | XZ_OPT=${XZ_OPT:--9} xz >"$pack" || refuse "can't write $pack"
  bytes=$(stat -c %s "$pack")
  [ "$bytes" -le "$most" ] || { rm -f "$pack"; refuse "the pack has $bytes bytes, expected at most $most"; }
  echo "$pack: $bytes bytes"
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

raw=${report%.txt} failed=0 end=0 section=""
mkdir -p "$(dirname "$report")" 2>/dev/null
[ -n "$only" ] && [ -f "$report" ] || : >"$report" || refuse "can't write $report"
[ -n "$only" ] || rm -f "$raw".{tests.log,runs.jsonl,times.jsonl,losses.csv,profiles.jsonl,trace.csv}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'say "STOPPED by a signal in section ${section:-none}"; exit 1' INT TERM HUP

say() { echo "$*" | tee -a "$report"; }
left() { local seconds=$((end - SECONDS)); [ "$seconds" -gt 1 ] && echo "$seconds" || echo 1; }
no_time() { [ "$SECONDS" -lt "$end" ] && return 1; late=1; say "not run: the section's time is over: $*"; }
# limited SECONDS COMMAND...: also ends what the command has left behind, which would hold the GPU.
limited() {
  local group status began=$SECONDS
  timeout -k 5 "$@" <&0 & group=$!
  wait "$group"; status=$?
  kill -KILL -- "-$group" 2>/dev/null
  [ "$status" -ne 137 ] || [ $((SECONDS - began)) -lt "$1" ] || status=124  # it did not end when it was asked to
  return "$status"
}
# Runs a command whose output is part of the report, no longer than the section may take.
run() {
  local status=0
  no_time "$*" && return 124
  limited "$(left)" "$@" 2>&1 | tee -a "$report"
  status=${PIPESTATUS[0]}
  [ "$status" -ne 77 ] || return 0  # it has printed why it was not run
  [ "$status" -ne 124 ] || { failed=1; say "FAILED: stopped when the time was over: $*"; return 124; }
  [ "$status" -eq 0 ] || { failed=1; say "FAILED with status $status: $*"; }
  return "$status"
}

# NVIDIA's libraries as PyTorch's wheels bring them.
libraries=${LD_LIBRARY_PATH:-}
wheels=$(python3 -c 'import glob, os, nvidia
print(":".join(sorted(path for root in nvidia.__path__ for path in glob.glob(os.path.join(root, "*", "lib")))))' 2>/dev/null)
[ -z "$wheels" ] || libraries=$libraries:$wheels
export LD_LIBRARY_PATH=${libraries#:} QT_QPA_PLATFORM=offscreen LC_ALL=C.UTF-8 PYTHONUNBUFFERED=1

# few SMALL USUAL: how many.
few() { if [ -n "$small" ]; then echo "$1"; else echo "$2"; fi; }
limit_of_size=${small:+--time-limit 0.3}
models=presets/models
gpt=$models/2-gpt-2-124m.model.json images=("$models/4-resnet-50.model.json" "$models/9-vgg-16.model.json")
[ -z "$small" ] || gpt=$models/17-gpt-bytes.model.json
[ -z "$small" ] || images=("$models/20-resnet-tiny.model.json" "$models/19-vgg-tiny.model.json")

# write_plan FILE LAST_LAYER BATCH MICRO_BATCH DEGREE DEVICES [DEGREE DEVICES]: one stage, or two of equal length.
write_plan() {
  python3 - "$@" <<'PLAN'
import json, sys
path, last, batch, micro_batch = sys.argv[1], *map(int, sys.argv[2:5])
stages = sys.argv[5:]
bounds = [0, last] if len(stages) == 2 else [0, last // 2, last]
plan = {"format": "pipedeck.plan", "version": 1, "name": "check", "planner": "hand", "profile": "model", "cluster": "here",
        "global_batch": batch, "micro_batch": micro_batch, "micro_batches": batch // micro_batch, "schedule": "1f1b",
        "warmup": "A", "optimizer": "adam", "precision": "fp32", "zero": 0,
        "stages": [{"layers": bounds[i:i + 2], "devices": json.loads(stages[2 * i + 1]),
                    "tensor_parallel": int(stages[2 * i]), "recompute": False} for i in range(len(stages) // 2)]}
json.dump(plan, open(path, "w"))
PLAN
}
layers_of() { python3 -c 'import json, sys; print(len(json.load(open(sys.argv[1]))["layers"]) - 1)' "$1"; }

# train NAME OPTION...: a run whose events are kept, in $scratch/NAME.jsonl and among the raw figures.
train() {
  local name=$1 status keeper; shift
  echo "{\"section\": \"$section\", \"run\": \"$name\"}" >>"$raw.runs.jsonl"
  exec {events}> >(exec tee -a "$raw.runs.jsonl" >"$scratch/$name.jsonl"); keeper=$!
  run "$cli" run --backend cuda --events "/dev/fd/$events" "$@"; status=$?
  exec {events}>&-
  wait "$keeper"
  return "$status"
}

# compare_losses MOST NAME NAME: of two runs, step by step.
compare_losses() {
  run python3 - "$scratch" "$@" <<'COMPARE'
import json, sys
folder, most, *names = sys.argv[1:]
def losses(name):
    events = [json.loads(line) for line in open(f"{folder}/{name}.jsonl")]
    return [event["loss"] for event in events if event["event"] == "step"]
one, two = map(losses, names)
apart = max((abs(a - b) / max(abs(a), 1e-9) for a, b in zip(one, two)), default=float("inf"))
print(f"{len(one)} and {len(two)} steps: losses are at most {apart:.1e} apart (at most {most} wanted)")
sys.exit(0 if len(one) == len(two) > 0 and apart <= float(most) else 1)
COMPARE
}

say_machine() {
  run nvidia-smi --query-gpu=name,memory.total,driver_version,clocks.max.sm,power.limit,ecc.mode.current --format=csv
  run nvidia-smi -q -d CLOCK,POWER,ECC
  run nvidia-smi topo -m
  run sh -c 'uname -srm; ldd --version | head -n 1; nproc; free -g | head -n 2'
  [ ! -x "$cli" ] || run "$cli" list devices
  local module=$build/bin/pipedeck-cuda.so
  [ -f "$module" ] || module=$build/pipedeck-cuda.so
  [ ! -f "$module" ] || { say "Libraries of pipedeck-cuda.so"; run ldd "$module"; }
  python3 -c 'import torch
print("PyTorch", torch.__version__, "CUDA", torch.version.cuda, "cuDNN", torch.backends.cudnn.version(),
      "NCCL", ".".join(map(str, torch.cuda.nccl.version())))' 2>&1 | tail -n 1 | tee -a "$report"
}

say_build() {
  [ "$make" = yes ] || { say "not run: --no-build"; return; }
  local log=$scratch/build.log
  if ! limited "$(left)" bash -c build_programs >"$log" 2>&1; then
    failed=1
    tail -n 60 "$log" | tee -a "$report"
    say "FAILED: the build"
    [ -x "$cli" ] && [ -f "$build/pipedeck-cuda.so" ] || exit 1  # nothing can be measured
  fi
  grep -m1 "CUDA:" "$log" | tee -a "$report"
}

# Names each failing function with the lines that hold its figures.
failures_of() {
  awk -v most=40 '
    /^(FAIL|QFATAL|XPASS)|error while loading|terminate called|what\(\):/ { count++; shown = count <= most; if (shown) print; next }
    /^   / { if (shown) print; next }
    { shown = 0 }
    END { if (count > most) print count - most " further failures: see " all }' all="$(basename "$raw").tests.log" "$1"
}

say_tests() {
  local test program status seconds output=$scratch/test.out
  for test in $tests; do
    no_time "$test" && continue
    program=$(test_program "$test")
    [ -n "$program" ] || { failed=1; say "$test: not run: it is not built"; continue; }
    seconds=$(($(left) / 2 + 1))  # one that hangs leaves time for the others
    limited "$seconds" "$program" -maxwarnings 0 2>&1 | tee -a "$raw.tests.log" >"$output"
    status=${PIPESTATUS[0]}
    say "$test: $(grep -m1 '^Totals:' "$output" || echo "no result"), status $status"
    [ "$status" -ne 124 ] || say "FAILED: stopped after $seconds s, after $(grep -E '^(PASS|FAIL|SKIP|QINFO)' "$output" | tail -n 1)"
    [ "$status" -eq 0 ] || { failed=1; failures_of "$output" | tee -a "$report"; }
    grep -m3 '^SKIP' "$output" | tee -a "$report"
    grep -m3 'NCCL to itself' "$output" | tee -a "$report"
  done
}

say_kernels() {
  [ -x "$build/bench_cuda_kernels" ] || { say "not run: bench_cuda_kernels is not built"; return; }
  run "$build/bench_cuda_kernels" ${small:+--small}
}

say_oversubscribe() {
  say "Two stages of mlp-small on one GPU, and one: the same losses"
  write_plan "$scratch/one.json" 8 32 8 1 '[0]' && write_plan "$scratch/two.json" 8 32 8 1 '[0]' 1 '[1]'
  for stages in one two; do
    CUDA_VISIBLE_DEVICES=0 train "mlp-$stages" --plan "$scratch/$stages.json" --model preset:mlp-small --steps "$(few 10 40)" \
      --oversubscribe || return
  done
  compare_losses 1e-5 mlp-one mlp-two
  say "Two stages of two replicas of gpt-tiny on one GPU, and one device"
  local last
  last=$(layers_of $models/5-gpt-tiny.model.json)
  write_plan "$scratch/one.json" "$last" "$(few 4 8)" 2 1 '[0]' &&
    write_plan "$scratch/four.json" "$last" "$(few 4 8)" 2 1 '[0,1]' 1 '[2,3]'
  for stages in one four; do
    CUDA_VISIBLE_DEVICES=0 train "gpt-$stages" --plan "$scratch/$stages.json" --model preset:gpt-tiny --steps "$(few 3 20)" \
      --oversubscribe || return
  done
  compare_losses 1e-3 gpt-one gpt-four
}

say_gpt() {
  "$cli" convert --this-machine -o "$scratch/peak.cluster.json" >/dev/null 2>&1
  # A measurement that is begun takes a minute at most, but for PyTorch's compiler.
  run python3 tests/bench/gpt_on_gpu.py "$cli" "$gpt" --cluster "$scratch/peak.cluster.json" --batch "$(few 2,1 8,1,32)" \
    --rounds "$(few 1 3)" --steps "$(few 2 20)" --raw "$raw.times.jsonl" --time-limit "$(($(left) * 3 / 4))"
}

say_loss() {
  local precision
  for precision in bf16 tf32 fp32; do
    run python3 tests/bench/losses_beside_torch.py "$cli" "$gpt" --precision "$precision" --steps "$(few 5 100)" \
      --batch "$(few 1 4)" --raw "$raw.losses.csv"
  done
}

say_graphs() {
  local graphs loading number began
  say "One small model, whose kernels are over before the next is launched"
  write_plan "$scratch/tiny.json" "$(layers_of $models/5-gpt-tiny.model.json)" "$(few 2 8)" 1 1 '[0]'
  for graphs in "" --no-graphs; do
    train "gpt-tiny$graphs" --plan "$scratch/tiny.json" --model preset:gpt-tiny --steps "$(few 3 50)" $graphs
  done
  say "From the program's start to its end after one step"
  for loading in LAZY EAGER; do
    for number in 1 2 3; do
      no_time "$loading $number" && continue
      began=$EPOCHREALTIME
      CUDA_MODULE_LOADING=$loading limited "$(left)" "$cli" run --backend cuda --plan "$scratch/tiny.json" \
        --model preset:gpt-tiny --steps 1 >/dev/null 2>&1 || { failed=1; say "FAILED: the run"; }
      say "CUDA_MODULE_LOADING=$loading: $(((${EPOCHREALTIME/./} - ${began/./}) / 1000)) ms"
    done
  done
}

say_trace() {
  local profiler file=$raw.trace.csv log=$scratch/trace.log status
  profiler=$(command -v ncu || ls /usr/local/cuda/bin/ncu 2>/dev/null) || { say "not run: Nsight Compute's ncu is not there"; return; }
  no_time "$profiler" && return
  say "The kernels of one step of $(basename "$gpt" .model.json) in bf16, $(few 2 8) samples, launched one by one"
  write_plan "$scratch/trace.json" "$(layers_of "$gpt")" "$(few 2 8)" "$(few 2 8)" 1 '[0]'
  # Clocks stay as they are; caches stay as the kernel before has left them.
  limited "$(left)" "$profiler" --target-processes all --clock-control none --cache-control none --csv \
    --print-units base --log-file "$file" \
    --metrics gpu__time_duration.sum,dram__bytes.sum,sm__throughput.avg.pct_of_peak_sustained_elapsed \
    "$cli" run --backend cuda --plan "$scratch/trace.json" --model "$gpt" --precision bf16 --no-graphs --steps 2 \
    >"$log" 2>&1
  status=$?
  if [ "$status" -ne 0 ]; then
    tail -n 5 "$log" | tee -a "$report"
    grep -h '^==ERROR==' "$file" 2>/dev/null | head -n 5 | tee -a "$report"
    [ "$status" -ne 124 ] || { failed=1; say "FAILED: stopped when the section's time was over: $profiler"; }
    say "the profiler ended with status $status: no kernel was timed"
    return
  fi
  run python3 tests/bench/step_trace.py "$file"
}

# keep_json KIND FILE: among the raw figures, as one line.
keep_json() {
  python3 -c 'import json, sys; print(json.dumps({sys.argv[1]: json.load(open(sys.argv[2]))}))' "$@" >>"$raw.profiles.jsonl"
}

# compare_memory PLAN NAME: the peak that a plan predicts, and a run's.
compare_memory() {
  run python3 - "$1" "$scratch/$2.jsonl" <<'COMPARE'
import json, sys
predicted = max(json.load(open(sys.argv[1]))["predicted"]["peak_memory_bytes"])
events = [json.loads(line) for line in open(sys.argv[2])]
measured = max(max(event["memory_bytes"]) for event in events if event["event"] == "step")
print(f"peak memory: {predicted} bytes predicted, {measured} measured, {predicted / measured - 1:+.2%}")
COMPARE
}

say_prediction() {
  local model short name=$scratch/here
  run "$cli" convert --this-machine -o "$name.cluster.json" || return
  local whole=$end
  end=$((SECONDS + $(left) / 2))  # a model that hangs leaves time for the other
  for model in "$gpt" "${images[0]}"; do
    short=$(basename "$model" .model.json)
    say "$short in bf16: times and memory of a run beside what is predicted from its profile"
    run "$cli" profile --model "$model" --backend cuda $limit_of_size --precision bf16 --micro-batch 4 -o "$name.profile.json" &&
      keep_json prediction "$name.profile.json" &&
      run "$cli" plan --profile "$name.profile.json" --cluster "$name.cluster.json" --global-batch "$(few 8 16)" --micro-batch 4 \
        --pp 1 --dp 1 --planner gpipe -o "$name.plan.json" &&
      train "$short" --plan "$name.plan.json" --model "$model" --precision bf16 --steps "$(few 3 30)" \
        --profile "$name.profile.json" --cluster "$name.cluster.json" &&
      compare_memory "$name.plan.json" "$short"
    end=$whole
  done
}

say_profile() {
  local name=$scratch/measured
  say "$(basename "$gpt" .model.json) in bf16; copies between GPUs, all-reduces beside predictions and NCCL's own estimates"
  run "$cli" profile --model "$gpt" --backend cuda $limit_of_size --precision bf16 --micro-batch "$(few 1,2 1,2,4)" --links \
    -o "$name.profile.json" --cluster-out "$name.cluster.json"
  [ ! -f "$name.profile.json" ] || keep_json profile "$name.profile.json"
  [ ! -f "$name.cluster.json" ] || keep_json cluster "$name.cluster.json"
  say "The same in single launches"
  run "$cli" profile --model "$gpt" --backend cuda $limit_of_size --precision bf16 --micro-batch "$(few 1,2 1,2,4)" --no-graphs
  if [ "$(grep -c '^GPU ' <<<"$gpus")" -ge 2 ]; then
    say "Layers cut over two GPUs"
    run "$cli" profile --model "$gpt" --backend cuda $limit_of_size --precision bf16 --micro-batch 4 --tensor-parallel 2
  fi
}

say_images() {
  run python3 tests/bench/images_on_gpu.py "$cli" "${images[@]}" --batch "$(few 2 32)" --steps "$(few 2 20)" \
    --raw "$raw.times.jsonl" --time-limit "$(($(left) * 2 / 3))"
}

say_driver() {
  say "What the driver reports of a run: power, clocks, memory, energy, and the time of one query"
  write_plan "$scratch/plan.json" 8 32 8 1 '[0]'
  if train alone --plan "$scratch/plan.json" --model preset:mlp-small --steps "$(few 10 2000)" --sample-every "$(few 5 200)"; then
    run nvidia-smi --query-gpu=uuid,power.draw,memory.used,clocks.sm,utilization.gpu,temperature.gpu --format=csv
    run grep -m1 '"started"' "$scratch/alone.jsonl"
    run sh -c 'grep "\"sample\"" "$1" | tail -n 1' sh "$scratch/alone.jsonl"
    run grep '"finished"' "$scratch/alone.jsonl"
  fi
}

say_several() {
  local name degree devices
  [ "$(grep -c '^GPU ' <<<"$gpus")" -ge 2 ] || { say "not run: there is one GPU"; return; }
  while read -r name devices; do
    # shellcheck disable=SC2086
    write_plan "$scratch/plan.json" 8 32 8 $devices
    train "$name" --plan "$scratch/plan.json" --model preset:mlp-small --steps 20 \
      --overlap "$([ "$name" = replicas ] && echo layer || echo none)"
  done <<<$'stages 1 [0] 1 [1]\nreplicas 1 [0,1]\ncut 2 [0,1]'
}

say_sanitizer() {
  local sanitizer program output status
  sanitizer=$(command -v compute-sanitizer || ls /usr/local/cuda/bin/compute-sanitizer 2>/dev/null) ||
    { say "not run: compute-sanitizer is not there"; return; }
  # It makes kernels slower by a factor of ten to a thousand: the quickest tool first.
  for tool in memcheck synccheck initcheck racecheck; do
    for test in tst_cuda_rows_gpu tst_cuda_decoder_kernels_gpu tst_cuda_expert_kernels_gpu tst_cuda_kernels_gpu tst_cuda_attention_gpu; do
      no_time "$tool $test" && continue
      program=$(test_program "$test")
      [ -n "$program" ] || { say "$tool $test: not run: it is not built"; continue; }
      output=$(limited "$(left)" "$sanitizer" --target-processes all --tool "$tool" --error-exitcode 9 "$program" 2>&1); status=$?
      if grep -q 'Device not supported\|Unable to find injection library' <<<"$output"; then
        say "not run: compute-sanitizer says: $(grep -m1 'not supported\|Unable' <<<"$output")"; return
      fi
      say "$tool $test: $(grep '========= \(ERROR\|RACECHECK\) SUMMARY' <<<"$output" | tail -n 1), status $status"
      [ "$status" -ne 124 ] || { say "stopped when the section's time was over: nothing is known of it"; continue; }
      [ "$status" -eq 0 ] || { failed=1; grep '=========' <<<"$output" | head -n 40 | tee -a "$report"; }
    done
  done
}

# until_when SECTION...: the first one's end, in seconds of this script, given those that come after it.
until_when() {
  local seconds=$limit sum=0 other
  if [ -n "$total" ]; then
    for other in "$@"; do sum=$((sum + weight[$other])); done
    local share=$(((total - SECONDS) * weight[$1] / sum))
    [ "$share" -ge "$seconds" ] || seconds=$share
  fi
  echo $((SECONDS + seconds))
}

say "Pipedeck on a GPU, $(date -u +%Y-%m-%dT%H:%M:%SZ), commit $(commit)${small:+, SMALL: these figures say nothing of a GPU}"
# shellcheck disable=SC2086
set -- ${only:-$all}
verdicts="" all_failed=0 all_late=0
while [ $# -gt 0 ]; do
  section=$1 began=$SECONDS failed=0 late=0
  end=$(until_when "$@")
  say ""
  say "== $section (at $SECONDS s, at most $((end - SECONDS)) s)"
  "say_$section"
  verdict=well
  [ "$late" -eq 0 ] || { verdict="not all run" all_late=1; }
  [ "$failed" -eq 0 ] || { verdict=FAILED all_failed=1; }
  verdicts+="$section: $verdict, $((SECONDS - began)) s"$'\n'
  shift
done
say ""
say "== result"
result="all well"
[ "$all_late" -eq 0 ] || result="not all was run: see above"
[ "$all_failed" -eq 0 ] || result="something FAILED: see above"
say "$verdicts$result"
exit $((all_failed || all_late))
