import { expect, test } from "vitest";
import { refuseUnread } from "./sub-verbs.ts";

test("a flag that a subcommand does not read is refused with those it reads", () => {
  expect(() => refuseUnread("sessions show", { json: true, maxCost: "1" }, ["--json"])).toThrow(
    "sessions show does not take --max-cost",
  );
  expect(() => refuseUnread("sessions show", { json: true, here: false, raw: undefined }, ["--json"])).not.toThrow();
});
