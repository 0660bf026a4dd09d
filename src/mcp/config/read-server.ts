import * as z from "zod";
import type { McpServer } from "../../contract/mcp-server.ts";
import { isRecord } from "../../lib/is-record.ts";
import { expandVariables } from "./expand-variables.ts";

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

interface ReadServer {
  /** Undefined when it is switched off. */
  readonly server: McpServer | undefined;
  readonly unknown: readonly string[];
}

/** One entry of a configuration. Throws an error that says what is wrong with it. */
export function readServer(
  name: string,
  given: unknown,
  environment: Readonly<Record<string, string | undefined>>,
): ReadServer {
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
