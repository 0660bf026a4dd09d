import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ForeignRules, ForeignVerdict, TriedCall } from "../../contract/foreign-rule.ts";
import { shortLine } from "../../lib/text/printable.ts";
import { EXIT, UserError } from "../../lib/text/user-error.ts";
import { isRecord } from "../../lib/json/json-value.ts";
import type { AskedProgram, ScriptedToolCall } from "../pack/rule-import.ts";
import { offline } from "./offline.ts";
import { parseSettings } from "../install/read-settings.ts";

/** What the shell prints that Claude Code is given. It runs nothing, so no command that is allowed does anything. */
const RAN = "signalbox-import: would have run";

const CALLS_A_TURN = 60;

const MAX_MS = 300_000;

/**
 * Has the scripted model make every call in a session with these rules, in an empty home. Nobody is there to be asked, so
 * a question shows as a refusal. Commands go to a shell that runs nothing, and there is no network.
 */
export async function askPermissions(
  calls: readonly TriedCall[],
  { files }: ForeignRules,
  { words, folder, env, signal, tell, startModel }: AskedProgram,
): Promise<readonly ForeignVerdict[]> {
  tell(`${calls.length} calls`);
  const cwd = join(folder, "work");
  mkdirSync(cwd, { recursive: true });
  const shell = join(folder, "bash");
  writeFileSync(shell, `#!/bin/sh\necho '${RAN}'\n`, { mode: 0o700 });
  writeFileSync(join(folder, "rules.json"), JSON.stringify({ permissions: permissionsIn(files) }));
  const made = calls.map((call, index) => ({ id: `call_${index}`, ...modelCall(call, folder) }));
  const turns = Array.from({ length: Math.ceil(made.length / CALLS_A_TURN) }, (_, turn) =>
    made.slice(turn * CALLS_A_TURN, (turn + 1) * CALLS_A_TURN),
  );
  await using model = await startModel(turns);
  const [program, ...before] = words;
  const flags = ["-p", "go", "--model", "claude-sonnet-4-5", "--settings", join(folder, "rules.json")];
  const alone = ["--setting-sources", "", "--strict-mcp-config", "--permission-mode", "default"];
  await finished(program, [...before, ...flags, ...alone], {
    cwd,
    signal,
    env: {
      ...env,
      HOME: folder,
      TMPDIR: folder,
      SHELL: shell,
      CLAUDE_CODE_SHELL: shell,
      HTTPS_PROXY: "http://127.0.0.1:9",
      NO_PROXY: "127.0.0.1",
      ...offline.provider(model.url, folder),
    },
  });
  const results = resultsIn(model.lastRequest());
  if (calls.length > 0 && results.size === 0) throw failure("it made none of the calls");
  return calls.map(({ tool }, index) => verdictOf(tool, results.get(`call_${index}`)));
}

/** Only the lists: hooks, servers, variables and modes of the files have no place in a check. */
function permissionsIn(files: ForeignRules["files"]): Readonly<Record<string, readonly unknown[]>> {
  const lists = ["deny", "ask", "allow"].map((list) => {
    const given = files.flatMap(({ text }) => {
      const { permissions } = parseSettings(text) ?? {};
      const rules: unknown = isRecord(permissions) ? permissions[list] : undefined;
      return Array.isArray(rules) ? rules.filter((rule) => typeof rule === "string") : [];
    });
    return [list, given] as const;
  });
  return Object.fromEntries(lists);
}

function modelCall({ tool, target }: TriedCall, folder: string): Omit<ScriptedToolCall, "id"> {
  switch (tool) {
    case "Bash":
      return { name: tool, input: { command: target, description: "a part of the check" } };
    case "WebFetch":
      return { name: tool, input: { url: target, prompt: "what is it about?" } };
    case "Read":
      return { name: tool, input: { file_path: target.replace(/^~/, folder) } };
    case "Write":
      return { name: tool, input: { file_path: target.replace(/^~/, folder), content: "written by the check" } };
  }
}

interface CallResult {
  readonly text: string;
}

function resultsIn(request: unknown): ReadonlyMap<string, CallResult> {
  const messages = isRecord(request) && Array.isArray(request["messages"]) ? request["messages"] : [];
  const parts = messages.flatMap((message: unknown) =>
    isRecord(message) && Array.isArray(message["content"]) ? message["content"] : [],
  );
  return new Map(
    parts.flatMap((part: unknown) =>
      isRecord(part) && part["type"] === "tool_result" && typeof part["tool_use_id"] === "string"
        ? [[part["tool_use_id"].replace(/^toolu_/, ""), { text: JSON.stringify(part["content"]) }] as const]
        : [],
    ),
  );
}

/** Whatever is neither a clear denial nor a command that reached the shell was refused because nobody could be asked. */
function verdictOf(tool: TriedCall["tool"], result: CallResult | undefined): ForeignVerdict {
  if (result === undefined) return undefined;
  if (tool === "Bash" && result.text.includes(RAN)) return "allow";
  return /\bhas been denied|\bdenied (?:access|by your permission settings)|No such tool available/.test(result.text)
    ? "deny"
    : "none";
}

function finished(
  program: string,
  flags: readonly string[],
  place: { readonly cwd: string; readonly env: NodeJS.ProcessEnv; readonly signal: AbortSignal },
): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = execFile(
      program,
      flags,
      { ...place, timeout: MAX_MS, maxBuffer: 64 * 1024 * 1024 },
      (error, stdout, stderr) => {
        if (error === null) return resolve();
        return reject(failure(shortLine(stderr + stdout, MAX_SHOWN), error));
      },
    );
    child.stdin?.end();
  });
}

const MAX_SHOWN = 300;

const failure = (what: string, cause?: Error) =>
  new UserError(`the check with Claude Code failed: ${what}`, {
    fix: "try: signalbox doctor",
    exitCode: EXIT.failed,
    cause,
  });
