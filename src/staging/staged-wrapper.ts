import type { Dialect } from "../contract/dialect.ts";
import { isStop, mustAnswer } from "../agents/dialect/hook-event.ts";
import type { HookEventName } from "../contract/hook-event.ts";
import { STAGED_SEAL } from "../hooks/staged-call.ts";
import { shQuote } from "../lib/sh-quote.ts";

export interface StagedWrapperParts {
  readonly dialect: Dialect;
  /** The events that this wrapper is for. With several, the event is its first argument. */
  readonly events: readonly HookEventName[];
  /** Hooks of the repository, by event. */
  readonly remembered: Readonly<Partial<Record<HookEventName, readonly string[]>>>;
  /** Deny tool calls on machines without signalbox. */
  readonly required: boolean;
}

/** The line by which a wrapper is known as ours. */
export const WRAPPER_LINE =
  "# Asks signalbox about an event. Written by `signalbox stage`; `signalbox unstage` takes it back.";

const SILENT =
  "signalbox did not answer, so this may not happen. Tell the user that the guard is broken: signalbox doctor";
const ABSENT =
  "this repository requires signalbox, which is not set up on this machine. Tell the user to install it and to run: signalbox stage";
const WARNING =
  "signalbox: this repository is guarded by signalbox, which is not set up on this machine: its rules do not hold here.";

/**
 * A script that is committed: it names nothing of this machine, and hands the event to the entry that `signalbox stage`
 * writes into the user's home. Whatever goes wrong there refuses; without an entry it warns once a day and has no opinion.
 */
export function stagedWrapper({ dialect, events, remembered, required }: StagedWrapperParts): string {
  const [only = ""] = events;
  return `#!/bin/sh
${WRAPPER_LINE}
path=\${PATH-} PATH=/usr/bin:/bin
unset ENV BASH_ENV NODE_OPTIONS NODE_EXTRA_CA_CERTS NODE_PATH NODE_REPL_EXTERNAL_MODULE LD_PRELOAD LD_LIBRARY_PATH LD_AUDIT DYLD_INSERT_LIBRARIES
event=${events.length === 1 ? only : "$1"}
nl='
'
case \${SIGNALBOX_HOME-} in
  /*) entry=$SIGNALBOX_HOME/bin/hook ;;
  *) entry=\${HOME-}/.signalbox/bin/hook ;;
esac
input=$(cat && printf .)
input=\${input%.}

refuse() {
  case $event in
${events.flatMap((event) => refusalCase(event, dialect)).join("\n")}
    *) echo '{}' && exit 0 ;;
  esac
  exit 2
}

if [ ! -e "$entry" ]; then
${required ? absentRefusal(events, dialect) : absentWarning()}
fi

# Hooks of this repository. One that is gone when it is needed counts as a refusal.
case $event in
${events.flatMap((event) => rememberedCase(event, remembered[event] ?? [])).join("\n")}
  *) set -- ;;
esac
answer=$({ printf '%s' "$input" | PATH=$path "$entry" ${dialect.name} "$event" "$@"; } 2>/dev/null)
case $answer in
  '{'*'}'"$nl"*"\${nl}${STAGED_SEAL} 0") code=0 ;;
  '{'*'}'"$nl"*"\${nl}${STAGED_SEAL} 2") code=2 ;;
  *) refuse ;;
esac
said=\${answer#*"$nl"}
said=\${said%"$nl"*}
printf '%s\\n' "\${answer%%"$nl"*}"
[ -z "$said" ] || printf '%s\\n' "$said" >&2
exit "$code"
`;
}

/** What is said when the entry fails. A stop is refused once. */
function refusalCase(event: HookEventName, dialect: Dialect): readonly string[] {
  if (!mustAnswer(event)) return [];
  const answer = isStop(event) ? { block: SILENT } : { verdict: "deny" as const, because: SILENT };
  const once = isStop(event) ? `\n      case $input in *'"stop_hook_active":true'*) echo '{}' && exit 0 ;; esac` : "";
  return [
    `    ${event})${once}
      printf '%s\\n' ${shQuote(JSON.stringify(dialect.write(event, answer)))}
      printf '%s\\n' ${shQuote(SILENT)} >&2 ;;`,
  ];
}

function absentRefusal(events: readonly HookEventName[], dialect: Dialect): string {
  if (!events.includes("tool-before")) return "  echo '{}' && exit 0";
  const denial = JSON.stringify(dialect.write("tool-before", { verdict: "deny", because: ABSENT }));
  return `  [ "$event" = tool-before ] || { echo '{}' && exit 0; }
  printf '%s\\n' ${shQuote(denial)}
  printf '%s\\n' ${shQuote(`signalbox: ${ABSENT}`)} >&2
  exit 2`;
}

/** A folder is the mark: making one follows no link that somebody left there. */
function absentWarning(): string {
  return `  mkdir "\${TMPDIR:-/tmp}/signalbox-absent-$(id -u)-$(date +%Y%j)" 2>/dev/null && printf '%s\\n' ${shQuote(WARNING)} >&2
  echo '{}'
  exit 0`;
}

function rememberedCase(event: HookEventName, names: readonly string[]): readonly string[] {
  return names.length === 0 ? [] : [`  ${event}) set -- ${names.map(shQuote).join(" ")} ;;`];
}
