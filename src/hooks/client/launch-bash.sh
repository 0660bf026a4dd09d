#!@BASH@ -p
# shellcheck shell=bash
# Asks signalbox about one event of an agent. Written for this launch; do not edit.
# In POSIX mode, which the environment can turn on, bash exits when the server is gone.
set +o posix
. ./launch-begin.sh
# Bash reads a short input itself, which is faster than starting another program. Old versions read byte by byte.
if ((BASH_VERSINFO[0] > 3)); then
  IFS= read -r -N 65536 input && input=$input$(/bin/cat)
else
  input=$(/bin/cat)
fi

ask_server() {
  { exec 3<>/dev/tcp/127.0.0.1/@PORT@; } 2>/dev/null || return 1
  # A server that does not read must not block this script, so input that exceeds the buffer is written in the background.
  if ((${#input} < 65536)); then
    { printf '%s %s %s %s\n%s' @TOKEN@ "$event" "$via" "${#input}" "$input" >&3; } 2>/dev/null
  else
    { printf '%s %s %s %s\n%s' @TOKEN@ "$event" "$via" "${#input}" "$input" >&3; } 2>/dev/null &
    writer=$!
  fi
  if ((BASH_VERSINFO[0] > 3)); then
    IFS= read -r -N 134217728 -t "$patience" answer <&3
  else
    IFS= read -r -d '' -t "$patience" answer <&3
  fi 2>/dev/null
  exec 3>&-
  if [ -n "${writer-}" ]; then disown "$writer"; kill -KILL "$writer"; fi 2>/dev/null
  sealed
}
. ./launch-end.sh
