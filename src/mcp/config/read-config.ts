import {
  findNodeAtLocation,
  getNodeValue,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from "jsonc-parser";
import type { McpServer } from "../../contract/mcp-server.ts";
import { jsonDepth } from "../../lib/json-depth.ts";
import { messageOf } from "../../lib/message-of.ts";
import { printableLine } from "../../lib/printable.ts";
import { readServer } from "./read-server.ts";

/** What a configuration file contains. Everything that is wrong with it is said with its line. */
export interface McpConfig {
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

interface ConfigPlace {
  /** Its path, for messages. */
  readonly file: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

const MAX_DEPTH = 32;
const MAX_SERVERS = 100;

/** Reads `{ "mcpServers": { NAME: { … } } }`, with comments if there are any. Never throws. */
export function readConfig(text: string, { file, environment }: ConfigPlace): McpConfig {
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
  return readList(list, { at, environment });
}

interface ListPlace extends Pick<ConfigPlace, "environment"> {
  readonly at: (offset: number) => string;
}

function readList(list: Node, { at, environment }: ListPlace): McpConfig {
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
