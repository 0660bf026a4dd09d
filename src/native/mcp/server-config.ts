import { dirname } from "node:path";
import {
  applyEdits,
  findNodeAtLocation,
  getNodeValue,
  modify,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from "jsonc-parser";
import * as z from "zod";
import type { McpServer } from "../../contract/mcp-server.ts";
import { isTrusted, readTrust } from "../../guard/policy/trust.ts";
import { atomicWrite } from "../../lib/files/atomic-write.ts";
import { makeFolder } from "../../lib/files/make-folder.ts";
import { readBounded, textIfThere } from "../../lib/files/read-file.ts";
import { isRecord } from "../../lib/json/json-value.ts";
import { jsonDepth } from "../../lib/json/parse-json.ts";
import { printableLine } from "../../lib/text/printable.ts";
import { errorCode, messageOf, UserError } from "../../lib/text/user-error.ts";
import { mcpFiles } from "../settings/settings-files.ts";

/** What a configuration file contains. Everything that is wrong with it is said with its line. */
interface McpConfig {
  readonly servers: readonly McpServer[];
  /** Servers that cannot be used, and files that cannot be read. */
  readonly problems: readonly ConfigProblem[];
  /** Fields that are not known, and were passed over. */
  readonly warnings: readonly string[];
}

interface ConfigProblem {
  /** The server; undefined when it is about the whole file. */
  readonly name?: string | undefined;
  /** `FILE:LINE: what is wrong`. */
  readonly because: string;
}

const MAX_DEPTH = 32;

const MAX_SERVERS = 100;

/** Reads `{ "mcpServers": { NAME: { … } } }`, with comments if there are any. `file` is for messages. Never throws. */
export function readConfig(text: string, file: string, environment: Environment): McpConfig {
  const at = (offset: number) => `${file}:${text.slice(0, offset).split("\n").length}`;
  const broken = (offset: number, because: string): McpConfig => ({
    servers: [],
    problems: [{ because: `${at(offset)}: ${because}` }],
    warnings: [],
  });
  if (jsonDepth(text) > MAX_DEPTH) return broken(0, `it is nested more than ${MAX_DEPTH} levels deep`);
  const errors: ParseError[] = [];
  const tree = parseTree(text.replace(/^\ufeff/, " "), errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error !== undefined) return broken(error.offset, `not valid JSON (${printParseErrorCode(error.error)})`);
  if (tree?.type !== "object") return broken(0, 'not an object with "mcpServers"');
  const list = findNodeAtLocation(tree, ["mcpServers"]);
  if (list?.type !== "object") return broken(list?.offset ?? 0, '"mcpServers" is missing or not an object');
  return readList(list, at, environment);
}

function readList(list: Node, at: (offset: number) => string, environment: Environment): McpConfig {
  const servers: McpServer[] = [];
  const problems: ConfigProblem[] = [];
  const warnings: string[] = [];
  for (const property of list.children ?? []) {
    const [key, value] = property.children ?? [];
    const name = String(key?.value);
    const line = at(property.offset);
    const fail = (because: string) => problems.push({ name, because: `${line}: ${printableLine(name)}: ${because}` });
    if (servers.length >= MAX_SERVERS) {
      fail(`only the first ${MAX_SERVERS} servers count`);
      break;
    }
    if (servers.some((other) => other.name === name)) {
      fail("it is there twice; the first one counts");
      continue;
    }
    try {
      const given: unknown = value === undefined ? undefined : getNodeValue(value);
      const { server, unknown } = readServer(name, given, environment);
      if (unknown.length > 0)
        warnings.push(`${line}: ${printableLine(name)}: ignoring ${unknown.map(printableLine).join(", ")}`);
      if (server !== undefined) servers.push(server);
    } catch (error) {
      fail(messageOf(error));
    }
  }
  return { servers, problems, warnings };
}

const text = z.string().max(32_768);

const texts = z.record(z.string().regex(/^[^\s=\0]{1,256}$/), text);

const Timeout = z.number().int().min(1).max(86_400_000);

const Program = z.object({
  type: z.enum(["stdio", "local"]).optional(),
  command: text.min(1),
  args: z.array(text).max(1000).default([]),
  env: texts.default({}),
  timeout: Timeout.optional(),
});

const Address = z.object({
  type: z.enum(["http", "sse", "streamable-http", "streamableHttp", "streamable_http"]).default("http"),
  url: text.min(1),
  headers: texts.default({}),
  timeout: Timeout.optional(),
});

/** Fields of other clients that change nothing for us. */
const HARMLESS = new Set(["description", "disabled", "enabled", "trust", "tools", "alwaysAllow", "autoApprove"]);

const NAME = /^[A-Za-z0-9](?:[\w .@/-]{0,62}[\w])?$/;

/**
 * One entry of a configuration, undefined when it is switched off, and its fields that are not known. Throws an error
 * that says what is wrong with it.
 */
export function readServer(
  name: string,
  given: unknown,
  environment: Environment,
): { readonly server: McpServer | undefined; readonly unknown: readonly string[] } {
  if (!NAME.test(name))
    throw new Error("the name must be 1 to 64 letters, digits or . _ - @ / and begin with a letter or digit");
  if (!isRecord(given)) throw new Error("it is not an object");
  if (given["disabled"] === true || given["enabled"] === false) return { server: undefined, unknown: [] };
  const isAddress = given["url"] !== undefined;
  if (isAddress === (given["command"] !== undefined))
    throw new Error('it needs either a "command" (a program) or a "url" (a server that runs already)');
  const shape = isAddress ? Address.shape : Program.shape;
  const unknown = Object.keys(given).filter((key) => !(key in shape) && !HARMLESS.has(key));
  return { server: isAddress ? address(name, given, environment) : program(name, given, environment), unknown };
}

type Entry = Readonly<Record<string, unknown>>;

type Environment = Readonly<Record<string, string | undefined>>;

function program(name: string, given: Entry, environment: Environment): McpServer {
  const { command, args, env, timeout } = checked(Program, given);
  return {
    type: "stdio",
    name,
    command: expandVariables(command, environment),
    args: args.map((word) => expandVariables(word, environment)),
    env: expandEach(env, environment),
    timeoutMs: timeout,
  };
}

function address(name: string, given: Entry, environment: Environment): McpServer {
  const { type, url, headers, timeout } = checked(Address, given);
  const whole = expandVariables(url, environment);
  if (!URL.canParse(whole) || !/^https?:$/.test(new URL(whole).protocol))
    throw new Error("the url is not an http or https address");
  return {
    type: type === "sse" ? "sse" : "http",
    name,
    url: whole,
    headers: expandEach(headers, environment),
    timeoutMs: timeout,
  };
}

const expandEach = (values: Readonly<Record<string, string>>, environment: Environment) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, expandVariables(value, environment)]));

