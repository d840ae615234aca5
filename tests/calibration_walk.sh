#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Measures this machine, trains several plans of two small models on it, calibrates from some of the runs and shows how
# far predictions of the others are off before and after:
#   tests/calibration_walk.sh [BUILD_FOLDER [STEPS [FOLDER]]]
# Builds nothing. Files are left in FOLDER (else a temporary one). Run it on an idle machine: what else runs is measured
# too.
set -e
cli=$(realpath "${1:-build/release}/pipedeck-cli")
steps=${2:-60}
folder=${3:-$(mktemp -d)}
mkdir -p "$folder"
cd "$folder"

measure() { # MODEL
  "$cli" profile --model "preset:$1" --backend cpu --micro-batch 1,2,4,8,16,32,64 --devices 2 \
    -o "$1.profile.json" --cluster-out "$1.cluster.json" > /dev/null
}
train() { # MODEL NAME BATCH MICRO_BATCH PLANNER [options]
  model=$1 name=$1-$2 batch=$3 micro_batch=$4 planner=$5
  shift 5
  "$cli" plan --profile "$model.profile.json" --cluster "$cluster" --planner "$planner" --global-batch "$batch" \
    --micro-batch "$micro_batch" "$@" -o "$name.plan.json" > /dev/null
  "$cli" run --plan "$name.plan.json" --model "preset:$model" --backend cpu --steps "$steps" --timeline-every 3 \
    --events "$name.jsonl" | tail -1
}
of() { # MODEL NAME...: arguments of calibrate
  model=$1
  shift
  for name in "$@"; do echo "$model-$name.plan.json:$model-$name.jsonl:$model.profile.json"; done
}

cluster=gpt-tiny.cluster.json # the links and the memory of this machine, once
for model in gpt-tiny mlp-small; do
  small=2 large=8 batch=32
  [ $model = mlp-small ] && small=16 large=64 batch=256
  measure $model
  train $model single-$small $batch $small single --pp 1 --dp 1
  train $model single-$large $batch $large single --pp 1 --dp 1
  train $model gpipe-$small $batch $small gpipe --pp 2
  train $model gpipe-$large $batch $large gpipe --pp 2
  train $model 1f1b-$small $batch $small gpipe --pp 2 --schedule 1f1b
  train $model 1f1b-$((large / 2)) $batch $((large / 2)) gpipe --pp 2 --schedule 1f1b
  train $model dp-$small $batch $small data-parallel
  train $model dp-$large $batch $large data-parallel
done

for model in gpt-tiny mlp-small; do
  small=2 large=8
  [ $model = mlp-small ] && small=16 large=64
  echo
  echo "== $model: half of the plans fitted from, half held out"
  # shellcheck disable=SC2046
  "$cli" calibrate --profile $model.profile.json --cluster $cluster -o $model.calibration.json \
    --run $(of $model single-$large gpipe-$small 1f1b-$((large / 2)) dp-$large) \
    --hold-out $(of $model single-$small gpipe-$large 1f1b-$small dp-$small)
done
echo
echo "== fitted from gpt-tiny, all of mlp-small held out"
# shellcheck disable=SC2046
"$cli" calibrate --profile gpt-tiny.profile.json --cluster $cluster -o both.calibration.json \
  --run $(of gpt-tiny single-2 single-8 gpipe-2 gpipe-8 1f1b-2 1f1b-4 dp-2 dp-8) \
  --hold-out $(of mlp-small single-16 single-64 gpipe-16 gpipe-64 1f1b-16 1f1b-32 dp-16 dp-64)
