import { wordList } from "../../lib/text/shell-words.ts";
import type { ManagedSwitch } from "../../contract/agent-install.ts";
import { findManaged } from "../install/refuse.ts";
import { type Agent, ARGV_LIMIT } from "../pack/agent.ts";

/**
 * The prompt goes before a `--`, because after it `-p` would not be an option.
 * Copilot mistakes a value with a leading `-` for the next flag, so such a prompt is joined with its flag in one word.
 */
function withPrompt(flags: readonly string[], prompt: string): string[] {
  const end = flags.includes("--") ? flags.indexOf("--") : flags.length;
  const words = prompt.startsWith("-") ? [`--prompt=${prompt}`] : ["-p", prompt];
  return flags.toSpliced(end, 0, ...words);
}

/**
 * Copilot passes GITHUB_TOKEN to its shell tool even when told to hide it. So the login is passed under the first name
 * that Copilot looks for, which it hides by itself.
 */
function renameLogin({ GITHUB_TOKEN: token, ...env }: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const loggedIn = [env["COPILOT_GITHUB_TOKEN"], env["GH_TOKEN"]].some((value) => (value ?? "") !== "");
  return token === undefined || loggedIn ? env : { ...env, COPILOT_GITHUB_TOKEN: token };
}

export const copilot: Agent = {
  name: "copilot",
  title: "GitHub Copilot CLI",
  binary: "copilot",
  install: "npm install -g @github/copilot",
  knownPlaces: ["~/.local/bin", "~/.npm-global/bin", "/usr/local/bin", "/opt/homebrew/bin"],
  channels: {
    argv: {
      limit: ARGV_LIMIT,
      argv: withPrompt,
      evidence: "64 KiB identical in the model request, but for trailing line feeds (1.0.102)",
    },
    stdin: {
      limit: { unit: "bytes", most: 64 * 1024 * 1024 },
      argv: (flags) => [...flags],
      evidence: "64 KiB identical in the model request, but for trailing line feeds (1.0.102)",
    },
  },
  subcommands: wordList(`
    app login logout help init config update version workflow sessions memories plugin mcp skill instruction lsp
    sandbox completion
  `),
  toolFree: wordList(`
    login help config update version plugin mcp skill completion sessions memories
  `),
  resume: (session) => [`--resume=${session}`],
  headlessFlags: { contained: ["--allow-tool", "write"], guarded: ["--allow-all-tools"], unguarded: [] },
  valueFlags: wordList(`
    --add-dir --add-github-mcp-tool --add-github-mcp-toolset --additional-mcp-config --agent --allow-tool
    --allow-url --attachment --auto-tier --available-tools --bash-env --connect --context --deny-tool --deny-url
    --disable-mcp-server --enable-mcp-server --excluded-tools --log-dir --log-level --max-ai-credits
    --max-autopilot-continues --mode --model --mouse --name -n --output-format --plugin-dir --reasoning-effort
    --resume -r --secret-env-vars --session-id --share --stream --usage-output-file
  `),
  promptFlags: ["-p", "--prompt", "-i", "--interactive"],
  protocolFlags: ["--acp", "--stdio", "--headless", "--server"],
  sessionVariables: ["COPILOT_AGENT", "COPILOT_CLI", "GITHUB_COPILOT_AGENT"],
  loginVariables: ["COPILOT_GITHUB_TOKEN", "GH_TOKEN", "GITHUB_TOKEN"],
  renameLogin,
  hideFromTools: (variables) => [`--secret-env-vars=${variables.join(",")}`],
  unprotected: "reading a background shell's output does not trigger a hook",
  nativeProgram: [
    `../copilot-${process.platform}-${process.arch}/copilot`,
    `node_modules/@github/copilot-${process.platform}-${process.arch}/copilot`,
  ],
};

const FILES = [
  {
    path: "/etc/github-copilot/managed-settings.json",
    // Copilot accepts several spellings of these keys.
    off: /"(?:disable_?all_?hooks|allow_?managed_?hooks_?only)"\s*:\s*true/i,
  },
];

export const copilotManaged = (root: string): ManagedSwitch | undefined => findManaged(FILES, root);
