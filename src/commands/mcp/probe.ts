import manifest from "../../../package.json" with { type: "json" };
import { containedProbe } from "../../hosts/native/contained-probe.ts";
import { stopOnSignal } from "../../hosts/native/stop-on-signal.ts";
import { signalboxHome } from "../../lib/home-folder.ts";
import { printableLine } from "../../lib/printable.ts";
import { refuseInSandbox } from "../../lib/refuse-in-sandbox.ts";
import { say } from "../../lib/say.ts";
import { shortLine } from "../../lib/short-line.ts";
import { EXIT } from "../../lib/user-error.ts";
import { writeList } from "../../mcp/list/list-cache.ts";
import { sessionPolicy } from "../active-policy.ts";
import type { CommandInput } from "../command-module.ts";
import { printJson } from "../flags.ts";
import { findServer } from "./find-server.ts";

/** `signalbox mcp test`: what a session would get from a server. */
export async function probe({ words, flags }: CommandInput): Promise<number> {
  refuseInSandbox("servers cannot be tested inside a session", "run this in your own terminal");
  const server = findServer("test", words[1]);
  using stop = stopOnSignal();
  const found = await containedProbe(server, {
    policy: sessionPolicy(flags),
    home: signalboxHome(),
    version: manifest.version,
    environment: process.env,
    signal: stop.signal,
    warn: say,
  });
  // So the next session knows its tools without starting it.
  if (found.works)
    writeList(
      signalboxHome(),
      { server, version: manifest.version },
      { tools: [...found.tools], instructions: found.instructions },
    );
  const code = stop.code() ?? (found.works ? EXIT.ok : EXIT.failed);
  if (flags["json"] === true) {
    printJson({ name: server.name, ...found });
    return code;
  }
  if (!found.works) {
    process.stdout.write(`${server.name} does not work: ${printableLine(found.because)}\n`);
    return code;
  }
  const place = server.type !== "stdio" ? "" : found.contained ? ", in the sandbox" : ", without a sandbox";
  process.stdout.write(`${server.name} works: answered in ${found.startMs} ms, listed in ${found.listMs} ms${place}\n`);
  for (const { name, description } of found.tools)
    process.stdout.write(`  ${printableLine(name)}  ${shortLine(description, 100)}\n`);
  if (found.tools.length === 0) process.stdout.write("  it offers no tools\n");
  for (const note of found.notes) say(note);
  return code;
}
