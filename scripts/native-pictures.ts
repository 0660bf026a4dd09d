import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { ScriptInput } from "../src/models/scripted/script.ts";
import { startScriptedModel } from "../src/models/scripted/server.ts";
import { drawTerminal, readColours } from "./draw-terminal.ts";

const root = join(import.meta.dirname, "..");
const [COLUMNS, ROWS] = [90, 52];
const PATIENCE_MS = 30_000;

const BEFORE = `export function average(values) {
  let sum = 0;
  for (const value of values) sum += value;
  return sum / values.length;
}
`;

const TEST = `import assert from "node:assert";
import test from "node:test";
import { average } from "./average.js";

test("the average of nothing is 0", () => assert.equal(average([]), 0));
`;

const DONE = `## Done

The average of an empty list was \`NaN\`, because it divided by **zero**.

| list     | before | after |
| -------- | ------ | ----- |
| \`[]\`     | NaN    | 0     |
| \`[1, 3]\` | 2      | 2     |

\`\`\`js
average([]); // 0
\`\`\`
`;

const FIX = { old_string: "  let sum", new_string: "  if (values.length === 0) return 0;\n  let sum" };

const SCRIPT: ScriptInput = {
  turns: [
    { text: "I run the test first.", shell: "node --test --test-reporter=tap average.test.js | tail -8; false" },
    { calls: [{ name: "read", input: { path: "average.js" } }] },
    {
      text: "It divides by zero, so I return before that.",
      calls: [{ name: "edit", input: { path: "average.js", edits: [FIX] } }],
    },
    { shell: "node --test --test-reporter=tap average.test.js | grep -E '^# (pass|fail)'" },
    { text: DONE },
    { text: "I publish it.", shell: "git push origin main" },
  ],
};

/** native at work and native asking, in a terminal of its own, with a model that plays a script. */
export async function nativePictures(folder: string): Promise<void> {
  await using model = await startScriptedModel({ script: SCRIPT });
  const place = mkdtempSync(join(tmpdir(), "signalbox-picture-"));
  const [home, cwd] = [join(place, "home"), join(place, "project")];
  for (const each of [home, cwd]) mkdirSync(each);
  writeFileSync(join(cwd, "average.js"), BEFORE);
  writeFileSync(join(cwd, "average.test.js"), TEST);
  writeFileSync(join(cwd, "package.json"), '{ "type": "module" }\n');
  execFileSync("git", ["init", "-q", "-b", "main", cwd]);
  const env = {
    HOME: home,
    PATH: process.env["PATH"] ?? "",
    LANG: "C.UTF-8",
    SHELL: "/bin/sh",
    SIGNALBOX_MODEL: "anthropic/claude-sonnet-4-5",
    ANTHROPIC_BASE_URL: `${model.url}/v1`,
    ANTHROPIC_API_KEY: "scripted",
  };
  const tmux = (...words: readonly string[]) =>
    execFileSync("tmux", ["-S", "tmux", "-f", "/dev/null", ...words], { cwd: home, env, encoding: "utf8" });
  const command = `'${join(root, "bin/signalbox")}' native; sleep 60`;
  try {
    tmux("new-session", "-d", "-x", String(COLUMNS), "-y", String(ROWS), "-c", cwd, command);
    const until = async (text: string) => {
      const end = performance.now() + PATIENCE_MS;
      while (!tmux("capture-pane", "-p").includes(text)) {
        if (performance.now() > end) throw new Error(`"${text}" is not shown:\n${tmux("capture-pane", "-p")}`);
        await sleep(50);
      }
    };
    const picture = (name: string, from: string) => {
      const text = tmux("capture-pane", "-p", "-e").trimEnd();
      const lines = readColours(text);
      const start = text.split("\n").findIndex((line) => line.includes(from));
      writeFileSync(join(folder, name), drawTerminal(lines.slice(Math.max(0, start))));
    };
    const say = (text: string) => {
      tmux("send-keys", "-l", text);
      tmux("send-keys", "Enter");
    };
    await until("❯\n");
    say("the average of an empty list is wrong, please fix it");
    await until("// 0");
    await sleep(300);
    picture("native.svg", "the average of an empty list is wrong");
    say("thanks, publish it");
    await until("y once");
    picture("native-question.svg", "thanks, publish it");
  } finally {
    tmux("kill-server");
    rmSync(place, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}
