import type { Command } from "commander";
import manifest from "../../package.json" with { type: "json" };
import type { McpServer } from "../contract/mcp-server.ts";
import { redact } from "../guard/redact.ts";
import { signalboxHome } from "../lib/path/home-folder.ts";
import { currentFolder, findWorkspace } from "../lib/path/workspace.ts";
import { refuseInSandbox } from "../lib/process/inside-session.ts";
import { say } from "../lib/process/standard-streams.ts";
import { printableLine } from "../lib/text/printable.ts";
import { EXIT, messageOf, UserError } from "../lib/text/user-error.ts";
import { type ConfiguredServer, editConfig, namesIn, readServer } from "../native/mcp/server-config.ts";
import { projectMcpFile, userMcpFile } from "../native/settings/settings-files.ts";
import { readList } from "../native/mcp/live-server.ts";
import { hasLogin } from "../native/mcp/login.ts";
import type { CommandInput, CommandModule, SubVerbHelp } from "./command-module.ts";
import { once, printJson, textFlag, textsFlag } from "./flags.ts";
import { configured, login, probe } from "./mcp-connect.ts";
import { quoted, subVerb, subVerbsText } from "./sub-verbs.ts";

const HELP: Readonly<Record<string, SubVerbHelp>> = {
  list: {
    usage: "[--json]",
    summary: "list the servers used here, and why others are not",
    flags: ["--json"],
    examples: ["signalbox mcp list"],
  },
  add: {
    usage: "NAME [flags] [-- PROGRAM ARGUMENTS]",
    summary: "add a server: a program, or an address with --url",
    flags: ["--url", "--sse", "--header", "--env", "--project", "--json"],
    examples: [
      "signalbox mcp add files -- npx -y @modelcontextprotocol/server-filesystem .",
      "signalbox mcp add tracker --env TRACKER_TOKEN='${TRACKER_TOKEN}' -- tracker-mcp",
      "signalbox mcp add docs --url https://example.com/mcp",
    ],
    more: "Writes ~/.signalbox/mcp.json, or with --project .signalbox/mcp.json, which counts once you trust it.\n${NAME} in a value is replaced by your variable when the server is used, so that no secret is in the file.",
  },
  remove: {
    usage: "NAME [--project] [--json]",
    summary: "remove a server",
    flags: ["--project", "--json"],
    examples: ["signalbox mcp remove files"],
  },
  test: {
    usage: "NAME [--json]",
    summary: "start a server in the sandbox and show its tools",
    flags: ["--json"],
    examples: ["signalbox mcp test files"],
  },
  login: {
    usage: "NAME|ADDRESS",
    summary: "log in to a server that wants it (OAuth)",
    flags: [],
    examples: ["signalbox mcp login docs"],
  },
};

const many = (value: string, before: readonly string[] = []) => [...before, value];

const refuseInside = () =>
  refuseInSandbox("servers cannot be changed inside a session", "run this in your own terminal");

const fileFor = (flags: Flags) =>
  flags["project"] === true ? projectMcpFile(findWorkspace(currentFolder())) : userMcpFile(signalboxHome());

const ACTIONS = { list, add, remove, test: probe, login };

/** `signalbox mcp`: the MCP servers whose tools the engine offers. */
export const command: CommandModule = {
  subVerbs: HELP,
  firstWords: () => Object.keys(ACTIONS),
  takesPassed: true,

  configure(command: Command) {
    command
      .argument("<what>", "list, add, remove, test or login")
      .argument("[name]", "the name of a server")
      .option("--url <url>", "add: the address of a server that runs already", once)
      .option("--sse", "add: it speaks the older SSE transport")
      .option("--header <line>", "add: a header for it, as 'Name: value' (may be repeated)", many)
      .option("--env <pair>", "add: a variable for the program, as NAME=VALUE (may be repeated)", many)
      .option("--project", "add, remove: in .signalbox/mcp.json of this repository")
      .option("--json", "print JSON")
      .addHelpText(
        "after",
        `${subVerbsText(HELP, ["signalbox mcp add files -- npx -y @modelcontextprotocol/server-filesystem .", "signalbox mcp test files"])}

Exit codes: 0 done  1 the server does not work  2 wrong usage, unknown name or broken file
            3 refused: not trusted, or inside a session`,
      );
  },

  async run(input) {
    return await subVerb("mcp", input.words[0], ACTIONS)(input);
  },
};

/** `signalbox mcp list`. Starts nothing. */
export function list({ flags }: CommandInput): number {
  const { servers, notes } = configured();
  const rows = servers.map(rowOf);
  if (flags["json"] === true) {
    printJson({ servers: rows, notes });
    return EXIT.ok;
  }
  if (rows.length === 0) process.stdout.write("no MCP servers; to add one: signalbox mcp add NAME -- PROGRAM\n");
  for (const { name, source, where, target, state, because, tools, login } of rows) {
    const facts = [
      state === "used" ? undefined : because === undefined ? state : `${state}: ${because}`,
      tools === undefined ? undefined : `${tools} tools`,
      login === true ? "logged in" : undefined,
    ].filter((fact) => fact !== undefined);
    const about = `${source}, ${where}${facts.length === 0 ? "" : `; ${facts.join("; ")}`}`;
    process.stdout.write(`${printableLine(`${name}  ${target ?? ""}`).trimEnd()}\n    ${printableLine(about)}\n`);
  }
  for (const note of notes) say(note);
  return EXIT.ok;
}

