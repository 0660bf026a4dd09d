import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { decodeLines } from "../src/lib/text/decode-lines.ts";
import { readEvent, readHostEnvelope } from "../src/hosts/sidecar/read-host.ts";
import { interleaved, type Subject } from "./measure.ts";
import type { Suite } from "./suite.ts";

const root = join(import.meta.dirname, "..");
const signalbox = join(root, "bin/signalbox");

/** What `run` costs with a host that does nothing, and how many events a second the protocol reads. */
export const backplane: Suite = async ({ quick }) => {
  const folder = mkdtempSync(join(tmpdir(), "signalbox-bench-"));
  try {
    const cwd = join(folder, "work");
    execFileSync("git", ["init", "-q", cwd]);
    writeFileSync(join(cwd, "a.txt"), "a\n");
    const env = { ...process.env, HOME: folder };
    const run = ["run", "mock", "say hello", "--json"];
    const subjects: Subject[] = [
      { name: "node -e 0", program: process.execPath, args: ["-e", "0"], cwd, env },
      { name: "signalbox --version", program: signalbox, args: ["--version"], cwd, env },
      { name: "signalbox run mock", program: signalbox, args: run, cwd, env },
      { name: "signalbox run mock --staged", program: signalbox, args: [...run, "--staged"], cwd, env },
    ];
    const timings = await interleaved(subjects, quick ? 5 : 15);
    const events = quick ? 50_000 : 200_000;
    const eventsASecond = Math.round(events / (await readSeconds(events)));
    const median = (name: string) => timings.find((timing) => timing.name === name)?.medianMs ?? Number.NaN;
    const added = {
      runMockMs: Math.round(median("signalbox run mock") - median("node -e 0")),
      runMockStagedMs: Math.round(median("signalbox run mock --staged") - median("node -e 0")),
      eventsASecond,
    };
    const form = existsSync(join(root, "dist/signalbox.cjs")) ? "bundle" : "sources";
    const rows = timings.map(({ name, medianMs, minMs, maxMs, runs }) => ({
      command: name,
      medianMs,
      minMs,
      maxMs,
      runs,
    }));
    return { rows: [...rows], result: { suite: "backplane", form, timings, added } };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

/** Seconds for reading so many events as the runtime reads them from a host: lines, envelope, event. */
async function readSeconds(count: number): Promise<number> {
  const event = {
    ts: "2026-01-31T12:00:00.123Z",
    type: "tool_result",
    tool_name: "bash",
    tool_use_id: "t",
    output: "x".repeat(80),
    is_error: false,
  };
  const block = Buffer.from(`${JSON.stringify({ t: "event", ref_id: "run", event })}\n`.repeat(100));
  async function* bytes() {
    for (let sent = 0; sent < count; sent += 100) yield block;
  }
  const started = performance.now();
  let read = 0;
  for await (const line of decodeLines(bytes())) {
    const envelope = readHostEnvelope(line);
    if (envelope?.t === "event" && readEvent(envelope.event).type === "tool_result") read++;
  }
  if (read !== count) throw new Error(`${read} of ${count} events were read`);
  return (performance.now() - started) / 1000;
}
