import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text as textOf } from "node:stream/consumers";
import { expect, test } from "vitest";
import { readPolicyFile } from "../src/guard/policy/load-policy.ts";
import { scene } from "./support/native-scene.ts";
import { before } from "./support/hook-calling-agent.ts";
import { PROJECT, SIGNALBOX } from "./support/run-signalbox.ts";
import { standInAgent } from "./support/stand-in-agent.ts";
import { tempFolder } from "./support/temp-folder.ts";

const text = (path: string) => readFileSync(join(PROJECT, path), "utf8");

interface Block {
  readonly line: number;
  readonly code: string;
  /** Why its commands are not run. */
  readonly mark: string | undefined;
}

/** The shell blocks of a document. A comment before a block says why it is not run: `<!-- not run here: REASON -->`. */
function shellBlocks(markdown: string): readonly Block[] {
  return [...markdown.matchAll(/(?:<!-- not run here: (.+) -->\n\n)?^```sh\n([^]*?)^```$/gm)].map((found) => ({
    line: markdown.slice(0, found.index).split("\n").length,
    mark: found[1],
    code: found[2] ?? "",
  }));
}

/** The commands of a block: here-documents belong to theirs. A comment may name another exit code than 0. */
function commandsOf({ code }: Block) {
  const commands: { readonly command: string; readonly wanted: number }[] = [];
  const lines = code.split("\n");
  for (let at = 0; at < lines.length; at++) {
    let command = lines[at] ?? "";
    if (command.trim() === "" || command.startsWith("#")) continue;
    const [, end] = /<<'(\w+)'/.exec(command) ?? [];
    while (end !== undefined && lines[at] !== end && at < lines.length) command += `\n${lines[++at]}`;
    commands.push({ command, wanted: Number(/# .*exits with (\d+)/.exec(command)?.[1] ?? 0) });
  }
  return commands;
}

/** What a stand-in for an agent does: it runs the tests, repairs the file, and stops. */
const STEPS = [
  before("claude", "npm test"),
  { sh: `sed -i 's|length + 1|length|' average.js` },
  {
    event: "PostToolUse",
    payload: { session_id: "s", hook_event_name: "PostToolUse", tool_name: "Bash", tool_input: {}, tool_response: "" },
  },
  { event: "Stop", payload: { session_id: "s", hook_event_name: "Stop", stop_hook_active: false } },
];

/** A machine with an agent, a model and a place to work, and `signalbox` on PATH. */
async function place() {
  const model = await scene({ turns: [{ shell: `sed -i 's|length + 1|length|' average.js` }, { text: "Fixed." }] });
  const { env, folder } = standInAgent("claude", `exec '${process.execPath}' "$(dirname "$0")/claude.mjs" "$@"`);
  copyFileSync(join(PROJECT, "test/fixtures/agents/hook-caller.mjs"), join(folder, "claude.mjs"));
  symlinkSync(SIGNALBOX, join(folder, "signalbox"));
  const calls = join(folder, "calls.json");
  writeFileSync(calls, JSON.stringify(STEPS));
  const work = tempFolder();
  mkdirSync(join(work, "here"));
  const identity = ["AUTHOR", "COMMITTER"].flatMap((who) => [
    [`GIT_${who}_NAME`, "t"],
    [`GIT_${who}_EMAIL`, "t@localhost"],
  ]);
  return {
    env: {
      ...Object.fromEntries(identity),
      ...env,
      CALLS: calls,
      SIGNALBOX_MODEL: "openai-chat/m",
      OPENAI_BASE_URL: `${model.server.url}/v1`,
      npm_config_update_notifier: "false",
    },
    cwd: join(work, "here"),
  };
}

const DOCUMENTS = ["docs/tutorial.md", "README.md"];

test.each(DOCUMENTS)("every command of %s runs, or says why it is not run here", { timeout: 240_000 }, async (name) => {
  const { env, cwd } = await place();
  const where = join(cwd, "..", "where");
  writeFileSync(where, cwd);
  const blocks = shellBlocks(text(name));
  const marked = blocks.filter(({ mark }) => mark !== undefined).flatMap(commandsOf);
  let ran = 0;
  for (const block of blocks.filter(({ mark }) => mark === undefined))
    for (const { command, wanted } of commandsOf(block)) {
      const script = `cd "$(cat '${where}')" && {\n${command}\n}\ncode=$?; pwd >'${where}'; exit $code`;
      const child = spawn("bash", ["-c", script], { cwd, env, stdio: ["ignore", "pipe", "pipe"], timeout: 60_000 });
      const [stdout, stderr, [status]] = await Promise.all([
        textOf(child.stdout),
        textOf(child.stderr),
        once(child, "exit"),
      ]);
      expect({ command, at: `${name}:${block.line}`, status, shown: status === wanted ? "" : stdout + stderr }).toEqual(
        { command, at: `${name}:${block.line}`, status: wanted, shown: "" },
      );
      ran++;
    }
  console.log(`${name}: ${ran} commands run, ${marked.length} marked with the reason why not`);
  expect(ran).toBeGreaterThan(5);
});

test("the policies in docs/allow.md are policies", () => {
  const blocks = [...text("docs/allow.md").matchAll(/^```yaml\n([^]*?)^```$/gm)].map(([, yaml = ""]) => yaml);
  expect(blocks.length).toBeGreaterThan(3);
  for (const yaml of blocks) expect(() => readPolicyFile(yaml, "docs/allow.md")).not.toThrow();
});

const sources = (folder: string): readonly string[] =>
  readdirSync(join(PROJECT, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
    .map((file) => text(join(folder, file)));

test("every message in docs/troubleshooting.md is one that signalbox prints", () => {
  const all = [...sources("src"), text("bin/signalbox")].join("\n");
  const messages = [...text("docs/troubleshooting.md").matchAll(/^\| `([^`]+)`/gm)].map(([, message = ""]) => message);
  expect(messages.length).toBeGreaterThan(15);
  expect(messages.filter((message) => !all.includes(message))).toEqual([]);
});

test("every link of README and docs leads to a file that is there", () => {
  const files = [
    "README.md",
    ...readdirSync(join(PROJECT, "docs"))
      .filter((file) => file.endsWith(".md"))
      .map((file) => `docs/${file}`),
  ];
  const broken = files.flatMap((file) =>
    [...text(file).matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g)]
      .map(([, link = ""]) => link)
      .filter((link) => !existsSync(join(PROJECT, dirname(file), link)))
      .map((link) => `${file}: ${link}`),
  );
  expect(broken).toEqual([]);
});
