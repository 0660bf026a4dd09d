import { expect, test } from "vitest";
import { demoScreen } from "./demo.ts";

const DIFF = "--- a/average.js\n+++ b/average.js\n-  wrong\n+  right\n";

function shown(accepted: boolean, verified: boolean): string {
  let text = "";
  const screen = demoScreen({ isTTY: false, write: (part) => (text += part) !== "" });
  screen.fix(DIFF, { check: "node --test", accepted });
  screen.receipt("hash 1\n", { output: "good: 1 receipt\nmore", good: verified });
  return text;
}

test("it says accepted and verified of what was, and the opposite of what was not", () => {
  expect(shown(true, true)).toBe(`1. The fix
   -  wrong
   +  right
   ACCEPTED  node --test
2. The receipt
   hash 1
   VERIFIED  good: 1 receipt
`);
  const refused = shown(false, false);
  expect(refused).toContain("   NOT ACCEPTED  node --test\n");
  expect(refused).toContain("   NOT VERIFIED  good: 1 receipt\n");
});
