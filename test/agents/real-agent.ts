import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { pathToFileURL } from "node:url";
import { offline as claude } from "../../src/agents/claude/offline.ts";
import { offline as codex } from "../../src/agents/codex/offline.ts";
import { offline as copilot } from "../../src/agents/copilot/offline.ts";
import { offline as gemini } from "../../src/agents/gemini/offline.ts";
import { startScriptedModel } from "../../src/models/scripted/server.ts";
import { offlineEnvironment } from "../../src/proof/proof-state.ts";
import { tempFolder, tempRepository } from "../support/temp-folder.ts";

const INSTALLED = join(import.meta.dirname, ".install/node_modules/.bin");

/** PATH with the pinned agents before all else. */
export const PINNED = [INSTALLED, process.env["PATH"]].join(delimiter);

/** How the agents that `signalbox prove` tries are run offline. */
export const OFFLINE = { claude, codex, copilot };
/** The agents of the tests that try every agent. Gemini CLI starts slowly and has a test file of its own. */
export const PROVABLE = ["claude", "codex", "copilot"] as const;

export type RealName = "claude" | "codex" | "copilot" | "gemini" | "opencode" | "pi";

type Model = Awaited<ReturnType<typeof startScriptedModel>>;
type Script = Parameters<typeof startScriptedModel>[0]["script"];

export interface RealAgent extends AsyncDisposable {
  readonly model: Model;
  readonly cwd: string;
  /** A clean environment: a fresh home, the pinned agents on PATH, and the scripted model as the only provider. */
  readonly env: NodeJS.ProcessEnv;
}

const OPENCODE = join(import.meta.dirname, ".install/opencode/node_modules/.bin/opencode");

export const program = (name: RealName) => (name === "opencode" ? OPENCODE : join(INSTALLED, name));
export const isInstalled = (name: RealName) => existsSync(program(name));

/** A pinned agent in a throw-away home and repository, with a model that plays the script. */
export async function realAgent(name: RealName, script: Script): Promise<RealAgent> {
  const model = await startScriptedModel({ script });
  const home = tempFolder();
  const env: NodeJS.ProcessEnv = {
    PATH: PINNED,
    HOME: home,
    TERM: "xterm-256color",
    TMPDIR: home,
    ...PROVIDERS[name](model.url, home),
  };
  return { model, cwd: tempRepository(), env, [Symbol.asyncDispose]: () => model.close() };
}

/** What makes each agent talk to the model at `url` and to nobody else. */
const PROVIDERS: Record<RealName, (url: string, home: string) => NodeJS.ProcessEnv> = {
  claude: (url, home) => offlineEnvironment(claude, url, home),
  codex: (url, home) => offlineEnvironment(codex, url, home),
  copilot: (url, home) => offlineEnvironment(copilot, url, home),
  gemini: (url, home) => offlineEnvironment(gemini, url, home),
  opencode(url, home) {
    const [id, name] = ["anthropic", "fake-model"];
    const models = { [name]: { name, tool_call: true, limit: { context: 200_000, output: 8000 } } };
    const config = {
      model: `${id}/${name}`,
      small_model: `${id}/${name}`,
      enabled_providers: [id],
      provider: { [id]: { options: { baseURL: `${url}/v1`, apiKey: "sk-fake" }, models } },
      plugin: [pathToFileURL(join(import.meta.dirname, "../../wiring/opencode.ts")).href],
      autoupdate: false,
    };
    write(home, ".config/opencode/opencode.json", JSON.stringify(config));
    // It installs a package of its own for plugins, and works without it.
    const switches = ["MODELS_FETCH", "AUTOUPDATE", "SHARE", "LSP_DOWNLOAD", "DEFAULT_PLUGINS"];
    const off = Object.fromEntries(switches.map((what) => [`OPENCODE_DISABLE_${what}`, "1"]));
    return { ...off, npm_config_offline: "true", XDG_CONFIG_HOME: join(home, ".config") };
  },
  pi(url, home) {
    const model = {
      id: "fake-model",
      name: "fake",
      reasoning: false,
      input: ["text"],
      contextWindow: 200_000,
      maxTokens: 8000,
      cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    };
    const fake = { baseUrl: `${url}/v1`, apiKey: "sk-fake", api: "openai-completions", models: [model] };
    write(home, ".pi/agent/models.json", JSON.stringify({ providers: { fake } }));
    return { PI_OFFLINE: "1" };
  },
};

function write(home: string, path: string, content: string): void {
  mkdirSync(join(home, path, ".."), { recursive: true });
  writeFileSync(join(home, path), content);
}

/** Flags that let each agent work without a person, as its user would write them after `--`. */
export const UNATTENDED = {
  claude: OFFLINE.claude.bypass,
  codex: OFFLINE.codex.bypass,
  copilot: OFFLINE.copilot.unattended,
} as const;

/** Makes Claude Code talk to the model at `url` and to nobody else. */
export const offlineClaude = PROVIDERS.claude;
