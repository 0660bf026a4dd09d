import { existsSync } from "node:fs";
import { test } from "vitest";
import { isOnPath } from "./is-on-path.ts";

/** Parts of a system that not every one has. macOS lacks all of these but `ps`. */
const PARTS = {
  /** Processes and their descriptors as files. */
  "/proc": () => existsSync("/proc/self/stat"),
  /** A process is found by the id in its environment, wherever it moved. */
  "process marks": () => process.platform === "linux" && existsSync("/proc/self/environ"),
  setsid: () => isOnPath("setsid"),
  dash: () => isOnPath("dash"),
  busybox: () => isOnPath("busybox"),
  ps: () => isOnPath("ps"),
} as const;

type Part = keyof typeof PARTS;

/** Whether this system has all of these parts. */
const has = (...parts: readonly Part[]): boolean => parts.every((part) => PARTS[part]());

/** `needs("setsid")("a sentence", …)`: a test that is skipped, and listed as such, where a part is missing. */
export const needs = (...parts: readonly Part[]) => test.runIf(has(...parts));
