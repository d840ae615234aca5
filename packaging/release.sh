#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes a release: the self-contained archive, Debian packages, a bill of materials and checksums. As root it makes the
# packages of each named release of Debian, this system's first:
#   packaging/release.sh [FOLDER [SUITE ...]]   release, bookworm and trixie without
# The same commit gives the same bytes: files have the commit's date (SOURCE_DATE_EPOCH).
set -euo pipefail
cd "$(dirname "$0")/.."
out=$(realpath -m "${1:-release}")
here=$(. /etc/os-release && echo "$VERSION_CODENAME")
[ $# -gt 0 ] && shift
[ $# -gt 0 ] || set -- bookworm trixie
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH LC_ALL=C
umask 022  # cpack gives it to the folders in the packages

tools/setup.sh patchelf qt6-wayland debootstrap dpkg-dev file xz-utils
cmake --preset "$([ "${CI:-}" = true ] && echo ci || echo release)" >/dev/null
cmake --build build/release -j "$(nproc)" --target packaged

version=$(sed -n 's/^project(Pipedeck VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
rm -rf "$out"
mkdir -p "$out"
cmake --install build/release --prefix "$tree/usr" >/dev/null
packaging/make_archive.py "$tree/usr" "$version" "$out/pipedeck-$version-linux-x86_64.tar.xz"
cpack --config build/release/CPackConfig.cmake -G DEB -B "$tree/debian" >"$tree/cpack.log" || { cat "$tree/cpack.log"; exit 1; }
cp "$tree"/debian/*.deb "$out/"
for suite in "$@"; do
  [ "$suite" = "$here" ] || packaging/packages_for.sh "$suite" "$out"
done

(cd "$out" && sha256sum -- * >SHA256SUMS)
most=$((90 * 1000 * 1000))
bytes=$(stat -c %s "$out"/*.tar.xz)
[ "$bytes" -le "$most" ] || { echo "release: the archive has $bytes bytes, expected at most $most" >&2; exit 1; }
ls -l "$out"
