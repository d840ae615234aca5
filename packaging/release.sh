#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes a release: the self-contained archive, the Debian packages of this system, a bill of materials and checksums.
#   packaging/release.sh [FOLDER]   release by default
# The same commit gives the same bytes: files have the commit's date (SOURCE_DATE_EPOCH).
set -euo pipefail
cd "$(dirname "$0")/.."
out=$(realpath -m "${1:-release}")
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH LC_ALL=C
umask 022  # cpack gives it to the folders in the packages

tools/setup.sh patchelf qt6-wayland dpkg-dev file xz-utils
cmake --preset "$([ "${CI:-}" = true ] && echo ci || echo release)" >/dev/null
cmake --build build/release -j "$(nproc)" --target pipedeck pipedeck-cli pipedeck_reference pipedeck_icons
grep -q '^pipedeck-mpi:' < <(ninja -C build/release -t targets all) && cmake --build build/release --target pipedeck-mpi
grep -q '^pipedeck-cuda:' < <(ninja -C build/release -t targets all) && cmake --build build/release --target pipedeck-cuda

version=$(sed -n 's/^project(Pipedeck VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
rm -rf "$out"
mkdir -p "$out"
cmake --install build/release --prefix "$tree/usr" >/dev/null
packaging/make_archive.py "$tree/usr" "$version" "$out/pipedeck-$version-linux-x86_64.tar.xz"
cpack --config build/release/CPackConfig.cmake -G DEB -B "$tree/debian" >"$tree/cpack.log" || { cat "$tree/cpack.log"; exit 1; }
cp "$tree"/debian/*.deb "$out/"

(cd "$out" && sha256sum -- * >SHA256SUMS)
most=$((90 * 1000 * 1000))
bytes=$(stat -c %s "$out"/*.tar.xz)
[ "$bytes" -le "$most" ] || { echo "release: the archive has $bytes bytes, expected at most $most" >&2; exit 1; }
ls -l "$out"
