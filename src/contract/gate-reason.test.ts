import { expect, test } from "vitest";
import { acceptanceReason, readGateReason } from "./gate-reason.ts";

test("what the model is told about a failed check is read back as a verdict and its output", () => {
  const reason = acceptanceReason("the acceptance check `npm test` failed with exit code 1", "\nline 1\nline 2\n");
  expect(reason).toMatch(/^This is not finished: .*\nThe end of its output:\nline 1\nline 2\nFind the cause/);
  expect(readGateReason(reason)).toEqual({
    verdict: "the acceptance check `npm test` failed with exit code 1",
    output: "line 1\nline 2",
  });
  expect(readGateReason(acceptanceReason("it was ended", ""))).toEqual({ verdict: "it was ended", output: "" });
  expect(readGateReason("a hook's reason\nand more")).toEqual({ verdict: "a hook's reason", output: "and more" });
});
