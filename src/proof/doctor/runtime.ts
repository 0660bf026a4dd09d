import { sep } from "node:path";
import type { CheckResult } from "./check.ts";

const NEEDED_MAJOR = 24;

/** The Node version we run on, and whether we run from sources or from the bundle. */
export function checkRuntime(): CheckResult {
  const major = Number(process.versions.node.split(".")[0]);
  const own = process.execPath.includes(`${sep}node_modules${sep}node-`);
  const form = import.meta.filename.endsWith(".ts") ? "sources" : "bundle";
  return {
    id: "runtime",
    status: major >= NEEDED_MAJOR ? "ok" : "fail",
    summary: `Node ${process.versions.node} (${own ? "our own" : "the system's"}), running the ${form}`,
    facts: { node: process.versions.node, form },
    ...(major >= NEEDED_MAJOR ? {} : { fix: `use Node ${NEEDED_MAJOR} or newer` }),
  };
}
