# shellcheck shell=sh
if ask_server; then tell; fi

# A shell parses a script as it runs, so the rest only costs time when the server did not answer.
ask_bundle() {
  answer=$(exec 2>/dev/null; printf '%s' "$input" | @BUNDLE@ "$event" "$via")
  sealed
}
if ask_bundle; then tell; fi

. ./refuse.sh
refuse
