import { readdirSync, rmSync, statSync, symlinkSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { tempFolder } from "../../test/support/temp-folder.ts";
import { openSpillover, SPILL_BYTES } from "./spillover.ts";

test("a value below the limit travels as it is and nothing is written", () => {
  const parent = tempFolder();
  using spill = openSpillover(parent);
  const value = "é".repeat(SPILL_BYTES / 2 - 1);
  expect(spill.spill(value)).toBe(value);
  expect(readdirSync(parent)).toEqual([]);
});

test("a value of the limit in UTF-8 bytes travels as a private file and comes back whole", () => {
  using spill = openSpillover(tempFolder());
  const value = "é".repeat(SPILL_BYTES / 2);
  const travelled = spill.spill(value);
  const path = fileURLToPath(travelled);
  expect([statSync(path).mode & 0o777, statSync(dirname(path)).mode & 0o777]).toEqual([0o600, 0o700]);
  expect(spill.read(travelled)).toBe(value);
});

test("the folder is gone when the run ends", () => {
  const parent = tempFolder();
  {
    using spill = openSpillover(parent);
    spill.spill("x".repeat(SPILL_BYTES));
    expect(readdirSync(parent)).toHaveLength(1);
  }
  expect(readdirSync(parent)).toEqual([]);
});

test("a file:// value that leads elsewhere is not opened", () => {
  const other = openSpillover(tempFolder());
  using spill = openSpillover(tempFolder());
  spill.spill("x".repeat(SPILL_BYTES));
  const foreign = other.spill("y".repeat(SPILL_BYTES));
  expect(spill.read(foreign)).toBe(foreign);
  expect(spill.read("file:///etc/passwd")).toBe("file:///etc/passwd");
  other[Symbol.dispose]();
});

test("a link inside the folder that leads out is refused, and so is ..", () => {
  using spill = openSpillover(tempFolder());
  const travelled = spill.spill("x".repeat(SPILL_BYTES));
  const path = fileURLToPath(travelled);
  const escape = `${dirname(travelled)}/../../etc/passwd`;
  expect(spill.read(escape)).toBe(escape);
  rmSync(path);
  symlinkSync("/etc/passwd", path);
  expect(() => spill.read(travelled)).toThrowError("a spilled value is a link out of its folder");
});
