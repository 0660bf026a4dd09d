import { spawn } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { atomicWrite } from "../../lib/atomic-write.ts";
import { hasStarted } from "../../lib/has-started.ts";
import { isRecord } from "../../lib/is-record.ts";
import { makeFolder } from "../../lib/make-folder.ts";
import { parseJson } from "../../lib/parse-json.ts";
import { printable } from "../../lib/printable.ts";
import { shQuote } from "../../lib/sh-quote.ts";
import { sha256 } from "../../lib/sha256.ts";
import { EXIT, UserError } from "../../lib/user-error.ts";
import type { InstallParts } from "../../contract/agent-install.ts";

const MILLISECONDS = 20_000;
const MAX_CHARACTERS = 500;

/**
 * Asks Codex itself whether it accepts our hooks, because it silently skips one whose hash does not match. Asked once per
 * program and set of flags; the answer is remembered.
 */
export async function verifyCodex(parts: InstallParts, ours: readonly string[]): Promise<void> {
  const memory = join(parts.home, "checked", "codex");
  const key = keyOf(parts, ours);
  if (remembered(memory) === key) return;
  const listed = await listHooks(parts, ours);
  const wanted = ours.filter((flag) => /^hooks\.[A-Z]/.test(flag)).length;
  if (listed.trusted !== wanted) throw notAccepted(listed, wanted, parts.binary);
  makeFolder(dirname(memory));
  atomicWrite(memory, key);
}

function notAccepted({ trusted, complaints }: Listed, wanted: number, where: string): UserError {
  const because =
    complaints === ""
      ? `this Codex accepts ${trusted} of our ${wanted} hooks, so its tool calls cannot be guarded`
      : `Codex rejects its configuration, so its tool calls cannot be guarded: ${printable(complaints.slice(0, MAX_CHARACTERS))}`;
  const fix = complaints === "" ? "use a version listed by signalbox doctor" : "fix what Codex reports";
  return new UserError(because, { where, fix: `${fix}, or use --unguarded`, exitCode: EXIT.refused });
}

/** Identifies the program and our flags, without the path of this one run. */
function keyOf({ binary, wrapper }: InstallParts, ours: readonly string[]): string {
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

/** How many of our hooks Codex lists as trusted, and its complaints about its configuration. */
interface Listed {
  readonly trusted: number;
  readonly complaints: string;
}

const NOTHING: Listed = { trusted: 0, complaints: "" };

async function listHooks({ binary, env, cwd, wrapper }: InstallParts, ours: readonly string[]): Promise<Listed> {
  const child = spawn(binary, ["app-server", ...ours], { cwd, env, stdio: ["pipe", "pipe", "ignore"] });
  child.on("error", () => {});
  if (!(await hasStarted(child))) return NOTHING;
  const timer = setTimeout(() => child.kill("SIGKILL"), MILLISECONDS);
  child.stdin.on("error", () => {});
  child.stdin.write(REQUESTS(cwd));
  try {
    let text = "";
    for await (const chunk of child.stdout) {
      text += String(chunk);
      const whole = text.split("\n").slice(0, -1);
      const answer = whole.find((line) => line.includes('"id":1'));
      if (answer !== undefined) return readAnswer(answer, wrapper);
    }
    return NOTHING;
  } finally {
    clearTimeout(timer);
    child.kill("SIGKILL");
  }
}

function readAnswer(line: string, wrapper: string): Listed {
  const value = parsed(line);
  if (!isRecord(value)) return NOTHING;
  const data = isRecord(value["result"]) ? value["result"]["data"] : undefined;
  const [first] = Array.isArray(data) ? data : [];
  const { hooks, errors } = isRecord(first) ? first : {};
  const complaints = [value["error"], ...listOf(errors)].map((error) =>
    isRecord(error) ? error["message"] : undefined,
  );
  return {
    trusted: listOf(hooks).filter((hook) => isTrusted(hook, wrapper)).length,
    complaints: complaints.filter((message) => typeof message === "string").join("; "),
  };
}

function parsed(line: string): unknown {
  try {
    return parseJson(line);
  } catch {
    // Counts as no answer.
    return undefined;
  }
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const isTrusted = (hook: unknown, wrapper: string) =>
  isRecord(hook) &&
  hook["trustStatus"] === "trusted" &&
  hook["enabled"] === true &&
  String(hook["command"]).includes(shQuote(wrapper));
