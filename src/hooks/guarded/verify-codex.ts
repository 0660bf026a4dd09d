import { spawn } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { atomicWrite } from "../../lib/atomic-write.ts";
import { isRecord } from "../../lib/is-record.ts";
import { makeFolder } from "../../lib/make-folder.ts";
import { shQuote } from "../../lib/sh-quote.ts";
import { sha256 } from "../../lib/sha256.ts";
import { EXIT, UserError } from "../../lib/user-error.ts";
import type { ArmParts } from "./arm.ts";

const MILLISECONDS = 20_000;

/**
 * Asks Codex itself whether it takes our hooks: one whose hash it does not accept is skipped without a word. Asked once
 * per program and recipe, and remembered.
 */
export async function verifyCodex(parts: ArmParts, ours: readonly string[]): Promise<void> {
  const memory = join(parts.home, "checked", "codex");
  const key = keyOf(parts, ours);
  if (remembered(memory) === key) return;
  const trusted = await trustedHooks(parts, ours);
  const wanted = ours.filter((flag) => /^hooks\.[A-Z]/.test(flag)).length;
  if (trusted !== wanted)
    throw new UserError(`this Codex takes ${trusted} of our ${wanted} hooks, so its tool calls cannot be held`, {
      where: parts.binary,
      fix: "use the version that signalbox doctor names, or say --unguarded",
      exitCode: EXIT.refused,
    });
  makeFolder(dirname(memory));
  atomicWrite(memory, key);
}

/** The program as it is, and the recipe without the path of this one run. */
function keyOf({ binary, wrapper }: ArmParts, ours: readonly string[]): string {
  const { dev, ino, size, mtimeNs } = statSync(binary, { bigint: true });
  const recipe = ours
    .join("\n")
    .replaceAll(wrapper, "")
    .replaceAll(/sha256:\w+/g, "");
  return sha256([binary, dev, ino, size, mtimeNs, recipe].join("\n"));
}

function remembered(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

const REQUESTS = (cwd: string) =>
  [
    { id: 0, method: "initialize", params: { clientInfo: { name: "signalbox", version: "1" } } },
    { method: "initialized" },
    { id: 1, method: "hooks/list", params: { cwds: [cwd] } },
  ]
    .map((request) => `${JSON.stringify(request)}\n`)
    .join("");

/** How many of our hooks Codex lists as trusted. None when it does not answer. */
async function trustedHooks({ binary, env, cwd, wrapper }: ArmParts, ours: readonly string[]): Promise<number> {
  const child = spawn(binary, ["app-server", ...ours], { cwd, env, stdio: ["pipe", "pipe", "ignore"] });
  const timer = setTimeout(() => child.kill("SIGKILL"), MILLISECONDS);
  child.on("error", () => {});
  child.stdin.on("error", () => {});
  child.stdin.write(REQUESTS(cwd));
  try {
    let text = "";
    for await (const chunk of child.stdout) {
      text += String(chunk);
      const answer = text.split("\n").find((line) => line.includes('"id":1'));
      if (answer !== undefined) return countTrusted(answer, wrapper);
    }
    return 0;
  } finally {
    clearTimeout(timer);
    child.kill("SIGKILL");
  }
}

function countTrusted(line: string, wrapper: string): number {
  const value: unknown = JSON.parse(line);
  const data = isRecord(value) && isRecord(value["result"]) ? value["result"]["data"] : undefined;
  const [first] = Array.isArray(data) ? data : [];
  const hooks: readonly unknown[] = isRecord(first) && Array.isArray(first["hooks"]) ? first["hooks"] : [];
  return hooks.filter(
    (hook) =>
      isRecord(hook) &&
      hook["trustStatus"] === "trusted" &&
      hook["enabled"] === true &&
      String(hook["command"]).includes(shQuote(wrapper)),
  ).length;
}
