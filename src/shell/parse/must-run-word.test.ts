import { expect, test } from "vitest";
import { commandsThatMustRun } from "./must-run.ts";
import { readScript } from "./read-script.ts";

test.each(["echo a$", "echo $/x", "echo $%", 'echo "$ 5"'])("%s holds a plain dollar sign", (source) => {
  expect(commandsThatMustRun(source).proven).toBe(true);
});

test.each(["echo $[1+1]", 'echo $"x"', "echo $(", "echo ${x@P}"])("%s is not proven", (source) => {
  expect(commandsThatMustRun(source).proven).toBe(false);
});

test.each([
  ["cat <<EOF\na $X ${Y} $(date) \\$Z\nEOF", true],
  ["cat <<-EOF\n\ta $X\n\tEOF", true],
  ['echo ${X:-a.txt} "${Y-b}"', true],
  ["cat <<EOF\n`date`\nEOF", false],
  ["cat <<EOF\na\\\nEOF\ndate\nEOF", false],
  ["cat <<EOF\n$(case x in x) date;; esac)\nEOF", false],
  ["echo ${X:-$(date)}", false],
  ["echo ${X:=a}", false],
])("%s is proven: %s, as the other parser reads it", (source, proven) => {
  const { doubts } = readScript(source, "bash");
  expect(doubts).toEqual(proven ? [] : [{ code: "unproven", because: expect.any(String) }]);
});
