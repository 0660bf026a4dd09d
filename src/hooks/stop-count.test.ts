import { expect, test } from "vitest";
import { tempFolder } from "../../test/support/temp-folder.ts";
import { countRefusedStop, forgetRefusedStops, MAX_REFUSED_STOPS } from "./dispatch.ts";

test("a session may be refused a stop so often and no more, until somebody speaks", () => {
  const folder = tempFolder();
  const refused = Array.from({ length: MAX_REFUSED_STOPS + 2 }, () => countRefusedStop(folder, "one"));
  expect(refused.indexOf(false)).toBe(MAX_REFUSED_STOPS);
  expect(countRefusedStop(folder, "two")).toBe(true);
  forgetRefusedStops(folder, "one");
  expect(countRefusedStop(folder, "one")).toBe(true);
});
