#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the Debian packages of this commit for a release of Debian, in a clean system with its compiler and libraries.
# As root; the CUDA toolkit under /usr/local is used in there, too:
#   packaging/packages_for.sh SUITE FOLDER
set -euo pipefail
[ $# -eq 2 ] || { sed -n '3,5s/^# \{0,1\}//p' "$0" >&2; exit 2; }
cd "$(dirname "$0")/.."
. packaging/clean_root.sh
suite=$1 out=$2
reason=$(why_no_root)
[ -z "$reason" ] || { echo "packages for $suite: $reason" >&2; exit 1; }

work=$(mktemp -d)
trap 'remove_roots "$work"' EXIT
root=$work/root
make_root "$suite" "$root"
for toolkit in /usr/local/cuda*; do
  if [ -d "$toolkit" ]; then
    mkdir "$root$toolkit"
    mount --bind -o ro "$toolkit" "$root$toolkit"
  fi
done
mkdir "$root/src"
git clone -q . "$root/src/pipedeck"
inside env PATH="/usr/sbin:/usr/bin:/sbin:/bin:/usr/local/cuda/bin" SOURCE_DATE_EPOCH="${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}" \
  bash -euc 'cd /src/pipedeck
  umask 022  # cpack gives it to the folders in the packages
  tools/setup.sh dpkg-dev file
  cmake --preset release >/dev/null
  cmake --build build/release -j "$(nproc)" --target packaged
  cpack --config build/release/CPackConfig.cmake -G DEB -B /src/packages' >"$work/build.log" 2>&1 ||
  { tail -n 40 "$work/build.log" >&2; exit 1; }
mkdir -p "$out"
cp "$root"/src/packages/*.deb "$out/"
