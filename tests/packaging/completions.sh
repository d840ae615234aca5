#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks the completions of Tab in bash, and that zsh and fish can read theirs if they are installed.
#   completions.sh FOLDER_OF_COMPLETIONS FOLDER_OF_PROGRAMS
set -uo pipefail
completions=$1
PATH=$2:$PATH
failed=0
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
touch profile.json

# shellcheck source=/dev/null
source "$completions/bash/pipedeck-cli"

offers() {  # LINE, words that must be among the offers
  COMP_LINE=$1 COMP_POINT=${#1} COMPREPLY=()
  _pipedeck_cli
  local word
  for word in "${@:2}"; do
    if ! printf '%s\n' "${COMPREPLY[@]}" | grep -xF -- "$word" >/dev/null; then  # -q would end printf by SIGPIPE
      echo "bash: \"$1\" should offer \"$word\", offers: ${COMPREPLY[*]}"
      failed=1
    fi
  done
}
lacks() {  # LINE, a word that must not be offered
  COMP_LINE=$1 COMP_POINT=${#1} COMPREPLY=()
  _pipedeck_cli
  if printf '%s\n' "${COMPREPLY[@]}" | grep -xF -- "$2" >/dev/null; then
    echo "bash: \"$1\" should not offer \"$2\""
    failed=1
  fi
}

offers "pipedeck-cli " plan simulate compare --version
offers "pipedeck-cli pl" plan
lacks "pipedeck-cli pl" simulate
offers "pipedeck-cli plan --" --profile --planner --rank-by --levels
offers "pipedeck-cli plan --network " ideal shared
offers "pipedeck-cli plan --planner " dapple pipedream amp capture whale joint
offers "pipedeck-cli plan --schedule zb" zb-h1 zb-h2 zb-v
offers "pipedeck-cli plan --cluster preset:da" dapple-a dapple-b dapple-c
offers "pipedeck-cli plan --profile " preset:bert-48 profile.json
offers "pipedeck-cli plan --profile prof" profile.json
offers "pipedeck-cli simulate --plan " profile.json
offers "pipedeck-cli edit --m" --move-cut --move-device --merge-stages
offers "pipedeck-cli validate " profile.json
offers "pipedeck-cli list " planners schedules

check() {  # a shell and how it reads a file without running it
  if command -v "$1" >/dev/null; then "$@" || failed=1; else echo "$1 is not installed: its completion was not read"; fi
}
check zsh -n "$completions/zsh/_pipedeck-cli"
check fish -n "$completions/fish/pipedeck-cli.fish"
exit $failed
