import type { Screen } from "../guard/judge.ts";
import { environmentRedactor } from "../guard/redact-environment.ts";

/** The text screen and the redactor that every command of the guard uses. */
export const guardParts: { readonly screen: Screen | undefined; readonly redact: (text: string) => string } = {
  screen: undefined,
  redact: environmentRedactor(process.env),
};
