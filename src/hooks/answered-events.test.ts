import { mkdirSync, utimesSync, writeFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "../../test/support/temp-folder.ts";
import { findHooksOf } from "../agents/find-dialect.ts";
import { rememberEvent, takeAnsweredEvent } from "./repeated-events.ts";

const OUTPUT = { stdout: "{}\n", stderr: "", exit: 0 };
const TIME = 1_794_815_629_195;

function scene(staged: readonly string[]) {
  const [workspace, folder] = [tempFolder(), tempFolder()];
  mkdirSync(join(folder, "servers"));
  for (const path of staged) {
    mkdirSync(join(workspace, path, ".."), { recursive: true });
    writeFileSync(join(workspace, path), "");
  }
  const call = (fields: object) => ({ event: "tool-before", text: JSON.stringify(fields) }) as const;
  const own = (command: string) => call({ sessionId: "s", timestamp: TIME, toolName: "bash", toolArgs: { command } });
  const other = (command: string, timestamp?: string) =>
    call({ session_id: "s", timestamp, tool_name: "Bash", tool_input: { command } });
  const others = findHooksOf("copilot")?.alsoRuns ?? [];
  return {
    folder,
    remember: (command: string, stdout = "{}") =>
      rememberEvent(own(command), { ...OUTPUT, stdout }, { workspace, folder, others }),
    take: (command: string, timestamp?: string) => takeAnsweredEvent(other(command, timestamp), folder),
  };
}

const SAME = new Date(TIME).toISOString();

test("a call that Copilot also reports to Claude Code's wrapper counts as answered, once", () => {
  const { remember, take, folder } = scene([".claude/hooks/signalbox"]);
  remember("ls");
  expect([take("rm x", SAME), take("ls", "2026-01-01T00:00:00.000Z"), take("ls")]).toEqual([false, false, false]);
  expect([take("ls", SAME), take("ls", SAME)]).toEqual([true, false]);
  remember("ls", '{"modifiedArgs":{"command":"ls -l"}}');
  expect(take("ls -l", SAME)).toBe(true);
  remember("ls");
  for (const name of readdirSync(join(folder, "servers"))) utimesSync(join(folder, "servers", name), 1, 1);
  expect(take("ls", SAME), "long ago").toBe(false);
});

test("nothing is remembered without the other wrapper", () => {
  const { remember, folder } = scene([]);
  remember("ls");
  expect(readdirSync(join(folder, "servers"))).toEqual([]);
});
