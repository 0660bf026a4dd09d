import type { Command } from "commander";
import type { CommandModule, SubVerbHelp } from "../command-module.ts";
import { once } from "../flags.ts";
import { subVerbsText } from "../sub-help.ts";
import { subVerb } from "../sub-verbs.ts";
import { add, remove } from "./change.ts";
import { list } from "./list.ts";
import { login } from "./login.ts";
import { probe } from "./probe.ts";

const HELP: Readonly<Record<string, SubVerbHelp>> = {
  list: {
    usage: "[--json]",
    summary: "list the servers used here, and why others are not",
    flags: ["--json"],
    examples: ["signalbox mcp list"],
  },
  add: {
    usage: "NAME [flags] [-- PROGRAM ARGUMENTS]",
    summary: "add a server: a program, or an address with --url",
    flags: ["--url", "--sse", "--header", "--env", "--project", "--json"],
    examples: [
      "signalbox mcp add files -- npx -y @modelcontextprotocol/server-filesystem .",
      "signalbox mcp add tracker --env TRACKER_TOKEN='${TRACKER_TOKEN}' -- tracker-mcp",
      "signalbox mcp add docs --url https://example.com/mcp",
    ],
    more: "Writes ~/.signalbox/mcp.json, or with --project .signalbox/mcp.json, which counts once you trust it.\n${NAME} in a value is replaced by your variable when the server is used, so that no secret is in the file.",
  },
  remove: {
    usage: "NAME [--project] [--json]",
    summary: "remove a server",
    flags: ["--project", "--json"],
    examples: ["signalbox mcp remove files"],
  },
  test: {
    usage: "NAME [--json]",
    summary: "start a server in the sandbox and show its tools",
    flags: ["--json"],
    examples: ["signalbox mcp test files"],
  },
  login: {
    usage: "NAME|ADDRESS",
    summary: "log in to a server that wants it (OAuth)",
    flags: [],
    examples: ["signalbox mcp login docs"],
  },
};

const many = (value: string, before: readonly string[] = []) => [...before, value];

/** `signalbox mcp`: the MCP servers whose tools the engine offers. */
export const command: CommandModule = {
  subVerbs: HELP,
  firstWords: () => Object.keys(ACTIONS),
  takesPassed: true,

  configure(command: Command) {
    command
      .argument("<what>", "list, add, remove, test or login")
      .argument("[name]", "the name of a server")
      .option("--url <url>", "add: the address of a server that runs already", once)
      .option("--sse", "add: it speaks the older SSE transport")
      .option("--header <line>", "add: a header for it, as 'Name: value' (may be repeated)", many)
      .option("--env <pair>", "add: a variable for the program, as NAME=VALUE (may be repeated)", many)
      .option("--project", "add, remove: in .signalbox/mcp.json of this repository")
      .option("--json", "print JSON")
      .addHelpText(
        "after",
        `${subVerbsText(HELP, ["signalbox mcp add files -- npx -y @modelcontextprotocol/server-filesystem .", "signalbox mcp test files"])}

Exit codes: 0 done  1 the server does not work  2 wrong usage, unknown name or broken file
            3 refused: not trusted, or inside a session`,
      );
  },

  async run(input) {
    return await subVerb("mcp", input.words[0], ACTIONS)(input);
  },
};

const ACTIONS = { list, add, remove, test: probe, login };
