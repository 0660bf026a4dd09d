# shellcheck shell=sh
if ask_server; then tell; fi

# A shell reads no further than it gets: what follows costs only the call that the server did not answer.
ask_bundle() {
  answer=$(exec 2>/dev/null; printf '%s' "$input" | @BUNDLE@ "$event" "$via")
  sealed
}
if ask_bundle; then tell; fi

. ./refuse.sh
refuse
