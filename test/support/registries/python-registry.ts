import { zip } from "./archives.ts";
import type { Registry } from "./serve-registry.ts";

const WHEEL = "greeting-1.0-py3-none-any.whl";
const INFO = "greeting-1.0.dist-info";

const FILES = {
  "greeting.py": 'def greet():\n    return "hello from a wheel"\n',
  [`${INFO}/METADATA`]: "Metadata-Version: 2.1\nName: greeting\nVersion: 1.0\n",
  [`${INFO}/WHEEL`]: "Wheel-Version: 1.0\nGenerator: signalbox\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
};
const RECORD = [...Object.keys(FILES), `${INFO}/RECORD`].map((name) => `${name},,\n`).join("");

/** A simple index (PEP 503) with one wheel, `greeting` 1.0. */
export const pythonRegistry: Registry = () => ({
  "/simple/greeting/": `<html><body><a href="/files/${WHEEL}">${WHEEL}</a></body></html>`,
  [`/files/${WHEEL}`]: zip({ ...FILES, [`${INFO}/RECORD`]: RECORD }),
});
