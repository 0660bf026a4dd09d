import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Channel, ChannelLimit, DeliveryMode, DeliveryPlan } from "../contract/agent.ts";
import { EXIT, UserError } from "../lib/text/user-error.ts";
import type { Agent } from "./pack/agent.ts";

interface Request {
  readonly agent: Agent;
  /** The agent's own flags, without the prompt. */
  readonly flags: readonly string[];
  readonly prompt: Buffer;
  readonly env: NodeJS.ProcessEnv;
  /** A private folder that is removed after the agent has ended. */
  readonly folder: string;
}

export interface Delivery {
  readonly argv: readonly string[];
  /** Write all of it to the agent's stdin, then close it. Undefined when the prompt is not passed on stdin. */
  readonly stdin?: Buffer;
  readonly plan: DeliveryPlan;
}

/**
 * Turns a prompt into the argv and stdin of an agent's process. No other code passes prompts to agents.
 * Refuses before it writes anything. A prompt file stays in `folder` until the folder's owner removes it.
 */
export function deliverPrompt({ agent, flags, prompt, env, folder }: Request): Delivery {
  const text = promptText(prompt);
  const requested = requestedMode(env);
  const planned = planDelivery(agent, requested.mode, promptSize(prompt));
  const plan = {
    ...planned,
    warnings: [...requested.warnings, ...planned.warnings, ...(agent.promptTraps?.(text) ?? [])],
  };

  const shape = plan.selected === null ? undefined : agent.channels[plan.selected];
  if (plan.selected === null || shape === undefined) {
    const [what = "", fix = ""] = (plan.error ?? "").split("; ");
    throw new UserError(what, {
      where: `a prompt of ${prompt.length} bytes for ${agent.name}`,
      fix,
      exitCode: EXIT.refused,
    });
  }
  switch (plan.selected) {
    case "argv":
      return { argv: shape.argv(flags, text), plan };
    case "stdin":
      return { argv: shape.argv(flags, ""), stdin: prompt, plan };
    case "tempfile": {
      const path = join(folder, "prompt.txt");
      writeFileSync(path, prompt, { mode: 0o600, flag: "wx" });
      return { argv: shape.argv(flags, path), plan };
    }
  }
}

/** The prompt as text that every channel passes unchanged. Throws an error that names the first invalid byte. */
export function promptText(prompt: Buffer): string {
  if (prompt.length === 0) {
    throw new UserError("the prompt is empty", { fix: "use -p TEXT, --prompt-file FILE or stdin" });
  }
  const nul = prompt.indexOf(0);
  if (nul !== -1) {
    throw new UserError("the prompt contains a NUL byte", {
      where: `byte ${nul}`,
      fix: "remove it: no agent accepts one",
    });
  }
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(prompt);
  const encoded = Buffer.from(text, "utf8");
  if (encoded.equals(prompt)) return text;
  const wrong = prompt.findIndex((byte, index) => encoded[index] !== byte);
  throw new UserError("the prompt is not valid UTF-8", {
    where: `byte ${wrong}`,
    fix: "convert it, for example with iconv -f latin1 -t utf-8",
  });
}

/** The two sizes that agents limit. A character is a code point. */
export function promptSize(prompt: Buffer): PromptSize {
  let characters = 0;
  for (const byte of prompt) if ((byte & 0xc0) !== 0x80) characters++;
  return { bytes: prompt.length, characters };
}

/** In `auto` mode, a prompt of at most this many bytes is passed in argv. */
export const AUTO_THRESHOLD = 4096;

const DELIVERY_VARIABLES = ["SIGNALBOX_PROMPT_DELIVERY", "AMPLIHACK_PROMPT_DELIVERY"] as const;

const MODES = ["auto", "argv", "tempfile", "stdin"] as const satisfies readonly DeliveryMode[];

/** The channels to try for each request, in order. A request for stdin never becomes a file. */
const ORDER: Record<Channel, readonly Channel[]> = {
  argv: ["argv", "tempfile", "stdin"],
  tempfile: ["tempfile", "stdin", "argv"],
  stdin: ["stdin", "argv"],
};

export interface PromptSize {
  readonly bytes: number;
  readonly characters: number;
}

/** The mode that the environment requests. An unknown one means `auto`, with a warning. */
export function requestedMode(env: NodeJS.ProcessEnv): { mode: DeliveryMode; warnings: string[] } {
  const variable = DELIVERY_VARIABLES.find((name) => (env[name] ?? "").trim() !== "");
  if (variable === undefined) return { mode: "auto", warnings: [] };
  const mode = parseMode(env[variable] ?? "");
  if (mode !== undefined) return { mode, warnings: [] };
  return { mode: "auto", warnings: [`${variable} is set to an unknown mode; using auto (known: ${MODES.join(", ")})`] };
}

