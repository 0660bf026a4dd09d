import { cleanEnvironment } from "../../lib/clean-environment.ts";
import { safePath } from "../../lib/safe-path.ts";

/** Marks every process of one command, so that it is found again wherever it went. */
export const COMMAND_VARIABLE = "SIGNALBOX_COMMAND";

/** Nobody sits at the terminal of a command. */
const UNATTENDED = { TERM: "dumb", PAGER: "cat", GIT_PAGER: "cat", GIT_TERMINAL_PROMPT: "0", GIT_EDITOR: "true" };

interface CommandPlace {
  readonly workspace: string;
  /** Secrets that the person lets commands have, by name. */
  readonly keep?: readonly string[] | undefined;
}

/**
 * The environment of a command: the person's, without secrets and without what loads code. PATH loses its relative
 * entries and those in the workspace: a file put there must not stand for a program that was judged by its name.
 */
export function commandEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  { workspace, keep }: CommandPlace,
): Record<string, string> {
  const path = safePath(environment, workspace);
  return { ...cleanEnvironment(environment, keep), ...UNATTENDED, PATH: path };
}
