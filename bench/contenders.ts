import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";

/** An agent that reads a task on stdin and talks to the scripted model. */
export interface Contender {
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

const root = join(import.meta.dirname, "..");
const pinned = join(root, "test/agents/.install/node_modules/.bin");

/** The least that can be done, our engine, and the agents that are installed here or on PATH, each with a home of its own and `url` as its only model. */
export function contenders(url: string, folder: string): readonly Contender[] {
  const path = [pinned, process.env["PATH"]].join(delimiter);
  const base = () => ({ PATH: path, HOME: mkdtempSync(join(folder, "home-")), TERM: "xterm-256color" });
  const peers = Object.entries({ pi, codex, claude }).flatMap(([name, enter]): Contender[] => {
    const found = path.split(delimiter).find((place) => existsSync(join(place, name)));
    return found === undefined ? [] : [{ name, program: join(found, name), ...enter(url, base()) }];
  });
  return [floor(url, base()), native(url, base()), ...peers];
}

type Environment = NodeJS.ProcessEnv & { readonly HOME: string };

const native = (url: string, env: Environment): Contender => ({
  name: "native",
  program: join(root, "bin/signalbox"),
  args: ["native", "--model", "compatible/fake-model", "--base-url", `${url}/v1`],
  env,
});

const floor = (url: string, env: Environment): Contender => ({
  name: "bare floor",
  program: process.execPath,
  args: [join(import.meta.dirname, "floor.mjs"), url],
  env,
});

function pi(url: string, env: Environment) {
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  const model = {
    id: "fake-model",
    name: "fake",
    reasoning: false,
    input: ["text"],
    contextWindow: 200_000,
    maxTokens: 8000,
    cost,
  };
  const fake = { baseUrl: `${url}/v1`, apiKey: "sk-fake", api: "openai-completions", models: [model] };
  write(join(env.HOME, ".pi/agent/models.json"), JSON.stringify({ providers: { fake } }));
  return { args: ["-p", "--mode", "json", "--model", "fake/fake-model"], env: { ...env, PI_OFFLINE: "1" } };
}

function codex(url: string, env: Environment) {
  const provider = `[model_providers.fake]\nname = "fake"\nbase_url = "${url}/v1"\nenv_key = "FAKE_KEY"\nwire_api = "responses"\n`;
  write(join(env.HOME, ".codex/config.toml"), `model = "fake-model"\nmodel_provider = "fake"\n${provider}`);
  const args = ["exec", "--json", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", "-"];
  return { args, env: { ...env, FAKE_KEY: "sk-fake" } };
}

function claude(url: string, env: Environment) {
  const args = [
    "-p",
    "--output-format",
    "stream-json",
    "--verbose",
    "--dangerously-skip-permissions",
    "--model",
    "claude-sonnet-4-5",
  ];
  const settings = {
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: "sk-fake",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  };
  // Root may skip the permissions only in a sandbox, and must say so.
  return { args, env: { ...env, ...settings, IS_SANDBOX: "1" } };
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
