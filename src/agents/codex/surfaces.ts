import { tomlString } from "../../lib/inline-toml.ts";
import { isRecord, strings } from "../../lib/is-record.ts";
import { orRefuse, STAGED_SECONDS, type Surfaces } from "../pack/surfaces.ts";
import { dialect } from "./text-dialect.ts";
import { tomlKey, tomlLine, tomlStrings, tomlText } from "./toml.ts";

const MADE = "# Made from .signalbox/agents by signalbox stage.";

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

const TEXTS = ["command", "url", "cwd"] as const;

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
