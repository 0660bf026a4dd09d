import { validateHeaderName, validateHeaderValue } from "node:http";
import { parse } from "yaml";
import * as z from "zod";
import { readBoundedText } from "../../lib/files/read-file.ts";
import { messageOf, UserError } from "../../lib/text/user-error.ts";

/** Why an answer ends, in our own terms; each wire has its own. */
export const Stop = z.enum(["end", "calls", "length", "refusal"]);

export type Stop = z.infer<typeof Stop>;

const StatusFailure = z.strictObject({
  status: z.int().min(200).max(599),
  body: z.unknown().optional(),
  headers: z.record(z.string().refine(isHeaderName), z.string().refine(isHeaderValue)).default({}),
});

const CutFailure = z.strictObject({ cut: z.int().min(0) });

const HangFailure = z.strictObject({ hang: z.literal(true) });

/** What an attempt at a turn gets instead of the answer. */
export const Failure = z.union(
  [StatusFailure, CutFailure, HangFailure],
  "a failure is { status, body?, headers? } or { cut: N } or { hang: true }",
);

export type Failure = z.infer<typeof Failure>;

const Texts = z
  .union([z.string(), z.array(z.string())], "a text or a list of texts")
  .transform((texts) => [texts].flat());

/** What a request must satisfy for its turn to be played. */
export const Expect = known({
  contains: Texts.default([]),
  not_contains: Texts.default([]),
  tools: z.array(z.string()).default([]),
  matches: z.string().refine(isRegExp, "not a regular expression").optional(),
});

export type Expect = z.infer<typeof Expect>;

const Call = known({
  name: z.string().min(1),
  input: z
    .union([z.string(), z.record(z.string(), z.unknown())], "an object, or a text for a free-text tool")
    .default({}),
  id: z.string().min(1).optional(),
});

const Milliseconds = z.int().min(0).max(600_000).default(0);

/** One answer of the model. `shell` is short for a call of whichever shell tool the request offers. */
export const Turn = known({
  text: z.string().optional(),
  thinking: z.string().default(""),
  shell: Texts.default([]),
  calls: z.array(Call).default([]),
  stop: Stop.optional(),
  usage: known({ input: z.int().min(0).optional(), output: z.int().min(0).optional() }).default({}),
  delay_ms: Milliseconds,
  chunk_delay_ms: Milliseconds,
  failures: z.array(Failure).default([]),
  expect: Expect.optional(),
}).refine(
  (turn) => turn.text !== undefined || turn.thinking !== "" || turn.calls.length + turn.shell.length > 0,
  'a turn needs text, thinking, shell or calls (text: "" for an empty answer)',
);

export type Turn = z.infer<typeof Turn>;

const Turns = z.array(Turn).min(1);

const ScriptScene = known({
  when: known({ contains: z.string().min(1) }).optional(),
  turns: Turns,
  after: Turn.optional(),
});

/**
 * A script: the first scene whose `when` matches the start of the conversation is played; `turns` alone is one scene.
 * Parsing is idempotent.
 */
export const Script = known({
  scenes: z.array(ScriptScene).min(1).optional(),
  turns: Turns.optional(),
  after: Turn.prefault({ text: "done" }),
  side: z.string().default("ok"),
}).transform(({ scenes, turns, after, side }, context) => {
  if ((scenes === undefined) === (turns === undefined)) {
    context.addIssue("a script has either `scenes` or `turns`");
    return z.NEVER;
  }
  const played = scenes ?? [{ turns: turns ?? [], when: undefined, after: undefined }];
  return { side, scenes: played.map((scene) => ({ ...scene, after: scene.after ?? after })) };
});

export type Script = z.output<typeof Script>;

export type ScriptInput = z.input<typeof Script>;

export type ScriptScene = Script["scenes"][number];

/** An object that rejects unknown keys, and lists the known ones. */
function known<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === "unrecognized_keys"
        ? `unknown key ${(issue.keys ?? []).join(", ")}; the keys here are ${Object.keys(shape).join(", ")}`
        : undefined,
  });
}

function isHeaderName(name: string): boolean {
  return succeeds(() => validateHeaderName(name));
}

function isHeaderValue(value: string): boolean {
  return succeeds(() => validateHeaderValue("x", value));
}

function isRegExp(source: string): boolean {
  return succeeds(() => new RegExp(source, "u"));
}

function succeeds(attempt: () => void): boolean {
  try {
    attempt();
    return true;
  } catch {
    return false;
  }
}

const MAX_BYTES = 16 * 1024 * 1024;

/** The script in a YAML or JSON file. Any mistake in it is a UserError that says where. */
export function loadScript(file: string): Script {
  return parseScript(read(file), file);
}

/** The script in a text; `where` names the text in errors. */
export function parseScript(text: string, where: string): Script {
  const parsed = Script.safeParse(parseYaml(text, where));
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map((issue) => `${placeOf(issue.path)}: ${issue.message}`);
  throw new UserError(`invalid script\n    ${problems.join("\n    ")}`, {
    where,
    fix: "fix these places; see docs/scripted-model.md for every key",
  });
}

function read(file: string): string {
  try {
    return readBoundedText(file, MAX_BYTES);
  } catch (cause) {
    const reason = messageOf(cause);
    throw new UserError(`cannot read the script: ${reason}`, {
      where: file,
      fix: "pass --script a YAML or JSON file",
      cause,
    });
  }
}

function parseYaml(text: string, where: string): unknown {
  try {
    return parse(text, { logLevel: "error" });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.trim() : String(cause);
    const fix = "fix the file at that position";
    throw new UserError(`the script is neither YAML nor JSON: ${reason}`, { where, fix, cause });
  }
}

/** `scenes[0].turns[2].text`; a mistake in the whole file is at `the top`. */
function placeOf(path: readonly PropertyKey[]): string {
  const place = path.map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`)).join("");
  return place === "" ? "the top" : place.replace(/^\./, "");
}
