import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import * as z from "zod";
import { DAYS, type DayCommand, readDay } from "../support/day-in-the-life.ts";
import { signalbox } from "../support/run-signalbox.ts";
import { PROVABLE, realAgent, UNATTENDED } from "./real-agent.ts";

// One day takes an agent about a minute. SIGNALBOX_TEST_DAYS=all gives every agent every language.
const ALL = process.env["SIGNALBOX_TEST_DAYS"] === "all";
const FIRST = { claude: "node", codex: "python", copilot: "go" } as const;
const SESSIONS = PROVABLE.flatMap((agent) =>
  DAYS.filter(({ language }) => ALL || language === FIRST[agent]).map(({ language, file }) => ({
    agent,
    language,
    file,
  })),
);

/** Nothing of a day may reach the network: what the commands do is not what is counted. */
const OFFLINE = {
  ...Object.fromEntries(
    ["http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"].map((name) => [name, "http://127.0.0.1:9"]),
  ),
  no_proxy: "127.0.0.1,localhost",
  NO_PROXY: "127.0.0.1,localhost",
  npm_config_offline: "true",
  npm_config_yes: "false",
  PIP_NO_INDEX: "1",
  CARGO_NET_OFFLINE: "true",
  GOPROXY: "off",
  GIT_TERMINAL_PROMPT: "0",
  GIT_EDITOR: "true",
};

test.each(SESSIONS)(
  "$agent works a day of $language: each command is judged once",
  { timeout: 600_000 },
  async ({ agent: name, language, file }) => {
    const day = readDay(file);
    await using agent = await realAgent(name, {
      turns: [...day.map(({ command }) => ({ shell: command })), { text: "done" }],
    });
    const env = { ...agent.env, ...OFFLINE };
    await signalbox([name, "-p", "work", "--", ...UNATTENDED[name]], { cwd: agent.cwd, env });

    const records = readAudit(agent.env["HOME"] ?? "");
    const unlike = day.filter((line, index) => !isCallOf(records[index]?.call ?? "", line));
    expect([records.length, unlike.map(({ id }) => id)]).toEqual([day.length, []]);

    const asked = day.filter((_, index) => records[index]?.verdict !== "allow");
    const contained = records.some((record) => record.contained !== undefined);
    console.log(
      `${name}, ${language}: ${day.length} commands, ${asked.length} asked or denied, contained: ${contained ? "yes" : "no"}`,
    );
    // Nobody is there to be asked, so a question is a denial.
    const wrong = asked.filter(({ accept }) => !accept.includes("ask"));
    if (contained) expect(wrong.map(({ id, command }) => `${id} ${command}`)).toEqual([]);
  },
);

const Record = z.object({
  tool: z.string(),
  call: z.string(),
  verdict: z.enum(["allow", "ask", "deny"]),
  contained: z.unknown().optional(),
});

function readAudit(home: string): readonly z.infer<typeof Record>[] {
  const folder = join(home, ".signalbox/audit");
  const lines = readdirSync(folder).flatMap((name) => readFileSync(join(folder, name), "utf8").trim().split("\n"));
  // The door records the hosts that commands ask for.
  return lines.map((line) => Record.parse(JSON.parse(line))).filter(({ tool }) => tool !== "network");
}

/** The log may have replaced what looks like a secret, so the beginning of a command is compared. */
const isCallOf = (call: string, { command }: DayCommand) => call.includes(JSON.stringify(command).slice(1, 40));
