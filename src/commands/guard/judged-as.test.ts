import { expect, test } from "vitest";
import { commandWords } from "./judged-as.ts";

test.each([
  [["git", "push", "--force"], "git push --force"],
  [["npm", "--prefix=a/b", "test"], "npm --prefix=a/b test"],
  [["time", "ls"], "'time' ls"],
  [["A=1", "ls"], "'A=1' ls"],
  [["echo", "a b", "$x", "it's", ""], `echo 'a b' '$x' 'it'\\''s' ''`],
  [["ls", "~", "*"], "ls '~' '*'"],
  [["ls | wc"], "ls | wc"],
])("the words %j after -- are the command %j", (words, command) => {
  expect(commandWords(["explain"], words)).toBe(command);
});
