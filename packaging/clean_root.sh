# SPDX-License-Identifier: Apache-2.0
# Functions on clean systems that debootstrap makes from the machine's own package sources; to be sourced. Need root.

# Prints why no clean system can be made here, or nothing.
why_no_root() {
  if [ "$(id -u)" -ne 0 ]; then echo "needs root"
  elif ! command -v debootstrap >/dev/null; then echo "needs debootstrap"; fi
}

# Makes a minimal Debian of a suite in a folder, with the machine's sources for that suite and a mounted /proc.
make_root() {
  local suite=$1 folder=$2 mirror here log
  here=$(. /etc/os-release && echo "$VERSION_CODENAME")
  # The first archive that apt itself uses here.
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | head -n 1)
  log=$(mktemp)
  if ! debootstrap --variant=minbase "$suite" "$folder" "$mirror" >"$log" 2>&1; then
    echo "debootstrap: $(tail -n 1 "$log")" >&2
    rm -f "$log"
    return 1
  fi
  rm -f "$log"
  cp -r /etc/apt/sources.list* "$folder/etc/apt/" 2>/dev/null || true
  find "$folder"/etc/apt/sources.list* -type f -exec sed -i "s/\b$here\b/$suite/g" {} +
  cp /etc/apt/apt.conf.d/* "$folder/etc/apt/apt.conf.d/" 2>/dev/null || true
  cp /etc/resolv.conf "$folder/etc/" 2>/dev/null || true
  mount -t proc proc "$folder/proc" || { echo "mounts are not allowed here" >&2; return 1; }
}

# Runs a command in the system at $root, as root or as a user without rights.
inside() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/tmp LANG=C.UTF-8 "$@"; }
user() { inside setpriv --reuid 65534 --regid 65534 --clear-groups "$@"; }

# Unmounts what is mounted below a folder and removes it.
remove_roots() {
  local place
  while read -r place; do umount "$place"; done < <(awk -v top="$1/" 'index($2, top) == 1 { print $2 }' /proc/mounts | sort -r)
  rm -rf --one-file-system "$1"
}
