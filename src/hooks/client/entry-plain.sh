#!/bin/sh
# Called by the staged hooks of every repository. Written by signalbox for this machine; do not edit.
unset @DANGEROUS@
exec @BUNDLE@ --staged "$@"
