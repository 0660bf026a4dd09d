import { fstatSync, ftruncateSync, writeSync } from "node:fs";

/** Appends all of it or nothing: what a full disk took of it is cut off again. */
export function appendWhole(descriptor: number, bytes: Uint8Array): void {
  const taken = writeSync(descriptor, bytes);
  if (taken === bytes.length) return;
  ftruncateSync(descriptor, fstatSync(descriptor).size - taken);
  throw Object.assign(new Error("the disk took only a part of it"), { code: "ENOSPC" });
}
