// Opens the sandbox of @anthropic-ai/sandbox-runtime in the current folder, prints how it would run one command, and
// keeps its proxies alive until stdin closes.
import { pathToFileURL } from "node:url";

const [place, line] = process.argv.slice(2);
const { SandboxManager } = await import(pathToFileURL(place).href);
const started = performance.now();
await SandboxManager.initialize({
  network: { allowedDomains: [], deniedDomains: [] },
  filesystem: { denyRead: ["~/.ssh"], allowWrite: ["."], denyWrite: [] },
});
const ready = performance.now();
const command = await SandboxManager.wrapWithSandbox(line);
const wrapMs = [];
for (let round = 0; round < 10; round++) {
  const before = performance.now();
  await SandboxManager.wrapWithSandbox(line);
  wrapMs.push(performance.now() - before);
}
wrapMs.sort((a, b) => a - b);
const round = (ms) => Math.round(ms * 10) / 10;
console.log(JSON.stringify({ command, openMs: round(ready - started), wrapMs: round(wrapMs[5]) }));
process.stdin.resume().on("end", async () => {
  await SandboxManager.reset();
  process.exit(0);
});
