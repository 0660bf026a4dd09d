import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { DeliveryPlan } from "../contract/delivery.ts";
import { EXIT, UserError } from "../lib/user-error.ts";
import type { Agent } from "./pack/agent.ts";
import { planDelivery, type PromptSize, requestedMode } from "./plan-delivery.ts";

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
function promptText(prompt: Buffer): string {
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
