import { spawn } from "node:child_process";
import { statSync } from "node:fs";
import { dirname, join } from "node:path";
import { textIfReadable } from "../../lib/files/read-file.ts";
import type { InstallParts } from "../../contract/agent-install.ts";
import type { HookEventName } from "../../contract/hook-event.ts";
import { atomicWrite } from "../../lib/files/atomic-write.ts";
import { canonicalJson, isRecord } from "../../lib/json/json-value.ts";
import { hasStarted } from "../../lib/process/has-started.ts";
import { tomlString } from "../../lib/json/toml.ts";
import { makeFolder } from "../../lib/files/make-folder.ts";
import { jsonIfValid } from "../../lib/json/parse-json.ts";
import { printable } from "../../lib/text/printable.ts";
import { shQuote } from "../../lib/text/shell-words.ts";
import { sha256 } from "../../lib/json/sha256.ts";
import { EXIT, UserError } from "../../lib/text/user-error.ts";
import { hookSeconds } from "../install/hook-entries.ts";
import { codexDialect } from "./hooks.ts";

const MILLISECONDS = 20_000;
const MAX_CHARACTERS = 500;

/**
 * Asks Codex itself whether it accepts our hooks, because it silently skips one whose hash does not match. Asked once per
 * program and set of flags; the answer is remembered.
 */
export async function verifyCodex(parts: InstallParts, ours: readonly string[]): Promise<void> {
  const memory = join(parts.home, "checked", "codex");
  const key = keyOf(parts, ours);
  if (textIfReadable(memory) === key) return;
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
  const value = jsonIfValid(line);
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

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const isTrusted = (hook: unknown, wrapper: string) =>
  isRecord(hook) &&
  hook["trustStatus"] === "trusted" &&
  hook["enabled"] === true &&
  String(hook["command"]).includes(shQuote(wrapper));

/** Codex ends these hooks after three seconds, whatever timeout is set. */
const SHORT: readonly HookEventName[] = ["session-end"];

/** Codex matches nothing for these events, and leaves the matcher out of what it hashes. */
const UNMATCHED: readonly HookEventName[] = ["prompt-submitted", "agent-stop"];

interface CodexHook {
  readonly event: HookEventName;
  readonly command: string;
  /** Seconds that Codex waits for it. */
  readonly timeout?: number;
}

/** Flags that register hooks for one start of Codex, with the hashes by which it trusts them. */
export function trustedHooks(hooks: readonly CodexHook[]): readonly string[] {
  const entries = hooks.map((hook) => ({ ...hook, ...hashedEntry(hook) }));
  const state = entries.map(({ name, hash }) => {
    const key = tomlString(`/<session-flags>/config.toml:${snake(name)}:0:0`);
    return `${key}={trusted_hash="sha256:${hash}",enabled=true}`;
  });
  return [
    ...entries.flatMap(({ event, name, command, timeout }) => {
      const matcher = UNMATCHED.includes(event) ? "" : 'matcher="*",';
      const hook = `{type="command",command=${tomlString(command)},timeout=${timeout}}`;
      return ["-c", `hooks.${name}=[{${matcher}hooks=[${hook}]}]`];
    }),
    "-c",
    `hooks.state={${state.join(",")}}`,
    "-c",
    "features.hooks=true",
  ];
}

/** What Codex hashes of a hook: its own canonical form, with the timeout that will be in effect. */
function hashedEntry({ event, command, timeout: asked = hookSeconds(event) }: CodexHook) {
  const name = codexDialect.events[event] ?? "";
  const timeout = SHORT.includes(event) ? 3 : asked;
  const hashed = {
    event_name: snake(name),
    hooks: [{ async: false, command, timeout, type: "command" }],
    ...(UNMATCHED.includes(event) ? {} : { matcher: "*" }),
  };
  return { name, timeout, hash: sha256(canonicalJson(hashed)) };
}

const snake = (name: string) => name.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter}`).toLowerCase();
