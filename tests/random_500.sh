#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The planners against plain enumeration and their contract on many random problems, larger ones than CI takes too:
#   tests/random_500.sh [BUILD_FOLDER [PROBLEMS]]
# Builds nothing. Prints a Markdown table; fails where a test does.
folder=${1:-build/release}
export PIPEDECK_RANDOM_PROBLEMS="${2:-500}"
failed=0

echo "| test | what | test cases passed | failed | seconds |"
echo "|---|---|---|---|---|"
run() {
  program=$folder/tests/core/$1
  [ -x "$program" ] || return 0
  begin=$(date +%s)
  totals=$("$program" 2>&1 | grep '^Totals')
  seconds=$(($(date +%s) - begin))
  passed=$(echo "$totals" | sed -n 's/Totals: \([0-9]*\) passed.*/\1/p')
  wrong=$(echo "$totals" | sed -n 's/.* \([0-9]*\) failed.*/\1/p')
  echo "| ${1#*/} | $2 | ${passed:-0} | ${wrong:-crashed} | $seconds |"
  [ "$wrong" = 0 ] || failed=1
}
run planner/tst_search "DAPPLE and PipeDream against brute force"
run planner/tst_dapple "DAPPLE against enumeration"
run planner/tst_pipedream "PipeDream against enumeration"
run planner/tst_amp "AMP against enumeration"
run planner/tst_capture "CAPTURE against enumeration"
run planner/tst_whale "Whale cuts against enumeration"
run planner/tst_whale_balance "Whale shares against enumeration"
run planner/tst_whale_columns "Whale shards against enumeration"
run planner/tst_joint "joint against enumeration and every planner"
run planner/tst_baselines "baselines against enumeration"
run planner/tst_certificates "lower bounds against every plan"
run planner/tst_ideals "ideals of layer graphs against all subsets"
run planner/tst_contract "threads, shuffled nodes, pins, over the registry"
exit $failed