function checked<Shape extends z.ZodType>(shape: Shape, given: Entry): z.output<Shape> {
  const parsed = shape.safeParse(given);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new Error(`${issue?.path.join(".") ?? ""}: ${issue?.message ?? "wrong"}`);
}

const VARIABLE = /\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}/g;

/** `${NAME}` and `${NAME:-default}` replaced by the user's variables. Throws for one that is not set. */
function expandVariables(text: string, environment: Environment): string {
  return text.replace(VARIABLE, (_, name: string, otherwise: string | undefined) => {
    const value = environment[name];
    if (value !== undefined && value !== "") return value;
    if (otherwise !== undefined) return otherwise;
    throw new Error(`the variable ${name} is not set`);
  });
}

const FORMAT = { formattingOptions: { insertSpaces: true, tabSize: 2, eol: "\n" } };

/**
 * Sets one server in a configuration file, or removes it where `entry` is undefined. Comments and everything else stay,
 * but lines may be broken differently.
 */
export function editConfig(file: string, name: string, entry: object | undefined): void {
  const text = configText(file);
  const edited = applyEdits(text, modify(text, ["mcpServers", name], entry, FORMAT));
  makeFolder(dirname(file));
  atomicWrite(file, edited.endsWith("\n") ? edited : `${edited}\n`, 0o600);
}

