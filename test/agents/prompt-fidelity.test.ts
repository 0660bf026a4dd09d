import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { signalbox } from "../support/run-signalbox.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { realAgent, UNATTENDED } from "./real-agent.ts";

const NAMES = ["claude", "codex", "copilot"] as const;
const MARK = "zq7-marker-of-the-prompt";

/** Exactly `size` bytes of what shells, parsers and terminals trip over. It ends in a letter: Copilot trims line feeds. */
function nasty(size: number): string {
  const unit = `${MARK} it's don't $HOME $(id) \`id\` "double" \\ \\n %s * ? [a] {b} & | ; < > # ~ ! \t é ß 漢字 🙂 👩‍👩‍👧\r\n\n-- --flag\n`;
  const filled = Buffer.from(unit.repeat(Math.ceil(size / Buffer.byteLength(unit))))
    .subarray(0, size - 40)
    .toString("utf8")
    .replace(/\ufffd+$/, "");
  return filled + "z".repeat(size - Buffer.byteLength(filled));
}

/** Every command line on this machine that holds the mark of the prompt. */
function exposed(): string[] {
  return readdirSync("/proc").flatMap((pid) => {
    try {
      const line = /^\d+$/.test(pid) ? readFileSync(`/proc/${pid}/cmdline`, "utf8") : "";
      return line.includes(MARK) ? [line.slice(0, 100)] : [];
    } catch {
      return [];
    }
  });
}

function promptFile(prompt: string): string {
  const path = join(tempFolder(), "prompt.txt");
  writeFileSync(path, prompt);
  return path;
}

/** The text of the user in the model's request. Copilot puts the time before it. */
const received = (texts: readonly string[]) =>
  texts.at(-1)?.replace(/^<current_datetime>[^<]*<\/current_datetime>\n\n/, "");

const CASES = [
  ...NAMES.flatMap((name) => (["file", "stdin"] as const).map((way) => ({ name, way, size: 65_536 }))),
  ...(["claude", "codex"] as const).map((name) => ({ name, way: "file" as const, size: 900 * 1024 })),
];

test.each(CASES)(
  "$size bytes by $way reach the model of $name unchanged and stand in no command line",
  async ({ name, way, size }) => {
    await using agent = await realAgent(name, { turns: [{ text: "received", delay_ms: 1500 }] });
    const prompt = nasty(size);
    expect(Buffer.byteLength(prompt)).toBe(size);
    const flags = ["--", ...UNATTENDED[name]];
    let seen: string[] | undefined;
    const outcome = await signalbox(
      way === "file" ? [name, "--prompt-file", promptFile(prompt), ...flags] : [name, ...flags],
      {
        cwd: agent.cwd,
        env: agent.env,
        ...(way === "stdin" ? { input: prompt } : {}),
        during: async () => {
          for (let tries = 0; tries < 600 && agent.model.requests.length === 0; tries++) await sleep(50);
          seen = exposed();
        },
      },
    );
    expect([outcome.code, seen]).toEqual([0, []]);
    expect(outcome.stdout).toContain("received");
    expect(received(agent.model.requests[0]?.userTexts ?? []) === prompt).toBe(true);
  },
);

const AMONG_MODES = NAMES.flatMap((name) => [
  { name, mode: "argv", selected: "argv", warning: undefined },
  { name, mode: "stdin", selected: "stdin", warning: undefined },
  {
    name,
    mode: "tempfile",
    selected: "stdin",
    warning: `requested tempfile is unsupported by ${name}; using stdin`,
  },
  { name, mode: "auto", selected: "stdin", warning: undefined },
]);

test.each(AMONG_MODES)(
  "AMPLIHACK_PROMPT_DELIVERY=$mode carries 64 KiB to $name by $selected",
  async ({ name, mode, selected, warning }) => {
    await using agent = await realAgent(name, { turns: [{ text: "received", delay_ms: 500 }] });
    const prompt = nasty(65_536);
    let inArgv = false;
    const outcome = await signalbox([name, "--prompt-file", promptFile(prompt), "--", ...UNATTENDED[name]], {
      cwd: agent.cwd,
      env: { ...agent.env, AMPLIHACK_PROMPT_DELIVERY: mode },
      during: async () => {
        for (let tries = 0; tries < 600 && agent.model.requests.length === 0; tries++) await sleep(50);
        inArgv = exposed().length > 0;
      },
    });
    expect([outcome.code, inArgv]).toEqual([0, selected === "argv"]);
    expect(received(agent.model.requests[0]?.userTexts ?? []) === prompt).toBe(true);
    if (warning === undefined) expect(outcome.stderr).not.toContain("requested");
    else expect(outcome.stderr).toContain(warning);
  },
);

test.each(NAMES)("a short prompt with a leading dash reaches %s as it is", async (name) => {
  await using agent = await realAgent(name, { turns: [{ text: "received" }] });
  const prompt = "--not-a-flag 'but a task'";
  const outcome = await signalbox([name, "-p", prompt, "--", ...UNATTENDED[name]], { cwd: agent.cwd, env: agent.env });
  expect(outcome.code).toBe(0);
  expect(received(agent.model.requests[0]?.userTexts ?? [])).toBe(prompt);
});
