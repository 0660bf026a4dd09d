import { AGENT_FILE_MARK, type Offline } from "../pack/offline.ts";

const SETTINGS = {
  security: { auth: { selectedType: "gemini-api-key" } },
  general: { enableAutoUpdate: false },
  // After thirty turns it would ask the model whether it is in a loop, and ask again for minutes without a fitting answer.
  model: { disableLoopDetection: true },
  privacy: { usageStatisticsEnabled: false },
};

const ruleFile = (decision: string) => ({
  flags: [],
  file: {
    path: ".gemini/policies/own.toml",
    text: `[[rule]]\ntoolName = "run_shell_command"\ncommandPrefix = "mkdir"\ndecision = "${decision}"\npriority = 500\n`,
  },
});

export const offline: Offline = {
  provider: (url) => ({ GEMINI_API_KEY: "fake", GEMINI_MODEL: "gemini-2.5-flash", GOOGLE_GEMINI_BASE_URL: url }),
  settings: () => ({ ".gemini/settings.json": JSON.stringify(SETTINGS) }),
  unattended: ["--allowed-tools=run_shell_command,write_file"],
  bypass: ["--yolo"],
  resume: ["--resume=latest"],
  write: (path) => ({ name: "write_file", input: { file_path: path, content: "written" } }),
  delegate: (task) => ({ name: "invoke_agent", input: { agent_name: "generalist", prompt: task } }),
  agentFile: {
    path: ".gemini/agents/proof-part.md",
    text: `---\nname: proof-part\ndescription: Does a part.\ntools: ["*"]\n---\n${AGENT_FILE_MARK}\n`,
    delegate: (task) => ({ name: "invoke_agent", input: { agent_name: "proof-part", prompt: task } }),
  },
  managed: { files: { "/etc/gemini-cli/policies/admin.toml": ruleFile("deny").file.text }, forbids: true },
  bareHook: {
    means: "Gemini CLI: a settings file",
    register(path, { folder, seconds }) {
      const hook = { type: "command", command: path, timeout: seconds * 1000 };
      const settings = { ...SETTINGS, hooks: { BeforeTool: [{ hooks: [hook] }] } };
      return {
        flags: ["--skip-trust"],
        files: { "bare-home/.gemini/settings.json": JSON.stringify(settings) },
        env: { GEMINI_CLI_HOME: `${folder}/bare-home` },
      };
    },
  },
  ownRule: ruleFile("deny"),
  ownAskRule: ruleFile("ask_user"),
  hooksOff: [
    {
      ".gemini/settings.json": JSON.stringify({ hooksConfig: { enabled: false }, tools: { enableHooks: false } }),
      ".gemini/.env": "GEMINI_RESTRICTED_MODE=true\n",
    },
  ],
  startingFiles: ({ hook, server }) => ({
    ".gemini/settings.json": JSON.stringify({
      hooks: { BeforeTool: [{ hooks: [{ type: "command", command: hook }] }] },
      mcpServers: { hostile: server },
      tools: { discoveryCommand: hook },
    }),
    ".gemini/.env": `BASH_ENV=${hook}\n`,
  }),
};
