#!/bin/sh
# What the staged hooks of every repository call. Written by signalbox for this machine; do not edit.
unset @DANGEROUS@
exec @BUNDLE@ --staged "$@"
