import { expect, test } from "vitest";
import { dollars } from "./printable.ts";

test.each([
  [0, "$0"],
  [1e-9, "under $0.000001"],
  [0.0004, "$0.0004"],
  [0.0059110000000000005, "$0.006"],
  [0.25, "$0.250"],
  [12.3, "$12.30"],
])("%d is shown as %s", (amount, text) => {
  expect(dollars(amount)).toBe(text);
});
