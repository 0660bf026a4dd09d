import { expect, test } from "vitest";
import { fitHelp } from "./wrap-lines.ts";

test("paragraphs are filled, lists keep their indent, examples and what fits stay as they are", () => {
  const text = `Usage: box [flags]

Some words that are too long for
one line. More.

Codes:
  0 done   1 failed   2 something else

Words:
  one    a text that is too long

Example:
  box --with many words that nobody may break
`;
  expect(fitHelp(text, 24)).toBe(`Usage: box [flags]

Some words that are too
long for one line. More.

Codes:
  0 done   1 failed
  2 something else

Words:
  one    a text that is
         too long

Example:
  box --with many words that nobody may break
`);
  expect(fitHelp(text, 80)).toBe(text);
});