/** The names in a configuration file. A broken file throws a UserError, because it must not be overwritten. */
export function namesIn(file: string): readonly string[] {
  const { servers, problems } = readConfig(configText(file), file, process.env);
  const [broken] = problems.filter(({ name }) => name === undefined);
  if (broken !== undefined)
    throw new UserError("the file cannot be changed, because it is broken", {
      where: broken.because,
      fix: "fix it by hand",
    });
  return [...servers, ...problems].flatMap(({ name }) => name ?? []);
}

function configText(file: string): string {
  const text = textIfThere(file) ?? "";
  return text.trim() === "" ? '{\n  "mcpServers": {}\n}\n' : text;
}

/** A server that some file or editor names, and whether it is used. */
export interface ConfiguredServer {
  readonly name: string;
  readonly source: "editor" | "user" | "project";
  /** The file, or `the editor`. */
  readonly where: string;
  readonly server?: McpServer | undefined;
  /** Why it is not used; undefined if it is. */
  readonly unused?: "not trusted" | "broken" | "replaced" | undefined;
  readonly because?: string | undefined;
}

/** The user's signalbox folder, a workspace, and the variables for `${NAME}`. */
interface Configured {
  readonly home: string;
  readonly workspace: string;
  readonly environment: Environment;
}

const MAX_BYTES = 256 * 1024;

/**
 * Every server that is named for a workspace, those that an editor has `given` first, and what the user should know: one
 * line each, with the command that helps. The user's own file wins over the project's, so that a repository cannot take
 * the place of a server that a policy knows by name. Never throws.
 */
export function loadServers(
  { home, workspace, environment }: Configured,
  given: readonly McpServer[] = [],
): { readonly servers: readonly ConfiguredServer[]; readonly notes: readonly string[] } {
  const notes: string[] = [];
  const found: ConfiguredServer[] = given.map((server) => ({
    name: server.name,
    source: "editor",
    where: "the editor",
    server,
  }));
  for (const { path, source } of mcpFiles(home, workspace)) {
    const { text, problem } = readText(path);
    if (problem !== undefined) notes.push(`ignoring ${path}: it cannot be read (${problem})`);
    if (text === undefined) continue;
    const why = source === "project" ? untrusted(home, path, text) : undefined;
    const { servers, problems, warnings } = readConfig(text, path, environment);
    const named = { source, where: path };
    if (why !== undefined) {
      notes.push(`ignoring the MCP servers in ${path}: ${why}; to review it: signalbox trust`);
      found.push(...servers.map(({ name }) => ({ ...named, name, unused: "not trusted" as const, because: why })));
      continue;
    }
    notes.push(...warnings, ...problems.map(({ because }) => `${because}; to see all: signalbox mcp list`));
    found.push(...servers.map((server) => ({ ...named, name: server.name, server })));
    for (const { name, because } of problems)
      if (name !== undefined) found.push({ ...named, name, unused: "broken", because });
  }
  return { servers: withoutReplaced(found), notes };
}

function untrusted(home: string, path: string, text: string): string | undefined {
  const trusted = readTrust(home);
  if (isTrusted(trusted, path, text)) return undefined;
  return trusted.some((file) => file.path === path) ? "it changed since you trusted it" : "it is not trusted";
}

function withoutReplaced(found: readonly ConfiguredServer[]): readonly ConfiguredServer[] {
  const taken = new Map<string, string>();
  return found.map((each) => {
    if (each.unused !== undefined) return each;
    const by = taken.get(each.name);
    if (by === undefined) taken.set(each.name, each.where);
    return by === undefined ? each : { ...each, unused: "replaced", because: `${by} names it too` };
  });
}

/** A FIFO, gigabytes or binary data are refused at once. Neither text nor problem: there is no such file. */
function readText(path: string): { readonly text?: string; readonly problem?: string } {
  try {
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(readBounded(path, MAX_BYTES).bytes) };
  } catch (error) {
    const code = errorCode(error);
    return code === "ENOENT" || code === "ENOTDIR" ? {} : { problem: code ?? messageOf(error) };
  }
}
