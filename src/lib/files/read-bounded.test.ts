import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { needs } from "../../../test/support/platform.ts";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { readBounded } from "./read-file.ts";

test("a file up to the limit is read whole, one byte more is refused", () => {
  const path = join(tempFolder(), "file");
  writeFileSync(path, "12345");
  expect(readBounded(path, 5).bytes.toString()).toBe("12345");
  expect(() => readBounded(path, 4)).toThrowError("larger than 4 bytes");
});

test("devices, folders and endless files are refused without blocking", () => {
  expect(() => readBounded("/dev/zero", 10)).toThrowError("not a regular file");
  expect(() => readBounded("/", 10)).toThrowError("not a regular file");
});

needs("/proc")("a file that reports no size is refused", () => {
  expect(() => readBounded("/proc/self/environ", 1_000_000)).toThrowError("it grew while being read");
});