function rowOf({ name, source, where, server, unused, because }: ConfiguredServer) {
  const home = signalboxHome();
  const known = server === undefined ? undefined : readList(home, server, manifest.version);
  return {
    name,
    source,
    where,
    type: server?.type,
    target: server === undefined ? undefined : targetOf(server),
    state: unused ?? "used",
    because,
    /** How many, as far as known from the last time it ran. */
    tools: known?.tools.length,
    login: server === undefined || server.type === "stdio" ? undefined : hasLogin(home, server.url),
  };
}

/** What is started or asked, without secrets. */
function targetOf(server: McpServer): string {
  if (server.type === "stdio") return redact([server.command, ...server.args].join(" ")).text;
  const { origin, pathname } = new URL(server.url);
  return `${origin}${pathname}`;
}

type Flags = CommandInput["flags"];

/** `signalbox mcp add`. */
export function add({ words, flags, passed = [] }: CommandInput): number {
  refuseInside();
  const name = nameIn(words, "add");
  const file = fileFor(flags);
  const entry = entryFrom(flags, passed);
  checked(name, entry);
  if (namesIn(file).includes(name))
    throw new UserError(`${name} is there already`, {
      where: file,
      fix: `remove it first: signalbox mcp remove ${name}`,
    });
  editConfig(file, name, entry);
  const next = flags["project"] === true ? "signalbox trust" : `signalbox mcp test ${name}`;
  return done(flags, { added: name, file }, `added ${name} to ${file}. Next: ${next}`);
}

/** `signalbox mcp remove`. */
export function remove({ words, flags }: CommandInput): number {
  refuseInside();
  const name = nameIn(words, "remove");
  const file = fileFor(flags);
  if (!namesIn(file).includes(name))
    throw new UserError(`there is no MCP server ${quoted(name)} in it`, { where: file, fix: "see signalbox mcp list" });
  editConfig(file, name, undefined);
  return done(flags, { removed: name, file }, `removed ${name} from ${file}`);
}

function done(flags: Flags, data: object, text: string): number {
  if (flags["json"] === true) printJson(data);
  else process.stdout.write(`${text}\n`);
  return EXIT.ok;
}

function nameIn(words: readonly string[], verb: string): string {
  const [, name] = words;
  if (name !== undefined) return name;
  throw new UserError("which name?", { where: `signalbox mcp ${verb}`, fix: `signalbox mcp ${verb} NAME` });
}

/** The entry as it is written, in the form that other clients read as well. */
function entryFrom(flags: Flags, passed: readonly string[]): object {
  const url = textFlag(flags, "url");
  const [command, ...args] = passed;
  if ((url === undefined) === (command === undefined))
    throw new UserError(url === undefined ? "what is to be started?" : "pass an address or a program, not both", {
      where: "signalbox mcp add",
      fix: "signalbox mcp add NAME -- PROGRAM ARGUMENTS, or signalbox mcp add NAME --url ADDRESS",
    });
  const env = pairs(textsFlag(flags, "env"), "=", "--env");
  const headers = pairs(textsFlag(flags, "header"), ":", "--header");
  if (url === undefined) {
    if (Object.keys(headers).length > 0 || flags["sse"] === true)
      throw new UserError("a program has no headers and no transport", { where: "--header", fix: "leave it out" });
    return { command, args, ...(Object.keys(env).length === 0 ? {} : { env }) };
  }
  if (Object.keys(env).length > 0)
    throw new UserError("an address has no variables", { where: "--env", fix: "use --header" });
  const type = flags["sse"] === true ? "sse" : "http";
  return { type, url, ...(Object.keys(headers).length === 0 ? {} : { headers }) };
}

function pairs(texts: readonly string[], mark: string, flag: string): Record<string, string> {
  return Object.fromEntries(
    texts.map((text) => {
      const at = text.indexOf(mark);
      if (at < 1)
        throw new UserError(`not a name and a value: ${quoted(text.slice(0, 20))}`, {
          where: flag,
          fix: `pass NAME${mark}VALUE`,
        });
      return [text.slice(0, at).trim(), mark === ":" ? text.slice(at + 1).trim() : text.slice(at + 1)];
    }),
  );
}

/** Refuses what a session could not read. Variables need not be set yet. */
function checked(name: string, entry: object): void {
  const anything = new Proxy({}, { get: () => "1" });
  try {
    readServer(name, { ...entry }, anything);
  } catch (error) {
    throw new UserError(`this server cannot be used: ${messageOf(error)}`, {
      where: "signalbox mcp add",
      fix: "see signalbox mcp add --help",
    });
  }
}
