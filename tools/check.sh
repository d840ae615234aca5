#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The fast lane, for every commit: formatting, layers, language, and the tests of the folders that were touched, in
# minutes where the rest is built. Touched is what differs from HEAD, or else what the last commit changed.
#   tools/check.sh [COMMIT]   what differs from COMMIT
set -euo pipefail
cd "$(dirname "$0")/.."

since=${1:-HEAD}
touched() { git diff --name-only --diff-filter=d "$1"; git ls-files --others --exclude-standard; }
mapfile -t files < <(touched "$since")
[ ${#files[@]} -gt 0 ] || mapfile -t files < <(touched HEAD~1)
step() { printf '== %s (%s s)\n' "$1" "$SECONDS"; }

step "formatting"
mapfile -t sources < <(printf '%s\n' "${files[@]}" | grep -E '^(app|core|tests)/.*\.[ch]pp$' || true)
[ ${#sources[@]} -eq 0 ] || clang-format --dry-run -Werror "${sources[@]}"

step "layers and licence lines"
tools/check_layers.py

step "language"
tools/check_language.py

# A folder's tests are one program; those of the kernels are a program each.
declare -A programs tests
for file in "${files[@]}"; do
  [[ $file =~ ^(tests/)?((core|app)/([a-z]+)(/cuda)?)/ ]] || continue
  folder=tests/${BASH_REMATCH[2]}
  for source in $(find "$folder" -name 'tst_*.cpp' 2>/dev/null); do
    [[ ${BASH_REMATCH[5]} || $source != */cuda/* ]] || continue
    test=$(basename "$source" .cpp)
    tests[$test]=1
    [ -z "${BASH_REMATCH[5]}" ] && programs[${BASH_REMATCH[4]}_tests]=1 || programs[$test]=1
  done
done
if [ ${#tests[@]} -gt 0 ]; then
  step "tests of $(printf '%s ' "${!programs[@]}")"
  cmake --preset release >/dev/null
  cmake --build --preset release -j "$(nproc)" --target "${!programs[@]}" -- --quiet
  names=$(printf '%s|' "${!tests[@]}")
  ctest --preset release -j 2 -R "^(${names%|})$"
fi
step "well"
