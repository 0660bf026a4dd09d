import manifest from "../../package.json" with { type: "json" };
import type { McpServer } from "../contract/mcp-server.ts";
import { signalboxHome } from "../lib/path/home-folder.ts";
import { currentFolder, findWorkspace } from "../lib/path/workspace.ts";
import { refuseInSandbox } from "../lib/process/inside-session.ts";
import { say } from "../lib/process/standard-streams.ts";
import { nearest } from "../lib/text/nearest.ts";
import { printableLine, shortLine } from "../lib/text/printable.ts";
import { EXIT, messageOf, UserError } from "../lib/text/user-error.ts";
import { loadServers } from "../native/mcp/server-config.ts";
import { logIn } from "../native/mcp/login.ts";
import { containedProbe } from "../native/mcp/probe-server.ts";
import { writeList } from "../native/mcp/live-server.ts";
import { stopOnSignal } from "../native/terminal/stop-on-signal.ts";
import { sessionPolicy } from "./active-policy.ts";
import type { CommandInput } from "./command-module.ts";
import { printJson } from "./flags.ts";
import { quoted } from "./sub-verbs.ts";

const WAIT_MS = 300_000;

/** `signalbox mcp login`. The tokens are kept in the user's signalbox folder, readable for the user alone. */
export async function login({ words, flags }: CommandInput): Promise<number> {
  refuseInSandbox("nobody can log in inside a session", "run this in your own terminal");
  const server = addressOf(words[1]) ?? findServer("login", words[1]);
  if (server.type === "stdio")
    throw new UserError(`${server.name} is a program, which needs no login here`, {
      where: "signalbox mcp login",
      fix: "give it what it needs by env in its configuration",
    });
  using stop = stopOnSignal();
  const signal = AbortSignal.any([stop.signal, AbortSignal.timeout(WAIT_MS)]);
  try {
    const wanted = await logIn(server, {
      home: signalboxHome(),
      policy: sessionPolicy(flags),
      show: (url) => process.stdout.write(`Open this address in your browser, and allow signalbox:\n${url}\n`),
      signal,
    });
    process.stdout.write(wanted ? `logged in to ${server.name}\n` : `${server.name} wants no login\n`);
    return EXIT.ok;
  } catch (error) {
    const code = stop.code();
    if (code !== undefined) return code;
    throw new UserError(`the login to ${server.name} failed: ${messageOf(error)}`, {
      where: server.url,
      fix: "try again; if the server offers no OAuth, add its key as a header: signalbox mcp add --help",
      exitCode: EXIT.failed,
      cause: error,
    });
  }
}

/** A server that only an editor knows is named by its address; logins are kept by address. */
const addressOf = (word = ""): McpServer | undefined =>
  /^https?:\/\//.test(word) && URL.canParse(word) ? { type: "http", name: word, url: word, headers: {} } : undefined;

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
  if (found.works) writeList(signalboxHome(), server, manifest.version, found);
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

/** Everything that is configured for this folder. */
export const configured = () =>
  loadServers({ home: signalboxHome(), workspace: findWorkspace(currentFolder()), environment: process.env });

/** The server that a command names. One that is not used is refused with the reason. */
function findServer(verb: string, name: string | undefined): McpServer {
  const { servers } = configured();
  const where = `signalbox mcp ${verb}`;
  if (name === undefined) throw new UserError("which server?", { where, fix: "pass its name from signalbox mcp list" });
  const named = servers.filter((each) => each.name === name);
  const used = named.find(({ server, unused }) => server !== undefined && unused === undefined);
  if (used?.server !== undefined) return used.server;
  const [other] = named;
  if (other?.unused === "not trusted")
    throw new UserError(`${name} is not used: ${other.because}`, {
      where: other.where,
      fix: "review it: signalbox trust",
      exitCode: EXIT.refused,
    });
  if (other !== undefined)
    throw new UserError(`${name} cannot be used`, { where: other.because ?? other.where, fix: "fix it in that file" });
  const meant = nearest(
    name,
    servers.map((each) => each.name),
  );
  throw new UserError(`there is no MCP server ${quoted(name)}`, {
    where,
    fix: meant === undefined ? "see signalbox mcp list" : `did you mean ${meant}?`,
  });
}
