#!/bin/sh
# Builds the helper for both processors into the folder $1 (default: bin beside this file). Beside each program is its
# digest and the compiler that made it. A compiler that is missing is named, and its program is left as it is.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=${1:-$here/bin}
mkdir -p "$out"
cd "$here"

build() {
  name=$1 compiler=$2
  if ! command -v "$compiler" >/dev/null 2>&1; then
    echo "skip  $name: $compiler is not installed"
    return
  fi
  "$compiler" -std=gnu11 -Os -Wall -Wextra -Werror -Wno-unused-function -ffreestanding -fno-builtin \
    -fno-stack-protector -fno-pic -fno-ident -fno-asynchronous-unwind-tables -fno-tree-loop-distribute-patterns \
    -static -nostdlib -no-pie -s -Wl,--build-id=none,-z,noexecstack -o "$out/$name" main.c
  digest=$(sha256sum "$out/$name")
  printf 'sha256 %s\ncompiler %s\nlinker %s\n' "${digest%% *}" "$("$compiler" --version | head -n 1)" \
    "$("$compiler" -Wl,--version 2>/dev/null | head -n 1)" >"$out/$name.txt"
  echo "built $name: ${digest%% *}"
}

build linux-x64 x86_64-linux-gnu-gcc
build linux-arm64 aarch64-linux-gnu-gcc