/** Parses a mode, ignoring case; undefined if it is unknown. */
export function parseMode(text: string): DeliveryMode | undefined {
  const wanted = text.trim().toLowerCase();
  return MODES.find((mode) => mode === wanted);
}

/** How a prompt of this size is passed to the agent. Pure: the same for a launch, `prompt-plan` and `doctor`. */
export function planDelivery(agent: Agent, requested: DeliveryMode, size: PromptSize): DeliveryPlan {
  const plan = planFromTable(agent, requested, size);
  const refused = agent.refusedModes;
  if (requested === "auto" || refused === undefined || !refused.modes.includes(requested)) return plan;
  const error = `${agent.name} refuses ${requested} delivery: ${refused.because}; use auto or argv`;
  return { ...plan, selected: null, warnings: [], error };
}

/** The plan from the table, ignoring the agent's refused modes. `doctor` shows both. */
export function planFromTable(agent: Agent, requested: DeliveryMode, size: PromptSize): DeliveryPlan {
  const order = requested === "auto" ? ORDER[size.bytes <= AUTO_THRESHOLD ? "argv" : "tempfile"] : ORDER[requested];
  const supported = order.filter((channel) => agent.channels[channel] !== undefined);
  const refuse = (error: string): DeliveryPlan => ({
    agent: agent.name,
    requested,
    selected: null,
    warnings: [],
    error,
  });

  if (requested !== "auto" && supported[0] === requested && !fits(agent, requested, size)) {
    return refuse(`${requested} cannot deliver this prompt: ${limitsOf(agent, [requested])}; ${otherWay(agent, size)}`);
  }
  const selected = supported.find((channel) => fits(agent, channel, size));
  if (selected === undefined)
    return refuse(`no delivery mode can carry this prompt: ${limitsOf(agent, supported)}; ${otherWay(agent, size)}`);

  const degraded = requested !== "auto" && selected !== requested;
  const warnings = degraded ? [`requested ${requested} is unsupported by ${agent.name}; using ${selected}`] : [];
  return { agent: agent.name, requested, selected, warnings };
}

function fits(agent: Agent, channel: Channel, size: PromptSize): boolean {
  const limit = agent.channels[channel]?.limit;
  return limit !== undefined && size[limit.unit] <= limit.most;
}

function limitsOf(agent: Agent, channels: readonly Channel[]): string {
  const describe = (channel: Channel, limit: ChannelLimit | undefined) =>
    `${agent.name} accepts at most ${limit?.most.toLocaleString("en")} ${limit?.unit} by ${channel}`;
  return channels.map((channel) => describe(channel, agent.channels[channel]?.limit)).join(", ");
}

function otherWay(agent: Agent, size: PromptSize): string {
  const channel = ORDER.tempfile.find((candidate) => fits(agent, candidate, size));
  return channel === undefined ? "shorten it, or put it in a file and mention that file" : `use ${channel} or auto`;
}

const INFORMATION = ["--version", "-v", "-V", "--help", "-h"];

/** Subcommands of a tool-free word that serve the agent's tools to another program, or let it work on tasks. */
const WORKING = ["serve", "eval"];

/** True for an agent's command that runs no tools. False in case of doubt. */
export function runsNoTools(agent: Agent, flags: readonly string[], hasPrompt: boolean): boolean {
  if (hasPrompt) return false;
  const [first = "", ...rest] = flags;
  if (rest.length === 0 && INFORMATION.includes(first)) return true;
  if (!agent.toolFree.includes(first) || rest.some((word) => WORKING.includes(word))) return false;
  const known = agent.toolFreeFlags;
  if (known === undefined) return true;
  return !rest.some((word) => agent.unattendedFlags?.test(word)) && flagsOf(rest).every((flag) => known.includes(flag));
}

/** The flags before a `--`, without values in the same word. A `--` right after a flag may be that flag's value. */
function flagsOf(words: readonly string[]): readonly string[] {
  const isFlag = (word: string | undefined) => word?.startsWith("-") === true;
  const end = words.findIndex((word, index) => word === "--" && !isFlag(words[index - 1]));
  return words
    .slice(0, end === -1 ? words.length : end)
    .filter(isFlag)
    .map((word) => word.split("=")[0] ?? "");
}
