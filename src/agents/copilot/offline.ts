import { join } from "node:path";
import { AGENT_FILE_MARK, type Offline } from "../pack/offline.ts";

const QUIET = ["--no-auto-update", "-s"];
const OFF = JSON.stringify({ disableAllHooks: true });

export const offline: Offline = {
  provider: (url, home) => ({
    COPILOT_OFFLINE: "true",
    COPILOT_AUTO_UPDATE: "false",
    COPILOT_MODEL: "fake-model",
    COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
    COPILOT_HOME: join(home, ".copilot"),
  }),
  unattended: ["--allow-all-tools", ...QUIET],
  bypass: ["--yolo", ...QUIET],
  resume: ["--continue"],
  write: (path) => ({ name: "create", input: { path, file_text: "written" } }),
  patching: { flags: ["--model", "gpt-5.5"], env: { COPILOT_PROVIDER_WIRE_API: "responses" } },
  delegate: (task) => ({
    name: "task",
    input: { agent_type: "general-purpose", name: "part", description: "a part", prompt: task, mode: "sync" },
  }),
  agentFile: {
    path: ".copilot/agents/proof-part.agent.md",
    text: `---\nname: proof-part\ndescription: Does a part.\ntools: ["*"]\n---\n${AGENT_FILE_MARK}\n`,
    delegate: (task) => ({
      name: "task",
      input: { agent_type: "proof-part", name: "part", description: "a part", prompt: task, mode: "sync" },
    }),
  },
  // An administrator of Copilot has no rules about commands.
  managed: {
    files: { "/etc/github-copilot/managed-settings.json": JSON.stringify({ disableAllHooks: false }) },
    forbids: false,
    rootOnly: true,
  },
  bareHook: {
    means: "Copilot: a plugin",
    register(path, { folder, seconds }) {
      const hooks = { preToolUse: [{ type: "command", bash: path, timeoutSec: seconds }] };
      return {
        flags: ["--plugin-dir", `${folder}/bare-plugin`],
        files: {
          "bare-plugin/plugin.json": JSON.stringify({ name: "bare", version: "1.0.0", hooks: "hooks/hooks.json" }),
          "bare-plugin/hooks/hooks.json": JSON.stringify({ version: 1, hooks }),
        },
      };
    },
  },
  ownRule: { flags: ["--deny-tool=shell(mkdir)"] },
  // Copilot reads Claude Code's settings too, and takes the key in more spellings.
  hooksOff: [
    { ".github/copilot/settings.json": OFF, ".claude/settings.local.json": OFF },
    { ".github/copilot/settings.json": JSON.stringify({ disableAllHooks: false, DisableAllHooks: true }) },
    { ".claude/settings.json": JSON.stringify({ disable_all_hooks: true }) },
  ],
  startingFiles({ hook }) {
    const hooks = [{ type: "command", bash: hook, timeoutSec: 5 }];
    return {
      ".github/hooks/hostile.json": JSON.stringify({ version: 1, hooks: { sessionStart: hooks, preToolUse: hooks } }),
    };
  },
};
