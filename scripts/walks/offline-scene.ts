import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";

interface Start {
  readonly checkout: string;
  /** The folder in which a home and a repository are created. */
  readonly place: string;
}

/** One shell call, which makes the repository's check pass, and an answer. */
const SCRIPT = { turns: [{ shell: "echo made > made.txt" }, { text: "It is written." }] };

/** A home, a repository, and a scripted model for claude, codex and native. */
export class OfflineScene implements AsyncDisposable {
  readonly #repository: string;
  readonly #env: NodeJS.ProcessEnv;
  readonly #model: ReturnType<typeof startModel>;

  private constructor({ checkout, place }: Start, model: ReturnType<typeof startModel>, url: string) {
    const home = join(place, "home");
    this.#repository = join(place, "repository");
    this.#model = model;
    this.#env = { PATH: pinnedPath(checkout), HOME: home, TMPDIR: home, TERM: "xterm-256color", ...providers(url) };
    writeRepository(this.#repository);
    mkdirSync(join(home, ".codex"), { recursive: true });
    writeFileSync(join(home, ".codex/config.toml"), codexConfig(url));
  }

  static async open(start: Start): Promise<OfflineScene> {
    const place = mkdtempSync(join(start.place, "scene-"));
    const script = join(place, "script.json");
    writeFileSync(script, JSON.stringify(SCRIPT));
    const model = startModel(start.checkout, script);
    for await (const line of createInterface(model.stdout)) {
      const { url }: { url: string } = JSON.parse(line);
      return new OfflineScene({ ...start, place }, model, url);
    }
    throw new Error("the scripted model did not start");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#model.exitCode !== null) return;
    this.#model.kill();
    await once(this.#model, "exit");
  }

  /** Runs the program at `cli` in the repository; any failure throws. */
  async run(cli: string, args: readonly string[]): Promise<void> {
    const child = spawn(process.execPath, [cli, ...args], {
      cwd: this.#repository,
      env: this.#env,
      stdio: ["ignore", "pipe", "pipe"],
      timeout: 180_000,
    });
    const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
    if (code !== 0 || !existsSync(join(this.#repository, "made.txt")))
      throw new Error(`signalbox ${args.join(" ")}\nended with ${code}\n${stdout}\n${stderr}`);
  }
}

const startModel = (checkout: string, script: string) =>
  spawn(process.execPath, [join(checkout, "src/cli.ts"), "scripted-model", "--script", script, "--json"], {
    stdio: ["ignore", "pipe", "inherit"],
  });

const pinnedPath = (checkout: string) =>
  [join(checkout, "test/agents/.install/node_modules/.bin"), process.env["PATH"]].join(delimiter);

function writeRepository(folder: string): void {
  spawnSync("git", ["init", "-q", "-b", "main", folder]);
  writeFileSync(join(folder, "package.json"), JSON.stringify({ scripts: { test: "test -f made.txt" } }));
  writeFileSync(join(folder, "t.md"), "write made.txt\n");
}

const providers = (url: string): NodeJS.ProcessEnv => ({
  // Claude Code lets root skip permissions only in a sandbox.
  IS_SANDBOX: "1",
  ANTHROPIC_BASE_URL: url,
  ANTHROPIC_API_KEY: "sk-fake",
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  FAKE_KEY: "sk-fake",
  SIGNALBOX_MODEL: "compatible/m",
  SIGNALBOX_BASE_URL: `${url}/v1`,
});

const codexConfig = (url: string) => `model = "fake-model"
model_provider = "fake"
[model_providers.fake]
name = "fake"
base_url = "${url}/v1"
env_key = "FAKE_KEY"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
`;
