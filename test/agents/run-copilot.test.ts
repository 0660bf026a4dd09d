import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import * as z from "zod";
import { AgentEvent } from "../../src/contract/agent-event.ts";
import { Receipt } from "../../src/contract/receipt.ts";
import { type Outcome, signalbox } from "../support/run-signalbox.ts";
import { tempFolder, tempRepository } from "../support/temp-folder.ts";
import { PINNED, realAgent } from "./real-agent.ts";

const SDK = join(import.meta.dirname, ".install/sdk/node_modules/@github/copilot-sdk/dist/index.js");
const SCRIPT = {
  turns: [{ shell: "echo made by the agent > made.txt" }, { shell: "cat made.txt" }, { text: "all is written" }],
};
const events = ({ stdout }: Outcome) =>
  stdout
    .trim()
    .split("\n")
    .map((line) => AgentEvent.parse(JSON.parse(line)));

const commands = (trace: readonly AgentEvent[]) =>
  trace.flatMap((event) =>
    event.type === "tool_call" ? [JSON.stringify(event.input).includes("echo made") ? "echo" : "cat"] : [],
  );

/** The SDK is not to be had everywhere; the other ways come with the program itself. */
const canBeGone = ([way]: readonly [string, ...unknown[]]) => way !== "sdk" || existsSync(SDK);

const WAYS = [
  ["sdk", []],
  ["acp", []],
  ["legacy", []],
  ["legacy", ["--unguarded", "--param", 'flags=["--allow-all-tools"]']],
] as const;

test.each(WAYS.filter(canBeGone))(
  "one task by copilot over %s %j: the same calls, a checked result, a receipt",
  async (transport, flags) => {
    await using agent = await realAgent("copilot", SCRIPT);
    const env = { ...agent.env, ABP_COPILOT_TRANSPORT: transport, ABP_COPILOT_SDK_MODULE: SDK };
    const args = ["run", "copilot", "write it", "--json", "--accept", "grep -q agent made.txt", ...flags];
    const outcome = await signalbox(args, { cwd: agent.cwd, env });
    const trace = events(outcome);
    // The SDK shows what its program says about a slow disk.
    const complaint = outcome.stderr.replace(/^\[CLI subprocess\] Package extraction took \d+ms\n/, "");
    expect([outcome.code, complaint, commands(trace)]).toEqual([0, "", ["echo", "cat"]]);
    expect(trace.at(-1)?.ext).toMatchObject({ verified: "accepted" });
    expect(trace.at(-1)?.ext?.["calls_not_held"]).toHaveLength(flags.length === 0 ? 0 : 2);
    expect(readFileSync(join(agent.cwd, "made.txt"), "utf8")).toBe("made by the agent\n");
  },
);

const SessionUsage = z.object({ session_id: z.string() });

function toolsIn(body: unknown): readonly string[] {
  const { tools } = z.object({ tools: z.array(z.object({ function: z.object({ name: z.string() }) })) }).parse(body);
  return tools.map((tool) => tool.function.name).toSorted();
}

const SERVER = join(import.meta.dirname, "../fixtures/mcp-server.mjs");
const WANTED = {
  model: "gpt-5.4-mini",
  reasoningEffort: "high",
  systemMessage: "Answer like MARKED-LIGHTHOUSE.",
  availableTools: ["bash", "view", "create", "t-look"],
  excludedTools: ["create"],
  mcpServers: { t: { command: process.execPath, args: [SERVER] } },
};

