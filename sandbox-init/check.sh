#!/bin/sh
# Rebuilds the helper and compares it with the committed programs where the compiler is the same; otherwise says so.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
fresh=$(mktemp -d)
trap 'rm -rf "$fresh"' EXIT
sh "$here/build.sh" "$fresh" >/dev/null
failed=0
for name in linux-x64 linux-arm64; do
  committed=$here/bin/$name
  digest=$(sha256sum "$committed")
  if ! grep -q "^sha256 ${digest%% *}\$" "$committed.txt"; then
    echo "FAIL  $name is not the program that $name.txt describes; run sandbox-init/build.sh"
    failed=1
  elif [ ! -e "$fresh/$name" ]; then
    echo "skip  $name: its compiler is not installed, so it was not rebuilt"
  elif ! [ "$(grep -v '^sha256' "$fresh/$name.txt")" = "$(grep -v '^sha256' "$committed.txt")" ]; then
    echo "skip  $name: not compared, because it was built with another compiler ($(sed -n 's/^compiler //p' "$committed.txt"))"
  elif cmp -s "$fresh/$name" "$committed"; then
    echo "ok    $name is what its sources say"
  else
    echo "FAIL  $name differs from its sources; run sandbox-init/build.sh and commit the result"
    failed=1
  fi
done
# The usage message shows at least that the program starts and takes its arguments.
if command -v qemu-aarch64 >/dev/null 2>&1; then
  if qemu-aarch64 "$here/bin/linux-arm64" 2>&1 | grep -q '^signalbox: usage'; then echo "ok    linux-arm64 starts under qemu-user"
  else echo "FAIL  linux-arm64 does not start under qemu-user"; failed=1; fi
else
  echo "skip  linux-arm64: never run, because qemu-user is not installed"
fi
exit $failed
