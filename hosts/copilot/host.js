// For tools that start the host by its path: the same as `signalbox sidecar copilot`.
import { spawn } from "node:child_process";
import { constants } from "node:os";
import { fileURLToPath } from "node:url";

const signalbox = fileURLToPath(new URL("../../bin/signalbox", import.meta.url));
const child = spawn(signalbox, ["sidecar", "copilot"], { stdio: "inherit" });
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.on("error", (error) => {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 127;
});
child.on("exit", (code, signal) => {
  process.exitCode = code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
});