test.each(WAYS.slice(0, 3).filter(canBeGone))(
  "what an order wants of a session reaches Copilot over %s, and the next run continues it",
  async (transport) => {
    await using agent = await realAgent("copilot", { turns: [{ text: "first" }, { text: "second" }] });
    const env = { ...agent.env, ABP_COPILOT_TRANSPORT: transport, ABP_COPILOT_SDK_MODULE: SDK };
    const run = async (task: string, params: Readonly<Record<string, unknown>>) => {
      const words = Object.entries(params).flatMap(([name, value]) => ["--param", `${name}=${JSON.stringify(value)}`]);
      const outcome = await signalbox(["run", "copilot", task, "--json", ...words], { cwd: agent.cwd, env });
      const problems = events(outcome).filter(({ type }) => type === "warning" || type === "error");
      expect([outcome.code, problems]).toEqual([0, []]);
      const shown = await signalbox(["receipt", "show", "last", "--json"], { cwd: agent.cwd, env });
      return Receipt.parse(JSON.parse(shown.stdout));
    };
    const first = await run("remember the PELICAN", WANTED);
    const { body } = agent.model.requests[0] ?? { body: {} };
    expect(JSON.stringify(body)).toContain("MARKED-LIGHTHOUSE");
    expect(body).toMatchObject({ model: "gpt-5.4-mini", reasoning_effort: "high" });
    expect(toolsIn(body)).toEqual(["bash", "t-look", "view"]);
    expect(first.usage).toMatchObject({ input_tokens: expect.any(Number), output_tokens: expect.any(Number) });
    const { session_id: sessionId } = SessionUsage.parse(first.usage_raw);
    const second = await run("go on", { sessionId, availableTools: ["bash"] });
    expect([SessionUsage.parse(second.usage_raw).session_id, agent.model.requests.length]).toEqual([sessionId, 2]);
    expect(JSON.stringify(agent.model.requests[1]?.body)).toContain("PELICAN");
  },
);

interface Attempt {
  readonly turn: (place: { readonly cwd: string; readonly outside: string }) => object;
  readonly flags?: readonly string[];
}

const create = (path: string) => ({ calls: [{ name: "create", input: { path, file_text: "x" } }] });

const ATTEMPTS: Readonly<Record<string, Attempt>> = {
  "a tool that the order disallows": { turn: () => ({ shell: "touch was-here" }), flags: ["--deny-tool", "bash"] },
  "an approval that nobody can give": { turn: () => ({ shell: "touch was-here" }), flags: ["--approve-tool", "bash"] },
  "a path outside by ..": { turn: ({ cwd }) => create(`${cwd}/../was-here`) },
  "a path outside that does not exist yet": { turn: ({ outside }) => create(`${outside}/was-here`) },
  "a path outside by a link": { turn: ({ cwd }) => create(`${cwd}/way/was-here`) },
  "a command that writes outside": { turn: ({ outside }) => ({ shell: `echo x | tee ${outside}/was-here` }) },
  "a host that the order denies": {
    turn: () => ({ shell: "curl -s http://127.0.0.1:9/was-here" }),
    flags: ["--deny-host", "127.0.0.1"],
  },
};

const MATRIX = (existsSync(SDK) ? (["sdk", "acp"] as const) : (["acp"] as const)).flatMap((transport) =>
  Object.keys(ATTEMPTS).map((attempt) => [attempt, transport] as const),
);

test.each(MATRIX)("%s is not carried out over %s", async (name, transport) => {
  const outside = join(homedir(), `signalbox-outside-${process.pid}`);
  mkdirSync(outside, { recursive: true });
  onTestFinished(() => rmSync(outside, { recursive: true, force: true }));
  const { turn, flags = [] } = ATTEMPTS[name] ?? { turn: () => ({ text: "" }) };
  await using agent = await realAgent("copilot", { turns: [{ text: "" }] });
  await using planned = await realAgent("copilot", {
    turns: [turn({ cwd: agent.cwd, outside }), { text: "I could not" }],
  });
  symlinkSync(outside, join(agent.cwd, "way"));
  const env = { ...planned.env, ABP_COPILOT_TRANSPORT: transport, ABP_COPILOT_SDK_MODULE: SDK };
  const outcome = await signalbox(["run", "copilot", "do it", "--json", ...flags], { cwd: agent.cwd, env });
  const made = [join(agent.cwd, "was-here"), join(agent.cwd, "../was-here")].filter((path) => existsSync(path));
  expect([outcome.code, made, readdirSync(outside)]).toEqual([3, [], []]);
  const [call, ...more] = events(outcome).filter(({ type }) => type === "tool_call" || type === "tool_result");
  const id = call?.type === "tool_call" ? call.tool_use_id : "no call";
  expect(more).toMatchObject([{ type: "tool_result", tool_use_id: id, output: { denied: true }, is_error: true }]);
  const heard = planned.model.requests.map(({ body }) => /Blocked|Needs approval/.test(JSON.stringify(body)));
  expect([heard, outcome.stdout.includes("cancelled by user")]).toEqual([[false, true], false]);
});

