import { expect, test } from "vitest";
import { mayBeBoth, tokens } from "./glob.ts";

test.each([
  ["[ab]x", "[bc]x", true],
  ["[a-c]", "[x-z]", false],
  ["[!a-z]", "[a-z]", false],
  ["?env", ".e*", true],
  ["*.ts", "a.*", true],
  ["*.ts", "*.js", false],
  ["[0-9]*", "id_rsa", false],
  ["i[cd]_rsa", "id_rsa", true],
])("%s and %s may name one file: %s", (one, other, both) => {
  expect([mayBeBoth(tokens(one), tokens(other)), mayBeBoth(tokens(other), tokens(one))]).toEqual([both, both]);
});
