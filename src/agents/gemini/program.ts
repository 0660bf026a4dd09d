import { wordList } from "../../lib/text/shell-words.ts";
import { type Agent, ARGV_LIMIT } from "../pack/agent.ts";

export const gemini: Agent = {
  name: "gemini",
  title: "Gemini CLI",
  binary: "gemini",
  install: "npm install -g @google/gemini-cli",
  knownPlaces: ["~/.local/bin", "~/.npm-global/bin", "/usr/local/bin", "/opt/homebrew/bin"],
  channels: {
    argv: {
      limit: ARGV_LIMIT,
      // In one word, because Gemini mistakes a prompt with a leading `-` for a flag.
      argv: (flags, prompt) => [...flags, `--prompt=${prompt}`],
      evidence: "64 KiB identical in the model request (0.61.0)",
    },
    stdin: {
      limit: { unit: "bytes", most: 8 * 1024 * 1024 },
      argv: (flags) => [...flags],
      evidence: "64 KiB identical in the model request; cut without an error above 8 MiB (0.61.0)",
    },
  },
  subcommands: ["mcp", "extensions", "extension", "skills", "skill", "hooks", "hook", "gemma"],
  toolFree: ["mcp", "extensions", "extension", "skills", "skill", "hooks", "hook"],
  resume: (session) => ["--resume", session],
  headlessFlags: {
    contained: ["--approval-mode=yolo"],
    guarded: ["--approval-mode=yolo"],
    unguarded: ["--approval-mode=auto_edit"],
  },
  valueFlags: wordList(`
    --admin-policy --allowed-mcp-server-names --allowed-tools --approval-mode --delete-session --extensions -e
    --include-directories --model -m --output-format -o --policy --resume -r --session-file --session-id
    --worktree -w
  `),
  promptFlags: ["-p", "--prompt", "-i", "--prompt-interactive"],
  protocolFlags: ["--acp", "--experimental-acp"],
  sessionVariables: ["GEMINI_CLI", "GEMINI_CLI_NO_RELAUNCH", "GEMINI_SESSION_ID", "GEMINI_PROJECT_DIR"],
  loginVariables: [],
  promptTraps: (prompt) => [
    ...(/^\/[A-Za-z]/.test(prompt)
      ? [
          "the prompt starts with '/': Gemini CLI replaces such a word by a command of the same name, and runs what is in its !{...}; put a space before it to send it as text",
        ]
      : []),
    ...(/(^|\s)@[/~.\w]/.test(prompt)
      ? ["the prompt names a file with '@': Gemini CLI reads such files before any rule is asked"]
      : []),
  ],
  unprotected: "'@file' in a prompt and imports in GEMINI.md are read before any hook; --acp calls no hooks",
};
