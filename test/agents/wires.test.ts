import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { isInstalled, program, realAgent } from "./real-agent.ts";

/** Agents that signalbox does not launch by name yet: they show that the scripted model speaks their wire. */
const PEERS = [
  {
    name: "gemini",
    wire: "generate-content",
    args: ["-o", "json", "--yolo", "--skip-trust", "-m", "gemini-2.5-flash"],
  },
  { name: "pi", wire: "chat-completions", args: ["-p", "--model", "fake/fake-model"] },
] as const;

test.runIf(PEERS.some(({ name }) => isInstalled(name))).each(PEERS.filter(({ name }) => isInstalled(name)))(
  "$name plays a script over $wire: a tool call, then an answer",
  async ({ name, wire, args }) => {
    await using agent = await realAgent(name, {
      turns: [{ shell: "echo peer > peer.txt" }, { text: "the peer is done" }],
    });
    const running = promisify(execFile)(program(name), [...args], { cwd: agent.cwd, env: agent.env, timeout: 100_000 });
    running.child.stdin?.end("write the file");
    const { stdout } = await running;
    expect(stdout).toContain("the peer is done");
    expect(readFileSync(join(agent.cwd, "peer.txt"), "utf8")).toBe("peer\n");
    expect(agent.model.requests.map((request) => request.wire)).toEqual(agent.model.requests.map(() => wire));
    expect(agent.model.requests.some((request) => request.userTexts.includes("write the file"))).toBe(true);
  },
);
