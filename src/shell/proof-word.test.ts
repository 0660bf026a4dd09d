import { expect, test } from "vitest";
import { extractProof } from "./proof.ts";

test.each(["echo a$", "echo $/x", "echo $%", 'echo "$ 5"'])("%s holds a plain dollar sign", (source) => {
  expect(extractProof(source).proven).toBe(true);
});

test.each(["echo $[1+1]", 'echo $"x"', "echo $(", "echo ${x@P}"])("%s is not proven", (source) => {
  expect(extractProof(source).proven).toBe(false);
});
