import { spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import type { ScriptInput } from "../../src/models/scripted/script.ts";
import { isAlive } from "../support/is-alive.ts";
import { SERVER } from "../support/mcp-scene.ts";
import { scene } from "../support/native-scene.ts";
import { SIGNALBOX } from "../support/run-signalbox.ts";
import { PINNED } from "./real-agent.ts";

const ACPX = join(import.meta.dirname, ".install/acpx/node_modules/.bin/acpx");
const hasAcpx = existsSync(ACPX);

/** acpx as an editor of our agent. Its sessions outlive one call, so the agent behind them is told to end soon. */
async function editor(script: ScriptInput, flags = "") {
  const place = await scene(script);
  const agent = `"${SIGNALBOX}" native --acp --model anthropic/claude-sonnet-4-5 --base-url ${place.server.url} ${flags}`;
  const acpx = async (...args: readonly string[]) => {
    const all = [ACPX, "--agent", agent, "--cwd", place.cwd, "--ttl", "1", ...args];
    const child = spawn(process.execPath, all, {
      env: { PATH: PINNED, HOME: place.home },
      cwd: place.cwd,
      stdio: ["ignore", "pipe", "pipe"],
    });
    const output = Promise.all([text(child.stdout), text(child.stderr)]);
    const code = await new Promise<number | null>((done) => child.on("close", done));
    return { code, output: (await output).join("") };
  };
  return { ...place, acpx, at: (name: string) => join(place.cwd, name) };
}

const write = (path: string) => ({ calls: [{ name: "write", input: { path, content: "one\n" } }] });

test.skipIf(!hasAcpx)("acpx sees everything of a turn, with a server of its own and a check", async () => {
  const { acpx, at, server } = await editor(
    {
      turns: [
        { thinking: "Hm.", text: "Too early." },
        { calls: [{ name: "todo", input: { items: [{ id: "w", title: "Write it", state: "done" }] } }] },
        write("a.txt"),
        { shell: "git push origin nowhere" },
        { calls: [{ name: "mcp__small__echo", input: { text: "hello" } }] },
        { text: "Done." },
      ],
    },
    "--accept 'test -e a.txt'",
  );
  const servers = [{ name: "small", command: process.execPath, args: [SERVER, "plain"], env: [] }];
  writeFileSync(at("servers.json"), JSON.stringify({ mcpServers: servers }));
  const config = ["--mcp-config", at("servers.json"), "--format", "json"];
  const exec = ["exec", "--config-option", "effort=high", "write it"];
  const { code, output } = await acpx("--approve-all", ...config, ...exec);
  expect([code, readFileSync(at("a.txt"), "utf8")]).toEqual([0, "one\n"]);
  for (const seen of [
    '"sessionUpdate":"agent_thought_chunk"',
    '"sessionUpdate":"available_commands_update"',
    '"sessionUpdate":"session_info_update","title":"write it"',
    '"sessionUpdate":"plan","entries":[{"content":"Write it"',
    '"sessionUpdate":"usage_update"',
    '"type":"diff"',
    "> not finished (acceptance)",
    "> acceptance: passed",
    '"title":"bash git push origin nowhere"',
    "echo hello",
    '"stopReason":"end_turn"',
  ])
    expect(output).toContain(seen);
  expect(output.match(/"method":"session\/request_permission"/g)).toHaveLength(2);
  expect(JSON.stringify(server.requests[0]?.body)).toContain('"thinking"');
});

test.skipIf(!hasAcpx)("what acpx denies does not run, and without a key it says what is missing", async () => {
  const { acpx, at, home, cwd } = await editor({ turns: [{ shell: "git push origin x; touch ran" }, { text: "No." }] });
  const denied = await acpx("--deny-all", "exec", "push");
  expect([denied.output, existsSync(at("ran"))]).toEqual([expect.stringContaining("git push origin x"), false]);
  const bare = spawn(process.execPath, [ACPX, "--agent", `"${SIGNALBOX}" native --acp`, "--cwd", cwd, "exec", "hi"], {
    env: { PATH: PINNED, HOME: home },
    stdio: ["ignore", "pipe", "pipe"],
  });
  expect((await Promise.all([text(bare.stdout), text(bare.stderr)])).join("")).toContain("no model");
});

test.skipIf(!hasAcpx)(
  "acpx keeps a session over several agents: modes, commands, and the plan is still only a plan",
  async () => {
    const { acpx, at } = await editor({
      turns: [write("a.txt"), { text: "A plan." }, write("a.txt"), { text: "No." }],
    });
    await acpx("sessions", "new");
    expect((await acpx("set-mode", "plan")).output).toContain("plan");
    const planned = await acpx("--approve-all", "prompt", "plan it");
    expect(planned.output).toMatch(/Plan mode: nothing is changed[^]*A plan\./);
    expect((await acpx("prompt", "/id")).output).toMatch(/\d{8}-\d{6}-\w{8}/);
    // Another agent loads the session once the first has ended.
    const pid = Number(/^pid: (\d+)$/m.exec((await acpx("sessions", "show")).output)?.[1]);
    await expect.poll(() => isAlive(pid), { timeout: 20_000 }).toBe(false);
    const again = await acpx("--approve-all", "prompt", "do it");
    expect(again.output).toMatch(/session\/(?:load|resume)[^]*Plan mode: nothing is changed[^]*No\./);
    expect(existsSync(at("a.txt"))).toBe(false);
  },
);
