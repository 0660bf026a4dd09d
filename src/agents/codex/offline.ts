import { AGENT_FILE_MARK, nestedHooks, type Offline } from "../pack/offline.ts";
import { trustedHooks } from "./verify.ts";

const NO_GIT = "--skip-git-repo-check";

export const offline: Offline = {
  provider: () => ({ FAKE_KEY: "sk-fake" }),
  settings(url) {
    const provider = `name = "fake"\nbase_url = "${url}/v1"\nenv_key = "FAKE_KEY"\nwire_api = "responses"\nrequest_max_retries = 0\nstream_max_retries = 0\n`;
    return {
      ".codex/config.toml": `model = "fake-model"\nmodel_provider = "fake"\n[model_providers.fake]\n${provider}`,
    };
  },
  unattended: [NO_GIT, "-s", "danger-full-access"],
  bypass: [NO_GIT, "--dangerously-bypass-approvals-and-sandbox"],
  resume: ["exec", "resume", "--last"],
  patching: { flags: ["--model", "gpt-5.5"], env: {} },
  delegate: (task) => ({ name: "spawn_agent", input: { message: task, task_name: "part" } }),
  agentFile: {
    path: ".codex/agents/proof-part.toml",
    text: `name = "proof-part"
description = "Does a part."
developer_instructions = "${AGENT_FILE_MARK}"
sandbox_mode = "danger-full-access"
approval_policy = "never"

[features]
hooks = false
`,
    delegate: (task) => ({
      name: "spawn_agent",
      input: { message: task, task_name: "part", agent_type: "proof-part" },
    }),
  },
  managed: {
    files: {
      "/etc/codex/requirements.toml":
        '[rules]\nprefix_rules = [{ pattern = [{ token = "mkdir" }], decision = "forbidden" }]\n',
    },
    forbids: true,
  },
  bareHook: {
    means: "Codex: a trusted hook",
    register: (path, { seconds }) => ({
      flags: trustedHooks([{ event: "tool-before", command: path, timeout: seconds }]),
    }),
  },
  ownRule: {
    flags: [],
    file: { path: ".codex/rules/own.rules", text: 'prefix_rule(pattern=["mkdir"], decision="forbidden")\n' },
  },
  ownAskRule: {
    flags: [],
    file: { path: ".codex/rules/own.rules", text: 'prefix_rule(pattern=["mkdir"], decision="prompt")\n' },
  },
  hooksOff: [{ ".codex/config.toml": "[features]\nhooks = false\n" }],
  startingFiles: ({ hook, server }) => ({
    ".codex/hooks.json": JSON.stringify({ hooks: nestedHooks(hook) }),
    ".codex/config.toml": `[mcp_servers.hostile]\ncommand = ${JSON.stringify(server.command)}\nargs = [${server.args.map((word) => JSON.stringify(word)).join(", ")}]\n`,
  }),
};
