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
  let child: ChildProcess | undefined;
  const start = async () => {
    const ports = tempFolder();
    const words = ["-a", "127.0.0.1", "-p", port, "-js", "-sd", folder, "--ports_file_dir", ports, ...args];
    child = spawn(natsProgram ?? "nats-server", words, { stdio: "ignore" });
    for (;;) {
      const address = addressIn(ports);
      if (address !== undefined) return new URL(address);
      if (child.exitCode !== null) throw new Error(`nats-server ended with ${child.exitCode}`);
      await sleep(20);
    }
  };
  const kill = async () => {
    const running = child;
    if (running === undefined || running.exitCode !== null || running.signalCode !== null) return;
    const ended = new Promise((done) => running.once("exit", done));
    running.kill("SIGKILL");
    await ended;
  };
  onTestFinished(kill);
  ({ port } = await start());
  return {
    address: `nats://127.0.0.1:${port}`,
    kill,
    /** On the same port, with the same data. */
    async restart() {
      await start();
    },
  };
}

/** Undefined while the server has not written its file, or not all of it. */
function addressIn(folder: string): string | undefined {
  const [file] = readdirSync(folder);
  try {
    return file === undefined ? undefined : Ports.parse(JSON.parse(readFileSync(join(folder, file), "utf8"))).nats[0];
  } catch {
    return undefined;
  }
}
