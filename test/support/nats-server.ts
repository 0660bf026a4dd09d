import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { onTestFinished } from "vitest";
import * as z from "zod";
import { findProgram } from "../../src/lib/path/find-program.ts";
import { tempFolder } from "./temp-folder.ts";

/** Debian's package; `.ci/run` installs it. */
export const natsProgram = findProgram("nats-server", `${process.env["PATH"] ?? ""}:/usr/sbin`);

const Ports = z.object({ nats: z.tuple([z.string()]).rest(z.string()) });

/** A server of its own on loopback, with its data in a private folder. */
export async function startNats(...args: readonly string[]) {
  const folder = tempFolder();
  let port = "-1";
  const start = async (): Promise<ChildProcess> => {
    const ports = tempFolder();
    const words = ["-a", "127.0.0.1", "-p", port, "-js", "-sd", folder, "--ports_file_dir", ports, ...args];
    const child = spawn(natsProgram ?? "nats-server", words, { stdio: "ignore" });
    while (readdirSync(ports).length === 0) {
      if (child.exitCode !== null) throw new Error(`nats-server ended with ${child.exitCode}`);
      await sleep(20);
    }
    const [file = ""] = readdirSync(ports);
    const { nats } = Ports.parse(JSON.parse(readFileSync(join(ports, file), "utf8")));
    ({ port } = new URL(nats[0]));
    return child;
  };
  let child = await start();
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((done) => child.once("exit", done));
    child.kill("SIGKILL");
    await ended;
  };
  onTestFinished(kill);
  return {
    address: `nats://127.0.0.1:${port}`,
    kill,
    /** On the same port, with the same data. */
    async restart() {
      child = await start();
    },
  };
}
