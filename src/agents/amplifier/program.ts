import { wordList } from "../../lib/text/shell-words.ts";
import { type Agent, ARGV_LIMIT } from "../pack/agent.ts";

const running = (flags: readonly string[]) => (flags[0] === "run" ? [...flags] : ["run", ...flags]);

export const amplifier: Agent = {
  name: "amplifier",
  title: "Microsoft Amplifier",
  binary: "amplifier",
  install: "uv tool install git+https://github.com/microsoft/amplifier",
  knownPlaces: ["~/.local/bin", "/usr/local/bin", "/opt/homebrew/bin"],
  channels: {
    argv: {
      limit: ARGV_LIMIT,
      argv: (flags, prompt) => [...running(flags), ...(prompt.startsWith("-") ? ["--"] : []), prompt],
      evidence: "documented shape: amplifier run [OPTIONS] [PROMPT]",
    },
  },
  refusedModes: {
    modes: ["tempfile", "stdin"],
    because: "Amplifier documents only `amplifier run [OPTIONS] [PROMPT]`, and no other channel has been verified",
  },
  subcommands: wordList(`
    run continue session bundle provider module init update reset version source tool agents allowed-dirs
    denied-dirs notify routing
  `),
  toolFree: [],
  headlessFlags: { contained: [], guarded: [], unguarded: [] },
  valueFlags: wordList(`
    --bundle -B --provider -p --model -m --max-tokens --mode --resume --output-format
  `),
  promptFlags: [],
  protocolFlags: [],
  sessionVariables: ["AMPLIFIER_SESSION"],
  loginVariables: [],
  unprotected: "it has no hook that can block a tool call",
};
