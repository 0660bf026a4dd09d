#!@BASH@ -p
# shellcheck shell=bash
# Called by the staged hooks of every repository. Written by signalbox for this machine; do not edit.
# The session's server answers, otherwise the bundle. The first call of a session creates an empty file and the second
# starts the server, so that a single call starts nothing.
set +o posix
trap '' PIPE
unset @DANGEROUS@
agent=$1 event=$2 input='' answer='' more='' start='' file=''
session='"session_?[iI]d": ?"([A-Za-z0-9_-]{1,100})"'
nl='
'

# LC_ALL=C makes lengths count bytes. It is local to the functions, so that child processes keep the user's locale.
read_input() {
  local LC_ALL=C
  IFS= read -r -N 65536 input && more=yes
}

# Asks the server whose address is in a file. The other arguments are the hooks that the wrapper remembers. Only accepts an
# answer that ends with the server's seal. A launch may be of another agent, which also runs this agent's hooks.
ask_server() {
  local LC_ALL=C
  local port token seal for name via=staged length=${#input}
  read -r port token seal _ for <"$1"
  [[ $for = "$agent" ]] || via=staged-$agent
  [[ $via = staged || $1 = "${SIGNALBOX_HOOK_SERVER-}" ]] || return 1
  shift
  [[ $port =~ ^[0-9]{1,5}$ && $token =~ ^[0-9a-f]{16,}$ && $seal =~ ^[0-9a-f]{16,}$ && $via =~ ^[a-z-]+$ ]] || return 1
  { exec 3<>"/dev/tcp/127.0.0.1/$port"; } 2>/dev/null || return 1
  for name; do length=$((length + ${#name} + 1)); done
  if (($# == 0)); then
    { printf '%s %s %s %s 0\n%s' "$token" "$event" "$via" "$length" "$input" >&3; } 2>/dev/null
  else
    { printf '%s %s %s %s %s\n' "$token" "$event" "$via" "$length" "$#"; printf '%s\0' "$@"; printf '%s' "$input"; } >&3 2>/dev/null
  fi
  IFS= read -r -N 134217728 -t @SECONDS@ answer <&3 2>/dev/null
  exec 3>&-
  answer=${answer%"$nl"}
  case $answer in
    *"$nl$seal 0") printf '%s%s 0\n' "${answer%"$seal 0"}" @SEAL@ ;;
    *"$nl$seal 2") printf '%s%s 2\n' "${answer%"$seal 2"}" @SEAL@ ;;
    *) return 1 ;;
  esac
}

ask() {
  local launch=${SIGNALBOX_HOOK_SERVER-}
  shift 2
  [[ -z $more ]] || return 1
  # The launch sees this event too, and judges it once.
  if [[ $launch = @LAUNCHES@/*/server && $launch != *..* && -s $launch ]]; then
    ask_server "$launch" "$@"
    # The bundle handles what it does not know: another server would be killed at the end of the launch.
    return
  fi
  [[ $agent =~ ^[a-z]+$ && $input =~ $session ]] || return 1
  file=@SERVERS@/$agent-${BASH_REMATCH[1]}
  [[ ! -e $file ]] || start=yes
  [[ -s $file ]] && ask_server "$file" "$@"
}

# Lists all ancestor processes, because the nearest will have exited before the server can look.
chain() {
  local pid=$PPID key value
  callers=()
  while ((pid > 1)); do
    callers+=("$pid")
    while read -r key value _; do [[ $key = PPid: ]] && break; done <"/proc/$pid/status" || break
    pid=$value
  done
}

read_input
if ask "$@"; then exit 0; fi

if [[ -n $file && $event != session-end ]]; then
  set -C
  if [[ -z $start ]]; then
    { : >"$file"; } 2>/dev/null
  elif { : >"$file.starting"; } 2>/dev/null; then
    : >|"$file"
    chain 2>/dev/null
    @SERVER@ "$agent" "${file##*/}" "${callers[@]}" </dev/null >/dev/null 2>&1 &
  fi
  set +C
fi
{ printf '%s' "$input"; [[ -z $more ]] || exec /bin/cat; } | @BUNDLE@ --staged "$@"
