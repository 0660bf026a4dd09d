import type { Screening } from "../screen/finding.ts";
import { commandScreen } from "../screen/screen-command.ts";
import type { Screen } from "./judge.ts";
import { redact, secretValues } from "./redact/redact.ts";

export interface GuardParts {
  readonly screen: Screen;
  readonly redact: (text: string) => string;
}

/** The screen and the redactor that every way into the guard uses. The hook loads its screen only when it needs one. */
export function guardParts(
  environment: Readonly<Record<string, string | undefined>>,
  screen: (text: string) => Screening,
): GuardParts {
  const values = secretValues(environment);
  return { screen: commandScreen(screen), redact: (text) => redact(text, { values }).text };
}
