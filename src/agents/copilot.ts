import { type Agent, ARGV_LIMIT } from "./agent.ts";

/** The prompt stands before a `--`: after it, `-p` would be no option. */
export function withPrompt(flags: readonly string[], prompt: string): string[] {
  const end = flags.includes("--") ? flags.indexOf("--") : flags.length;
  return flags.toSpliced(end, 0, "-p", prompt);
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
  subcommands: [
    "app",
    "login",
    "logout",
    "help",
    "init",
    "config",
    "update",
    "version",
    "workflow",
    "sessions",
    "memories",
    "plugin",
    "mcp",
    "skill",
    "instruction",
    "lsp",
    "sandbox",
    "completion",
  ],
  loginVariables: ["COPILOT_GITHUB_TOKEN", "GH_TOKEN", "GITHUB_TOKEN"],
  hideFromTools: (variables) => [`--secret-env-vars=${variables.join(",")}`],
  unprotected: "a hook that times out lets the call run; a trusted folder can switch hooks off",
  nativeProgram: [
    `../copilot-${process.platform}-${process.arch}/copilot`,
    `node_modules/@github/copilot-${process.platform}-${process.arch}/copilot`,
  ],
};
