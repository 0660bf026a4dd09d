import { wordList } from "../../lib/text/shell-words.ts";
import { type Agent, ARGV_LIMIT } from "../pack/agent.ts";

const executing = (flags: readonly string[]) =>
  flags[0] === "exec" || flags[0] === "e" ? [...flags] : ["exec", ...flags];

const TRIPLES: Record<string, string> = {
  "linux-x64": "x86_64-unknown-linux-musl",
  "linux-arm64": "aarch64-unknown-linux-musl",
  "darwin-x64": "x86_64-apple-darwin",
  "darwin-arm64": "aarch64-apple-darwin",
};

const platform = `${process.platform}-${process.arch}`;
const nativeProgram = `codex-${platform}/vendor/${TRIPLES[platform] ?? platform}/bin/codex`;

export const codex: Agent = {
  name: "codex",
  title: "Codex CLI",
  binary: "codex",
  install: "npm install -g @openai/codex",
  knownPlaces: ["~/.local/bin", "~/.npm-global/bin", "/usr/local/bin", "/opt/homebrew/bin"],
  channels: {
    argv: {
      limit: ARGV_LIMIT,
      argv: (flags, prompt) => [...executing(flags), "--", prompt],
      evidence: "64 KiB identical in the model request (0.166.0)",
    },
    stdin: {
      limit: { unit: "characters", most: 1_048_576 },
      argv: (flags) => [...executing(flags), "-"],
      evidence: "64 KiB and 900 KiB identical in the model request (0.166.0)",
    },
  },
  subcommands: wordList(`
    agents exec e review login logout mcp plugin app-server remote-control completion update doctor sandbox debug
    apply resume queue archive delete unarchive fork cloud exec-server mcp-server proto a migrate-rollouts
    migrate-nfs-db features help
  `),
  toolFree: wordList(`
    login logout mcp plugin completion update doctor features help archive unarchive delete
  `),
  resume: (session) => ["resume", session],
  headlessFlags: {
    contained: [],
    guarded: ["--sandbox", "workspace-write"],
    unguarded: ["--sandbox", "workspace-write"],
  },
  valueFlags: wordList(`
    --add-dir --ask-for-approval -a --cd -C --color --config -c --disable --enable --image -i --local-provider
    --model -m --output-last-message -o --output-schema --profile -p --remote --remote-auth-token-env --sandbox -s
  `),
  promptFlags: [],
  protocolFlags: [],
  sessionVariables: ["CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED", "CODEX_THREAD_ID"],
  loginVariables: [],
  unprotected: "untrusted hooks are silently skipped",
  nativeProgram: [`../../${nativeProgram}`, `../node_modules/@openai/${nativeProgram}`],
};
