import { wordList } from "../../lib/text/shell-words.ts";
import { type Agent, ARGV_LIMIT } from "../pack/agent.ts";

const PRINT = ["-p", "--print"];

const printing = (flags: readonly string[]) =>
  flags.some((flag) => PRINT.includes(flag)) ? [...flags] : ["-p", ...flags];

export const claude: Agent = {
  name: "claude",
  title: "Claude Code",
  binary: "claude",
  install: "npm install -g @anthropic-ai/claude-code",
  knownPlaces: ["~/.local/bin", "~/.claude/local", "/usr/local/bin", "/opt/homebrew/bin"],
  channels: {
    argv: {
      limit: ARGV_LIMIT,
      argv: (flags, prompt) => [...printing(flags), "--", prompt],
      evidence: "64 KiB and 131,071 bytes identical in the model request (2.1.325)",
    },
    stdin: {
      limit: { unit: "bytes", most: 10 * 1024 * 1024 },
      argv: (flags) => printing(flags),
      evidence: "64 KiB and 900 KiB identical in the model request, 10,485,760 bytes taken, one more refused (2.1.325)",
    },
  },
  subcommands: wordList(`
    agents attach auth auto-mode doctor gateway import install logs mcp plugin plugins purge respawn
    remote-control rm setup-token stop kill ultrareview update upgrade
  `),
  toolFree: wordList(`
    auth doctor import install mcp plugin plugins purge setup-token update upgrade logs
  `),
  toolFreeFlags: wordList(`
    --all --available --callback-port --claudeai --client-id --client-secret --config --console --dry-run --email
    --env -e --force --header -H --help -h --json --keep-data --marketplace --no-browser --prune --scope -s
    --sparse --sso --text --transport -t --yes -y
  `),
  // Letters can be combined: -pc is -p and -c.
  unattendedFlags: /^(?:-[A-Za-z]*p|--print|--init-only|--sdk-url)/,
  resume: (session) => ["--resume", session],
  headlessFlags: {
    contained: ["--permission-mode", "acceptEdits", "--allowedTools", "WebFetch,WebSearch"],
    guarded: ["--permission-mode", "acceptEdits", "--allowedTools", "Bash,WebFetch,WebSearch"],
    unguarded: ["--permission-mode", "acceptEdits"],
  },
  limitFlags: { maxTurns: "--max-turns", maxBudgetUsd: "--max-budget-usd" },
  valueFlags: wordList(`
    --add-dir --agent --agents --allowedTools --allowed-tools --append-system-prompt --append-system-prompt-file
    --autocompact --betas --debug-file --disallowedTools --disallowed-tools --effort --environment
    --fallback-model --file --input-format --json-schema --max-budget-usd --max-turns --mcp-config --model --name
    -n --output-format --permission-mode --permission-prompt-tool --permission-prompts --plugin-dir --plugin-url
    --resume -r --session-id --setting-sources --settings --system-prompt --system-prompt-file --tools
  `),
  promptFlags: [],
  protocolFlags: ["--input-format stream-json", "--sdk-url"],
  sessionVariables: wordList(`
    CLAUDECODE CLAUDE_CODE_ENTRYPOINT CLAUDE_CODE_SESSION CLAUDE_CODE_SESSION_ID CLAUDE_CODE_SSE_PORT
    CLAUDE_CODE_MESSAGING_SOCKET CLAUDE_CODE_MESSAGING_TOKEN CLAUDE_SESSION_ID CLAUDE_PROJECT_DIR
  `),
  loginVariables: [],
  promptTraps: (prompt) => [
    ...(/^\/[A-Za-z]/.test(prompt)
      ? [
          "the prompt starts with '/': Claude Code runs such a word as its own command; put a space before it to send it as text",
        ]
      : []),
    ...(/(^|\s)@[/~.\w]/.test(prompt)
      ? ["the prompt names a file with '@': Claude Code reads such files before any rule is asked"]
      : []),
  ],
  unprotected: "'@file' in a prompt is read before any hook; --bare and --safe-mode switch hooks off",
};
