import { expect, test } from "vitest";
import { commandsThatMustRun } from "./must-run.ts";

test.each(["echo a$", "echo $/x", "echo $%", 'echo "$ 5"'])("%s holds a plain dollar sign", (source) => {
  expect(commandsThatMustRun(source).proven).toBe(true);
});

test.each(["echo $[1+1]", 'echo $"x"', "echo $(", "echo ${x@P}"])("%s is not proven", (source) => {
  expect(commandsThatMustRun(source).proven).toBe(false);
});
