import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** The agents whose rules can be shown to hold. */
export const PROVABLE = ["claude", "codex", "copilot"] as const;
export type ProvableName = (typeof PROVABLE)[number];

export const isProvable = (name: string): name is ProvableName => PROVABLE.some((known) => known === name);

/** How one agent works without a network, a login and a person. */
export interface Offline {
  /** Variables that make it talk to the model at `url` and to nobody else; may write settings into `home`. */
  readonly provider: (url: string, home: string) => NodeJS.ProcessEnv;
  /** Flags with which it runs commands without a question, short of its widest. */
  readonly unattended: readonly string[];
  /** Flags with which it asks nobody about anything. */
  readonly bypass: readonly string[];
  /** Flags that go on with the last conversation of the folder. */
  readonly resume: readonly string[];
  /** A call of its own tool that writes a file; none where the tool is offered to some models only. */
  readonly write?: (path: string) => ScriptedCall;
  /** What makes it offer `apply_patch` as free text; none where no model is offered it. */
  readonly patching?: { readonly flags: readonly string[]; readonly env: NodeJS.ProcessEnv };
  /** A call of its own tool that gives `task` to a sub-agent. */
  readonly delegate: (task: string) => ScriptedCall;
}

interface ScriptedCall {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

const CLAUDE_MODEL = ["--model", "claude-sonnet-4-5"];
const CODEX_NO_GIT = "--skip-git-repo-check";
const PATCH_MODEL = ["--model", "gpt-5.5"];
const COPILOT_QUIET = ["--no-auto-update", "-s"];

export const OFFLINE: Readonly<Record<ProvableName, Offline>> = {
  claude: {
    provider: (url) => ({
      // Root may skip the permissions only in a sandbox, and says so itself.
      IS_SANDBOX: "1",
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: "sk-fake",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      CLAUDE_CODE_MAX_RETRIES: "1",
    }),
    unattended: ["--allowedTools=Bash,Agent,Write", ...CLAUDE_MODEL],
    bypass: ["--dangerously-skip-permissions", ...CLAUDE_MODEL],
    resume: ["--continue"],
    write: (path) => ({ name: "Write", input: { file_path: path, content: "written" } }),
    delegate: (task) => ({
      name: "Agent",
      input: { description: "a part", prompt: task, subagent_type: "general-purpose", run_in_background: false },
    }),
  },
  codex: {
    provider(url, home) {
      const provider = `name = "fake"\nbase_url = "${url}/v1"\nenv_key = "FAKE_KEY"\nwire_api = "responses"\nrequest_max_retries = 0\nstream_max_retries = 0\n`;
      write(
        join(home, ".codex", "config.toml"),
        `model = "fake-model"\nmodel_provider = "fake"\n[model_providers.fake]\n${provider}`,
      );
      return { FAKE_KEY: "sk-fake" };
    },
    unattended: [CODEX_NO_GIT, "-s", "danger-full-access"],
    bypass: [CODEX_NO_GIT, "--dangerously-bypass-approvals-and-sandbox"],
    resume: ["exec", "resume", "--last"],
    patching: { flags: PATCH_MODEL, env: {} },
    delegate: (task) => ({ name: "spawn_agent", input: { message: task, task_name: "part" } }),
  },
  copilot: {
    provider: (url, home) => ({
      COPILOT_OFFLINE: "true",
      COPILOT_AUTO_UPDATE: "false",
      COPILOT_MODEL: "fake-model",
      COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
      COPILOT_HOME: join(home, ".copilot"),
    }),
    unattended: ["--allow-all-tools", ...COPILOT_QUIET],
    bypass: ["--yolo", ...COPILOT_QUIET],
    resume: ["--continue"],
    write: (path) => ({ name: "create", input: { path, file_text: "written" } }),
    patching: { flags: PATCH_MODEL, env: { COPILOT_PROVIDER_WIRE_API: "responses" } },
    delegate: (task) => ({
      name: "task",
      input: { agent_type: "general-purpose", name: "part", description: "a part", prompt: task, mode: "sync" },
    }),
  },
};

function write(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}
