import { existsSync } from "node:fs";
import { readIfThere } from "../lib/read-if-there.ts";
import { APPARMOR, DEBIAN_SWITCH, NAMESPACE_LIMIT, type SandboxMachine } from "./explain-failure.ts";

/** What this machine says about namespaces. */
export function readMachine(environment: Readonly<Record<string, string | undefined>> = process.env): SandboxMachine {
  const settings = [APPARMOR, DEBIAN_SWITCH, NAMESPACE_LIMIT].map((path) => [
    path,
    readIfThere(path)?.toString("utf8").trim(),
  ]);
  return {
    kernel: readIfThere("/proc/version")?.toString("utf8") ?? "",
    settings: Object.fromEntries(settings),
    inContainer: existsSync("/.dockerenv") || existsSync("/run/.containerenv"),
    onGithub: environment["GITHUB_ACTIONS"] === "true",
  };
}
