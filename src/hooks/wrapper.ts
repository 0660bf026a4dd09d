import { shQuote } from "../lib/sh-quote.ts";
import type { Dialect } from "../contract/dialect.ts";
import { HOOK_EVENTS, isStop, mustAnswer } from "../agents/dialect/hook-event.ts";

/** How the wrapper reaches the server: `nc` over a unix socket, else bash itself over a loopback port. */
export type HookClient =
  | { readonly kind: "nc"; readonly program: string; readonly socket: string }
  | { readonly kind: "bash"; readonly program: string; readonly port: number };

export interface WrapperParts {
  readonly dialect: Dialect;
  readonly client: HookClient | undefined;
  /** Absolute paths: nothing is looked for when a call comes. */
  readonly node: string;
  readonly bundle: string;
  readonly settings: string;
  readonly token: string;
  readonly seal: string;
  /** A program and its arguments that end the bundle when it hangs. */
  readonly deadline: readonly string[];
  readonly seconds: number;
}

const SHORT_BYTES = 65_536;
const MAX_ANSWER_BYTES = 134_217_728;
const NOT_ANSWERED = "signalbox did not answer, so this may not happen. Tell the user that the guard is broken.";

/**
 * The script that an agent calls: reads its input once, asks the server, else the bundle, else refuses. Only an answer
 * that ends with the seal counts, so neither half an answer nor somebody else's is believed.
 */
export function wrapperText(parts: WrapperParts): string {
  const { client, node, bundle, settings, seal, deadline } = parts;
  const shell = client?.kind === "bash" ? `${client.program} -p` : "/bin/sh";
  // In posix mode, which the environment can ask for, bash ends when the server is gone.
  const mode = client?.kind === "bash" ? "set +o posix\n" : "";
  return `#!${shell}
# Asks signalbox about one event of an agent. Written for this launch; not to be edited.
# A server that dies while it is written to must not end this script: then nobody would answer.
${mode}trap '' PIPE
PATH=/usr/bin:/bin LC_ALL=C
unset ENV BASH_ENV NODE_OPTIONS NODE_EXTRA_CA_CERTS NODE_PATH NODE_REPL_EXTERNAL_MODULE LD_PRELOAD LD_LIBRARY_PATH LD_AUDIT DYLD_INSERT_LIBRARIES
event=$1 via=\${2:-launch} seal=${seal} answer=
nl='
'
${readText(client)}

sealed() {
  answer=\${answer%"$nl"}
  case $answer in *"$nl$seal 0") code=0 ;; *"$nl$seal 2") code=2 ;; *) return 1 ;; esac
}

tell() {
  said=\${answer%"$nl"*}
  out=\${said%%"$nl"*}
  [ "$out" = '{}' ] || printf '%s\\n' "$out"
  [ "$code" = 0 ] || printf '%s\\n' "\${said#*"$nl"}" >&2
  exit "$code"
}

${askText(parts)}
if ask_server; then tell; fi

# A shell reads no further than it gets: what follows costs only the call that the server did not answer.
ask_bundle() {
  answer=$(exec 2>/dev/null; printf '%s' "$input" | ${[...deadline, node, bundle].map(shQuote).join(" ")} --settings ${shQuote(settings)} "$event" "$via")
  sealed
}
if ask_bundle; then tell; fi

${refuseText(parts.dialect)}
`;
}

/** Bash itself takes a short input whole, which is quicker than to start another program. An old one reads byte by byte. */
const readText = (client: HookClient | undefined) =>
  client?.kind === "bash"
    ? `if ((BASH_VERSINFO[0] > 3)); then
  IFS= read -r -N ${SHORT_BYTES} input && input=$input$(/bin/cat)
else
  input=$(/bin/cat)
fi`
    : "input=$(/bin/cat)";

function askText({ client, token, deadline, seconds }: WrapperParts): string {
  if (client === undefined) return "ask_server() { return 1; }";
  const request = `printf '%s %s %s %s\\n%s' ${token} "$event" "$via" "\${#input}" "$input"`;
  if (client.kind === "nc")
    return `ask_server() {
  [ -S ${shQuote(client.socket)} ] || return 1
  answer=$(exec 2>/dev/null; ${request} | ${[...deadline, client.program].map(shQuote).join(" ")} -N -w ${seconds} -U ${shQuote(client.socket)})
  sealed
}`;
  return `ask_server() {
  { exec 3<>/dev/tcp/127.0.0.1/${client.port}; } 2>/dev/null || return 1
  # A server that does not read must not hold this up: what fits into no buffer is written beside.
  if ((\${#input} < ${SHORT_BYTES})); then
    { ${request} >&3; } 2>/dev/null
  else
    { ${request} >&3; } 2>/dev/null &
    writer=$!
  fi
  if ((BASH_VERSINFO[0] > 3)); then
    IFS= read -r -N ${MAX_ANSWER_BYTES} -t ${seconds} answer <&3
  else
    IFS= read -r -d '' -t ${seconds} answer <&3
  fi 2>/dev/null
  exec 3>&-
  if [ -n "\${writer-}" ]; then disown "$writer"; kill -KILL "$writer"; fi 2>/dev/null
  sealed
}`;
}

/** What is said when nobody answers: a denial where one is needed, nothing elsewhere. A stop is refused once. */
function refuseText(dialect: Dialect): string {
  const events = HOOK_EVENTS.filter((event) => mustAnswer(event) && dialect.events[event] !== undefined);
  const cases = events.map((event) => {
    const answer = isStop(event) ? { block: NOT_ANSWERED } : { verdict: "deny" as const, because: NOT_ANSWERED };
    const once = isStop(event) ? `case $input in *'"stop_hook_active":true'*) echo '{}'; exit 0 ;; esac\n    ` : "";
    return `  ${event})
    ${once}printf '%s\\n' ${shQuote(JSON.stringify(dialect.write(event, answer)))} ;;`;
  });
  return `case $event in
${cases.join("\n")}
  *)
    echo '{}'
    exit 0 ;;
esac
printf '%s\\n' ${shQuote(NOT_ANSWERED)} >&2
exit 2`;
}
