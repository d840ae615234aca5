#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the Debian packages and tries them in a clean system that debootstrap makes: all install with their
# dependencies, both programs start, the command line alone needs neither window nor MPI, nothing is left behind. As
# root, from the machine's own package sources; where a clean system can't be made it says so and ends well:
#   packaging/check_packages.sh [BUILD_FOLDER]
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:-build/release}
umask 022  # cpack gives it to the folders in the packages

skip() { echo "packages: SKIPPED ($1)"; exit 0; }
[ "$(id -u)" -eq 0 ] || skip "needs root"
command -v debootstrap >/dev/null || skip "needs debootstrap"

work=$(mktemp -d)
cleanup() {
  umount -q "$work/root/proc" 2>/dev/null || true
  rm -rf --one-file-system "$work"
}
trap cleanup EXIT

cpack --config "$build/CPackConfig.cmake" -G DEB -B "$work/packages" >"$work/cpack.log" || { cat "$work/cpack.log"; exit 1; }
ls -l "$work"/packages/*.deb

suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
# The first archive that apt itself uses here.
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | head -n 1)
debootstrap --variant=minbase "$suite" "$work/root" "$mirror" >"$work/debootstrap.log" 2>&1 ||
  skip "debootstrap: $(tail -n 1 "$work/debootstrap.log")"
cp -r /etc/apt/sources.list* "$work/root/etc/apt/"
cp /etc/apt/apt.conf.d/* "$work/root/etc/apt/apt.conf.d/" 2>/dev/null || true
cp /etc/resolv.conf "$work/root/etc/" 2>/dev/null || true
mount -t proc proc "$work/root/proc" || skip "mounts are not allowed here"
mkdir "$work/root/packages"
cp "$work"/packages/*.deb "$work/root/packages/"

inside() { chroot "$work/root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/tmp LANG=C.UTF-8 "$@"; }
user() { inside setpriv --reuid 65534 --regid 65534 --clear-groups "$@"; }
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
if compgen -G "$work/packages/pipedeck-mpi_*.deb" >/dev/null; then
  if inside sh -c 'dpkg-query -W | grep -i libopenmpi'; then
    echo "packages: the command line alone brings MPI"
    exit 1
  fi
  user pipedeck-cli list devices | grep "^mpi: none; .*install the package pipedeck-mpi"
  install_package 'pipedeck-mpi_*.deb'
  user pipedeck-cli list devices | grep "^mpi: Open MPI"
fi

if compgen -G "$work/packages/pipedeck-cuda_*.deb" >/dev/null; then
  user pipedeck-cli list devices | grep "^cuda: no runs; .*pipedeck-cuda.so is not there"
  install_package 'pipedeck-cuda_*.deb'
  user pipedeck-cli list devices | grep "^cuda: no runs; .*cublasLt, cuDNN 9 and NCCL 2 have to be installed"
fi

install_package 'pipedeck_*.deb'
user pipedeck --version
user env QT_QPA_PLATFORM=offscreen pipedeck --screenshot window /tmp/window.png
inside test -s /tmp/window.png -a -s /usr/share/applications/pipedeck.desktop
cp tests/fixtures/version2.pipedeck "$work/root/tmp/"
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