test.each(WAYS.slice(0, 3).filter(canBeGone))(
  "a model that hears over %s why one of its calls was blocked goes on another way",
  async (transport) => {
    const turns = [
      { shell: ["sudo touch made.txt", "touch beside.txt"] },
      { shell: "touch made.txt" },
      { text: "made" },
    ];
    await using agent = await realAgent("copilot", { turns });
    const env = { ...agent.env, ABP_COPILOT_TRANSPORT: transport, ABP_COPILOT_SDK_MODULE: SDK };
    const outcome = await signalbox(["run", "copilot", "do it", "--json"], { cwd: agent.cwd, env });
    const trace = events(outcome);
    const made = ["made.txt", "beside.txt"].filter((name) => existsSync(join(agent.cwd, name)));
    expect([outcome.code, made, agent.model.requests.length]).toEqual([0, ["made.txt", "beside.txt"], 3]);
    expect(JSON.stringify(agent.model.requests[1]?.body)).toContain("Blocked `sudo touch made.txt`");
    expect(trace.flatMap((event) => (event.type === "assistant_message" ? [event.text] : []))).toEqual(["made"]);
  },
);

test("without a login, copilot says that once, with one thing to do", async () => {
  const env = { PATH: PINNED, HOME: tempFolder() };
  const outcome = await signalbox(["run", "copilot", "hello"], { cwd: tempRepository(), env });
  expect([outcome.code, outcome.stderr.trimEnd().split("\n")]).toEqual([
    1,
    [
      expect.stringMatching(/^signalbox: run \S+ in /),
      "signalbox: failed: Copilot is not logged in",
      "signalbox: fix: start 'signalbox copilot' and type /login, or set GH_TOKEN",
      expect.stringMatching(/^signalbox: receipt /),
    ],
  ]);
});

const FAILURES = Array.from({ length: 8 }, () => ({ status: 400, body: { error: { message: "too long" } } }));
const FAILING_WAYS = [["acp"], ["legacy"], ...(existsSync(SDK) ? [["sdk"]] : [])].flatMap(([transport = ""]) => [
  [transport, "at once", []] as const,
  [transport, "after some work", [{ shell: "true" }]] as const,
]);

test.each(FAILING_WAYS)(
  "a model that fails over %s %s is a failed run, whatever Copilot calls it",
  async (transport, _, work) => {
    await using agent = await realAgent("copilot", { turns: [...work, { text: "never", failures: FAILURES }] });
    const env = { ...agent.env, ABP_COPILOT_TRANSPORT: transport, ABP_COPILOT_SDK_MODULE: SDK };
    const outcome = await signalbox(["run", "copilot", "do it"], { cwd: agent.cwd, env });
    expect([outcome.code, outcome.stderr]).toEqual([1, expect.stringMatching(/failed: the agent failed: .*400/)]);
  },
);

test.each(WAYS.slice(0, 3).filter(canBeGone))(
  "a large output over %s is an artifact of just that text",
  async (transport) => {
    await using agent = await realAgent("copilot", {
      turns: [{ shell: "head -c 12000 /dev/zero | tr '\\0' x" }, { text: "ok" }],
    });
    const env = { ...agent.env, ABP_COPILOT_TRANSPORT: transport, ABP_COPILOT_SDK_MODULE: SDK };
    const outcome = await signalbox(["run", "copilot", "print it", "--json"], { cwd: agent.cwd, env });
    const [path = ""] = events(outcome).flatMap((event) =>
      event.type === "tool_result" && typeof event.output === "string" ? [event.output] : [],
    );
    expect(readFileSync(join(agent.cwd, path), "utf8")).toMatch(
      /^x{12000}\n<shellId: \d+ completed with exit code 0>$/,
    );
  },
);

test("an answer that reads like an error of Copilot's is an answer", async () => {
  const text = "Error: Failed to get response from the AI model";
  await using agent = await realAgent("copilot", { turns: [{ text }] });
  const env = { ...agent.env, ABP_COPILOT_TRANSPORT: "acp" };
  const outcome = await signalbox(["run", "copilot", "say it"], { cwd: agent.cwd, env });
  expect([outcome.code, outcome.stdout]).toEqual([0, `${text}\n`]);
});
