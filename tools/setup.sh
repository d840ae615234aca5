#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what building and testing need on Debian 12, and the packages named, asking nothing; quick when all is there.
set -euo pipefail

packages=(
  cmake ninja-build g++ pkg-config ccache mold clang-format git python3
  qt6-base-dev qt6-charts-dev qt6-svg-dev libqt6opengl6-dev libgl-dev libqt6svg6 fonts-dejavu-core
  nlohmann-json3-dev rapidjson-dev libsqlite3-dev libdnnl-dev libcli11-dev libfmt-dev libexpected-dev libbenchmark-dev
  libpugixml-dev libyaml-cpp-dev libonnx-dev libprotobuf-dev libhwloc-dev zlib1g-dev libpng-dev libjpeg-dev libopenmpi-dev openmpi-bin iproute2
  "$@"
)

missing() {
  local package
  for package in "${packages[@]}"; do
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)" = installed ] || printf '%s\n' "$package"
  done
}

if ! command -v dpkg-query >/dev/null; then
  echo "setup: not a Debian system; please install what README.md, \"Requirements\" lists" >&2
  exit 0
fi
mapfile -t wanted < <(missing)
[ ${#wanted[@]} -gt 0 ] || exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "setup: missing ${wanted[*]}; install them as root (there is no sudo here)" >&2
    exit 1
  fi
  as_root=(sudo)
fi
echo "setup: installing ${wanted[*]}" >&2
"${as_root[@]}" apt-get -qq update
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends install "${wanted[@]}" >/dev/null
