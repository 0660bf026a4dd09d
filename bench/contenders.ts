import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";

/** An agent that reads a task on stdin and talks to the scripted model. */
export interface Contender {
  readonly name: string;
  readonly program: string;
  /** With this address as its only model. */
  readonly startWith: (url: string) => Start;
}

interface Start {
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

const root = join(import.meta.dirname, "..");
const pinned = join(root, "test/agents/.install/node_modules/.bin");

/**
 * The least that can be done, our engine with and without its sandbox, and the agents that are installed here or on
 * PATH, each with a home of its own. SIGNALBOX_BENCH_BESIDE names the `bin/signalbox` of another build, to compare with.
 */
export function contenders(folder: string): readonly Contender[] {
  const path = [pinned, process.env["PATH"]].join(delimiter);
  const contender = (name: string, program: string, enter: (url: string, env: Environment) => Start): Contender => {
    const env = { PATH: path, HOME: mkdtempSync(join(folder, "home-")), TERM: "xterm-256color" };
    return { name, program, startWith: (url) => enter(url, env) };
  };
  const peers = Object.entries({ pi, codex, claude }).flatMap(([name, enter]): Contender[] => {
    const found = path.split(delimiter).find((place) => existsSync(join(place, name)));
    return found === undefined ? [] : [contender(name, join(found, name), enter)];
  });
  const beside = process.env["SIGNALBOX_BENCH_BESIDE"];
  return [
    contender("bare floor", process.execPath, floor),
    contender("native", join(root, "bin/signalbox"), native),
    contender("native, sandbox: off", join(root, "bin/signalbox"), uncontained),
    ...(beside === undefined ? [] : [contender("native of the other build", beside, native)]),
    ...peers,
  ];
}

type Environment = NodeJS.ProcessEnv & { readonly HOME: string };

const native = (url: string, env: Environment): Start => ({
  args: ["native", "--model", "compatible/fake-model", "--base-url", `${url}/v1`],
  env,
});

function uncontained(url: string, env: Environment): Start {
  write(join(env.HOME, ".signalbox/policy.yaml"), "version: 1\nsandbox: off\n");
  return native(url, env);
}

const floor = (url: string, env: Environment): Start => ({ args: [join(import.meta.dirname, "floor.mjs"), url], env });

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
