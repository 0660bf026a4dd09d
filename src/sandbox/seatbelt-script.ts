import { cleanEnvironment } from "../lib/clean-environment.ts";
import { shQuote } from "../lib/sh-quote.ts";
import { systemProgram } from "../lib/system-program.ts";
import { fixedVariables, isNotInside } from "./command-environment.ts";
import { doorVariables } from "./door/door-variables.ts";

interface ScriptParts {
  readonly sandboxExec: string;
  readonly profile: string;
  /** A file with the process id of each command is made here. */
  readonly commands: string;
  readonly variables: Readonly<Record<string, string>>;
}

/**
 * The program of a session on macOS: `PROGRAM 'COMMAND'` runs a bash command under the profile, `PROGRAM -- ARGV` a
 * program. sh only closes descriptors up to 9; the sh of macOS is bash, which closes the others too.
 */
export function seatbeltScript({ sandboxExec, profile, commands, variables }: ScriptParts): string {
  const bash = [systemProgram("bash") ?? "/bin/bash", "--norc", "--noprofile", "-c", "--"];
  const settings = Object.entries(variables).map(([name, value]) => shQuote(`${name}=${value}`));
  const words = [...settings, 'PWD="$PWD"', ...[sandboxExec, "-f", profile].map(shQuote)].join(" ");
  // A function is read as a whole, so that bash may lose the descriptor it reads the script from.
  return `#!/bin/sh
# Runs a command in the sandbox of a signalbox session.
# shellcheck disable=SC2016,SC3045 # Values are meant as they are, and every sh that is in use knows ulimit -c.
run() {
  if [ "$#" -gt 1 ] && [ "$1" = -- ]; then shift; else set -- ${bash.map(shQuote).join(" ")} "$1"; fi
  ulimit -c 0
  : > ${shQuote(commands)}/$$ || exit 70
  if [ -n "\${BASH_VERSION-}" ]; then
    for file in /dev/fd/*; do
      case \${file##*/} in
        [0-9] | *[!0-9]*) ;;
        *) eval "exec \${file##*/}>&-" ;;
      esac
    done
  fi
  exec /usr/bin/env -i ${words} -- "$@" 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-
}
run "$@"
`;
}

interface VariableParts {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly passVariables?: readonly string[] | undefined;
  readonly home: string;
  readonly temporary: string;
  readonly doorPort: number | undefined;
}

/** The environment of commands: the user's without secrets and what leads outside, with a home and a door of its own. */
export function seatbeltVariables(parts: VariableParts): Readonly<Record<string, string>> {
  const passed = Object.entries(cleanEnvironment(parts.environment, parts.passVariables)).filter(
    ([name]) => !isNotInside(name),
  );
  return {
    ...Object.fromEntries(passed),
    ...fixedVariables(parts.home),
    TMPDIR: parts.temporary,
    // A command has no id here, because nothing of ours runs beside it.
    ...(parts.doorPort === undefined ? {} : doorVariables(parts.doorPort, "session")),
  };
}
