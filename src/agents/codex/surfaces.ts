import { tomlString } from "../../lib/json/toml.ts";
import { isRecord, strings } from "../../lib/json/json-value.ts";
import { orRefuse, STAGED_SECONDS, type Surfaces, type TextDialect } from "../pack/surfaces.ts";

const MADE = "# Made from .signalbox/agents by signalbox stage.";

const TEXTS = ["command", "url", "cwd"] as const;

/** Seen on 0.166.0: an agent's file cannot list its tools, and without the shell it could not even read. */
const dialect: TextDialect = {
  tools: {},
  aliases: { exec_command: ["shell"], apply_patch: ["edit", "create"] },
  limitsTools: false,
  forbidsTools: false,
  serverTool: (server, tool) => `mcp__${server}__${tool ?? "*"}`,
  model: (name) => (/^(?:gpt-|codex-|o\d)/.test(name) ? name : undefined),
  fillsIn: false,
};

/** One line `key = "…"` of TOML. */
export const tomlLine = (key: string, value: string) => `${tomlKey(key)} = ${tomlString(value)}`;

const tomlKey = (key: string) => (/^[\w-]+$/.test(key) ? key : tomlString(key));

export const tomlStrings = (texts: readonly string[]) => `[${texts.map(tomlString).join(", ")}]`;

export const surfaces: Surfaces = {
  hooks: {
    form: "settings",
    settings: ".codex/hooks.json",
    wrapper: ".codex/hooks/signalbox",
    // Codex tells a hook nothing about the repository, and runs it in the folder of the call.
    command: (event) =>
      `d=$PWD; while [ -n "$d" ] && [ ! -x "$d/.codex/hooks/signalbox" ]; do d=\${d%/*}; done; "$d/.codex/hooks/signalbox" ${event}${orRefuse(event)}`,
    // Codex cuts this event to three seconds.
    seconds: (event) => (event === "session-end" ? 3 : STAGED_SECONDS),
    more: () => ({}),
  },
  dialect,
  agents: {
    folder: ".codex/agents",
    ending: ".toml",
    convert: {
      mark: MADE,
      text: ({ name, description, model, body }) =>
        [
          MADE,
          tomlLine("name", name),
          tomlLine("description", description),
          ...(model === undefined ? [] : [tomlLine("model", model)]),
          tomlText("developer_instructions", body),
          "",
        ].join("\n"),
    },
  },
  skills: { folder: ".agents/skills", alsoRead: [".codex/skills"] },
  instructions: { files: ["AGENTS.md"], choose: () => "AGENTS.md" },
  servers: {
    form: "toml",
    path: ".codex/config.toml",
    heading: (name) => `[mcp_servers.${name}]`,
    table: serverTable,
  },
  places: [
    ".codex/hooks/",
    ".codex/agents/",
    ".codex/hooks.json",
    ".codex/config.toml",
    ".agents/skills/",
    "AGENTS.md",
  ],
  note: "Codex silently skips untrusted hooks: start codex here once, enter /hooks and trust them. Repeat this whenever .codex/hooks.json changes. A guarded launch (signalbox codex) needs none of this",
};

function serverTable(name: string, server: Readonly<Record<string, unknown>>): string {
  const lines = [`[mcp_servers.${tomlKey(name)}]`];
  for (const key of TEXTS) {
    const { [key]: value } = server;
    if (typeof value === "string") lines.push(tomlLine(key, value));
  }
  const args = strings(server["args"]);
  if (args !== undefined) lines.push(`args = ${tomlStrings(args)}`);
  const env = isRecord(server["env"]) ? Object.entries(server["env"]) : [];
  const pairs = env.flatMap(([key, value]) =>
    typeof value === "string" ? [`${tomlKey(key)} = ${tomlString(value)}`] : [],
  );
  if (pairs.length > 0) lines.push(`env = { ${pairs.join(", ")} }`);
  return lines.join("\n");
}

/** A multi-line text, unchanged. */
export function tomlText(key: string, text: string): string {
  const escaped = text
    .toWellFormed()
    .replaceAll("\\", "\\\\")
    .replaceAll('"""', '""\\"')
    .replaceAll(
      /[^\P{Cc}\n\t]/gu,
      (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`,
    );
  return `${key} = """\n${escaped.endsWith('"') ? `${escaped.slice(0, -1)}\\"` : escaped}"""`;
}
