#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Tries the archive of packaging/release.sh in clean systems that debootstrap makes, where nothing else is installed:
# the window under Xvfb with a picture, a comparison, a training on two threads, one under mpirun after Open MPI is
# added, the CUDA module's refusal, and removal. As root, from the machine's own package sources:
#   packaging/check_release.sh ARCHIVE PICTURES [SUITE ...]   bookworm and trixie by default
set -euo pipefail
[ $# -ge 2 ] || { sed -n '3,7s/^# \{0,1\}//p' "$0" >&2; exit 2; }
archive=$(realpath "$1") pictures=$(realpath -m "$2")
shift 2
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- bookworm trixie

. packaging/clean_root.sh

skip() { echo "release: SKIPPED ($1)"; exit 0; }
reason=$(why_no_root)
[ -z "$reason" ] || skip "$reason"
for tool in Xvfb import; do command -v "$tool" >/dev/null || skip "needs $tool"; done
mkdir -p "$pictures"

work=$(mktemp -d)
server=""
cleanup() {
  [ -z "$server" ] || kill "$server" 2>/dev/null || true
  remove_roots "$work"
}
trap cleanup EXIT
failed() { echo "release: $suite: $1" >&2; exit 1; }

display=:$((100 + $$ % 800))
Xvfb "$display" -screen 0 1280x800x24 -nolisten tcp >"$work/xvfb.log" 2>&1 &
server=$!

person() { user env HOME=/tmp/home PATH="/tmp/pipedeck:$PATH" "$@"; }

for suite in "$@"; do
  root=$work/$suite
  make_root "$suite" "$root" 2>"$work/root.log" || skip "$(cat "$work/root.log")"
  mkdir -p "$root/tmp/home" "$root/tmp/.X11-unix"
  mount --bind /tmp/.X11-unix "$root/tmp/.X11-unix"
  tar -C "$root/tmp" -xf "$archive"
  mv "$root"/tmp/pipedeck-*-linux-x86_64 "$root/tmp/pipedeck"
  chown -R 65534:65534 "$root/tmp/home"

  person pipedeck-cli --version
  person pipedeck-cli compare --profile preset:bert-48 --cluster preset:dapple-a --global-batch 64 | head -n 5
  person sh -c 'cd /tmp/home && pipedeck-cli profile --model preset:mlp-small --backend cpu --micro-batch 8 -o p.json \
    --cluster-out c.json --devices 2 --time-limit 1 && pipedeck-cli plan --profile p.json --cluster c.json --global-batch 16 \
    --micro-batch 8 --pp 2 --dp 1 --planner gpipe -o plan.json && pipedeck-cli run --plan plan.json \
    --model preset:mlp-small --backend cpu --steps 20' >"$work/run.log" 2>&1 || { cat "$work/run.log"; failed "no training"; }
  tail -n 1 "$work/run.log"
  person pipedeck-cli list devices | grep "^mpi: none" || failed "MPI without Open MPI is not refused"
  person pipedeck-cli list devices | grep "^cuda: no runs" || failed "CUDA without NVIDIA's libraries is not refused"

  # The desktop's thumbnail of a project, by the line that the archive has for it.
  cp tests/fixtures/version2.pipedeck "$root/tmp/home/"
  person sh -c "$(sed -n 's/^Exec=//p' "$root/tmp/pipedeck/share/thumbnailers/pipedeck.thumbnailer" |
    sed 's/%s/256/; s,%i,/tmp/home/version2.pipedeck,; s,%o,/tmp/home/thumbnail.png,')" || failed "no thumbnail"
  cp "$root/tmp/home/thumbnail.png" "$pictures/$suite-thumbnail.png"
  [ "$(identify -format '%wx%h' "$pictures/$suite-thumbnail.png")" = 256x192 ] || failed "the thumbnail is not 256 x 192"

  # The window of a person: the sample comparison, drawn by the X server.
  person env DISPLAY="$display" pipedeck --compare >"$work/window.log" 2>&1 &
  window=$!
  sleep 8
  import -display "$display" -window root "$pictures/$suite.png"
  kill -0 "$window" || { cat "$work/window.log"; failed "the window has ended"; }
  pkill -TERM -P "$window" pipedeck || kill "$window"
  wait "$window" || true
  [ "$(identify -format '%k' "$pictures/$suite.png")" -gt 50 ] || { cat "$work/window.log"; failed "the window is empty"; }

  if inside apt-get -qq update && inside env DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends \
    install openmpi-bin >"$work/apt.log" 2>&1; then
    person sh -c 'cd /tmp/home && mpirun --oversubscribe -n 2 pipedeck-cli run --plan plan.json --model preset:mlp-small \
      --backend cpu --transport mpi --steps 20' >"$work/mpi.log" 2>&1 || { cat "$work/mpi.log"; failed "no training under mpirun"; }
    tail -n 1 "$work/mpi.log"
  else
    echo "release: $suite: mpirun SKIPPED (Open MPI can't be installed here)"
  fi

  rm -rf "$root/tmp/pipedeck" "$root/tmp/home"
  if chroot "$root" find / -xdev -name "*pipedeck*" | grep .; then failed "files left behind"; fi
  umount "$root/proc" "$root/tmp/.X11-unix"
  echo "release: $suite: window, comparison, training, refusals and removal are right"
done
