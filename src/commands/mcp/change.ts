import { currentFolder } from "../../lib/current-folder.ts";
import { findWorkspace } from "../../lib/find-workspace.ts";
import { signalboxHome } from "../../lib/home-folder.ts";
import { messageOf } from "../../lib/message-of.ts";
import { refuseInSandbox } from "../../lib/refuse-in-sandbox.ts";
import { EXIT, UserError } from "../../lib/user-error.ts";
import { editConfig, namesIn } from "../../mcp/config/edit-config.ts";
import { projectMcpFile, userMcpFile } from "../../mcp/config/mcp-files.ts";
import { readServer } from "../../mcp/config/read-server.ts";
import type { CommandInput } from "../command-module.ts";
import { printJson, textFlag, textsFlag } from "../flags.ts";
import { quoted } from "../sub-verbs.ts";

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

const refuseInside = () =>
  refuseInSandbox("servers cannot be changed inside a session", "run this in your own terminal");

function nameIn(words: readonly string[], verb: string): string {
  const [, name] = words;
  if (name !== undefined) return name;
  throw new UserError("which name?", { where: `signalbox mcp ${verb}`, fix: `signalbox mcp ${verb} NAME` });
}

const fileFor = (flags: Flags) =>
  flags["project"] === true ? projectMcpFile(findWorkspace(currentFolder())) : userMcpFile(signalboxHome());

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
