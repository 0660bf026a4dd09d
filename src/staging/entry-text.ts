import { LAUNCH_VARIABLE } from "../hooks/server-reach.ts";
import { STAGED_SEAL } from "../hooks/staged-call.ts";
import { shQuote } from "../lib/sh-quote.ts";

const HEADER =
  "# What the staged hooks of every repository call. Written by signalbox for this machine; not to be edited.";
const UNSET =
  "unset ENV BASH_ENV NODE_OPTIONS NODE_EXTRA_CA_CERTS NODE_PATH NODE_REPL_EXTERNAL_MODULE LD_PRELOAD LD_LIBRARY_PATH LD_AUDIT DYLD_INSERT_LIBRARIES";

/** The bundle answers every call. */
export const plainEntry = (bundle: readonly string[]) => `#!/bin/sh
${HEADER}
${UNSET}
exec ${bundle.map(shQuote).join(" ")} --staged "$@"
`;

export interface ServedParts {
  readonly bash: string;
  readonly bundle: readonly string[];
  readonly server: readonly string[];
  /** The folders in which servers and launches say how they are reached. */
  readonly servers: string;
  readonly launches: string;
  readonly seconds: number;
}

const SHORT_BYTES = 65_536;
const MAX_ANSWER_BYTES = 134_217_728;

/**
 * The server of a session answers, else the bundle. The first call of a session leaves a mark and the second starts the
 * server, so that a lone call starts nothing. Only an answer that ends with the server's seal counts.
 */
export function servedEntry({ bash, bundle, server, servers, launches, seconds }: ServedParts): string {
  return `#!${bash} -p
${HEADER}
set +o posix
trap '' PIPE
${UNSET}
agent=$1 event=$2 input= answer= more= start= file=
session='"session_?[iI]d": ?"([A-Za-z0-9_-]{1,100})"'
nl='
'

# Lengths are bytes, in the functions alone: what is started keeps the user's language.
take() {
  local LC_ALL=C
  IFS= read -r -N ${SHORT_BYTES} input && more=yes
}

${reachFunction(seconds)}
ask() {
  local launch=\${${LAUNCH_VARIABLE}-}
  shift 2
  [[ -z $more ]] || return 1
  # A launch has heard of this event too, and judges it once. It knows nothing of hooks that are remembered and gone.
  if [[ $launch = ${shQuote(launches)}/*/server && $launch != *..* && -s $launch ]]; then
    [[ $# = 0 ]] && reach "$launch"
    # What it does not know is for the bundle: the end of the launch would end another server too.
    return
  fi
  [[ $agent =~ ^[a-z]+$ && $input =~ $session ]] || return 1
  file=${shQuote(servers)}/$agent-\${BASH_REMATCH[1]}
  [[ ! -e $file ]] || start=yes
  [[ -s $file ]] && reach "$file" "$@"
}

# Every process above this one: the nearest will have ended before the server can look.
chain() {
  local pid=$PPID key value
  callers=()
  while ((pid > 1)); do
    callers+=("$pid")
    while read -r key value _; do [[ $key = PPid: ]] && break; done <"/proc/$pid/status" || break
    pid=$value
  done
}

take
if ask "$@"; then exit 0; fi

if [[ -n $file && $event != session-end ]]; then
  set -C
  if [[ -z $start ]]; then
    { : >"$file"; } 2>/dev/null
  elif { : >"$file.starting"; } 2>/dev/null; then
    : >|"$file"
    chain 2>/dev/null
    ${server.map(shQuote).join(" ")} "$agent" "\${file##*/}" "\${callers[@]}" </dev/null >/dev/null 2>&1 &
  fi
  set +C
fi
{ printf '%s' "$input"; [[ -z $more ]] || exec /bin/cat; } | ${bundle.map(shQuote).join(" ")} --staged "$@"
`;
}

/** Asks the server that a file tells of. The other arguments are hooks that the wrapper remembers. */
const reachFunction = (seconds: number) => `reach() {
  local LC_ALL=C
  local port token seal pid for name length=\${#input}
  read -r port token seal pid for <"$1"
  shift
  [[ $port =~ ^[0-9]{1,5}$ && $token =~ ^[0-9a-f]{16,}$ && $seal =~ ^[0-9a-f]{16,}$ && $for = "$agent" ]] || return 1
  { exec 3<>"/dev/tcp/127.0.0.1/$port"; } 2>/dev/null || return 1
  for name; do length=$((length + \${#name} + 1)); done
  if (($# == 0)); then
    { printf '%s %s staged %s 0\\n%s' "$token" "$event" "$length" "$input" >&3; } 2>/dev/null
  else
    { printf '%s %s staged %s %s\\n' "$token" "$event" "$length" "$#"; printf '%s\\0' "$@"; printf '%s' "$input"; } >&3 2>/dev/null
  fi
  IFS= read -r -N ${MAX_ANSWER_BYTES} -t ${seconds} answer <&3 2>/dev/null
  exec 3>&-
  answer=\${answer%"$nl"}
  case $answer in
    *"$nl$seal 0") printf '%s\\n' "\${answer%"$seal 0"}${STAGED_SEAL} 0" ;;
    *"$nl$seal 2") printf '%s\\n' "\${answer%"$seal 2"}${STAGED_SEAL} 2" ;;
    *) return 1 ;;
  esac
}
`;
