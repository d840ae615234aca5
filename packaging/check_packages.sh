#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Tries Debian packages in a clean system: all install with their dependencies, both programs start, the command line
# alone needs neither window nor MPI, nothing is left behind. As root; where a clean system can't be made it says so and
# ends well. The packages are those of a folder, or made of a build:
#   packaging/check_packages.sh [BUILD | FOLDER SUITE]   build/release without
set -euo pipefail
cd "$(dirname "$0")/.."
. packaging/clean_root.sh
packages=${1:-build/release} suite=${2:-}
umask 022  # cpack gives it to the folders in the packages

skip() { echo "packages: SKIPPED ($1)"; exit 0; }
reason=$(why_no_root)
[ -z "$reason" ] || skip "$reason"

work=$(mktemp -d)
trap 'remove_roots "$work"' EXIT
if [ -z "$suite" ]; then
  suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
  cpack --config "$packages/CPackConfig.cmake" -G DEB -B "$work/packages" >"$work/cpack.log" || { cat "$work/cpack.log"; exit 1; }
  packages=$work/packages
fi

root=$work/root
make_root "$suite" "$root" 2>"$work/root.log" || skip "$(cat "$work/root.log")"
mkdir "$root/packages"
cp "$packages"/*.deb"$(. "$root/etc/os-release" && echo "$VERSION_ID")"_*.deb "$root/packages/"
ls -l "$root/packages"

install_package() {
  inside env DEBIAN_FRONTEND=noninteractive sh -c "apt-get -qq -y --no-install-recommends install /packages/$1" >"$work/apt.log" 2>&1 ||
    { tail -n 20 "$work/apt.log"; exit 1; }
}
inside apt-get -qq update

install_package 'pipedeck-cli_*.deb'
user pipedeck-cli --version
user pipedeck-cli plan --planner dapple --profile preset:bert-48 --cluster preset:dapple-a --global-batch 64 >/dev/null
if inside sh -c 'dpkg-query -W | grep -i -E "libqt6(gui|widgets)"'; then
  echo "packages: the command line alone brings the window's libraries"
  exit 1
fi
inside test -s /usr/share/bash-completion/completions/pipedeck-cli
if compgen -G "$root/packages/pipedeck-mpi_*.deb" >/dev/null; then
  if inside sh -c 'dpkg-query -W | grep -i libopenmpi'; then
    echo "packages: the command line alone brings MPI"
    exit 1
  fi
  user pipedeck-cli list devices | grep "^mpi: none; .*install the package pipedeck-mpi"
  install_package 'pipedeck-mpi_*.deb'
  user pipedeck-cli list devices | grep "^mpi: Open MPI"
fi

if compgen -G "$root/packages/pipedeck-cuda_*.deb" >/dev/null; then
  user pipedeck-cli list devices | grep "^cuda: no runs; .*pipedeck-cuda.so is not there"
  install_package 'pipedeck-cuda_*.deb'
  user pipedeck-cli list devices | grep "^cuda: no runs; .*cublasLt, cuDNN 9 and NCCL 2 have to be installed"
fi

install_package 'pipedeck_*.deb'
user pipedeck --version
user env QT_QPA_PLATFORM=offscreen pipedeck --screenshot window /tmp/window.png
inside test -s /tmp/window.png -a -s /usr/share/applications/pipedeck.desktop
cp tests/fixtures/version2.pipedeck "$root/tmp/"
inside sh -c "$(sed -n 's/^Exec=//p' packaging/pipedeck.thumbnailer |
  sed 's/%s/128/; s,%i,/tmp/version2.pipedeck,; s,%o,/tmp/thumbnail.png,')"
inside test -s /tmp/thumbnail.png -a -s /usr/share/thumbnailers/pipedeck.thumbnailer
inside sh -c 'for size in 16 48 512; do test -s /usr/share/icons/hicolor/${size}x$size/apps/pipedeck.png || exit 1; done'

inside dpkg --purge pipedeck pipedeck-mpi pipedeck-cuda pipedeck-cli >/dev/null
if inside sh -c 'find / -xdev -name "*pipedeck*" -not -path "/packages/*" -not -path "/tmp/*" | grep .'; then
  echo "packages: files left behind"
  exit 1
fi
echo "packages: all install, start and leave nothing behind in a clean $suite"
