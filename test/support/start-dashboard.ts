import { spawn } from "node:child_process";
import { once } from "node:events";
import { SIGNALBOX } from "./run-signalbox.ts";

/** A signalbox that goes on until it is told to end. */
export async function startSignalbox(args: readonly string[], home: string) {
  const env = { HOME: home, PATH: process.env["PATH"] };
  const child = spawn(SIGNALBOX, args, { env, stdio: ["ignore", "pipe", "inherit"] });
  let text = "";
  child.stdout.on("data", (chunk: Buffer) => (text += chunk.toString()));
  const closed = once(child, "close");
  return {
    async firstLine(): Promise<string> {
      while (!text.includes("\n")) await Promise.race([once(child.stdout, "data"), closed]);
      return text.split("\n")[0] ?? "";
    },
    async end(signal: NodeJS.Signals): Promise<number | null> {
      child.kill(signal);
      await closed;
      return child.exitCode;
    },
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
      await closed;
    },
  };
}
