# Sourced by the other scripts: where the project is, and how they speak.
# shellcheck shell=bash

# shellcheck disable=SC2034  # used by those that source this
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)

say() { printf '==> %s\n' "$*" >&2; }
die() {
  printf '%s: %s\n' "$(basename -- "$0")" "$*" >&2
  exit "${status:-1}"
}

# The comment block at the top of a script is its help text.
print_help() { sed -n '2,/^[^#]/{/^#/{s/^# \{0,1\}//;p}}' "$0"; }

jobs() { nproc 2>/dev/null || echo 2; }
