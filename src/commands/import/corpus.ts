import type { ForeignRule, ForeignRules, RuleSubject, TriedCall } from "../../contract/foreign-rule.ts";
import { shWord } from "../../lib/text/shell-words.ts";

/** A call of the check, and the rule it was made for. */
export interface CorpusCall extends TriedCall {
  readonly rule?: ForeignRule | undefined;
  /** The rule should match it. */
  readonly isMatch: boolean;
  /** The words of a rule in another form: behind a wrapper, quoted, beside other commands. */
  readonly isRespelled: boolean;
}

/** So many calls can be tried in a minute or two. */
const MAX_CALLS = 1500;

interface Corpus {
  readonly calls: readonly CorpusCall[];
  /** Calls beyond the limit. */
  readonly left: number;
}

/** Calls around every rule: what it matches first, then its neighbours, then other forms of the same words. */
export function corpusFor({ rules }: ForeignRules): Corpus {
  const made = rules.map((rule) => callsFor(rule));
  const ordered = [
    ...made.flatMap((calls) => calls.filter(({ isMatch }) => isMatch)),
    ...made.flatMap((calls) => calls.filter(({ isMatch, isRespelled }) => !isMatch && !isRespelled)),
    ...made.flatMap((calls) => calls.filter(({ isMatch, isRespelled }) => !isMatch && isRespelled)),
  ];
  const calls = [
    ...new Map(ordered.toReversed().map((call) => [`${call.tool} ${call.target}`, call])).values(),
  ].toReversed();
  return { calls: calls.slice(0, MAX_CALLS), left: Math.max(0, calls.length - MAX_CALLS) };
}

function callsFor(rule: ForeignRule): readonly CorpusCall[] {
  const { subject } = rule;
  const match = (call: TriedCall): CorpusCall => ({ ...call, rule, isMatch: true, isRespelled: false });
  switch (subject.kind) {
    case "command":
      return commandCalls(rule, subject);
    case "path":
      if (subject.sample === undefined) return [];
      return [match({ tool: subject.access === "read" ? "Read" : "Write", target: subject.sample })];
    case "host":
      return [match({ tool: "WebFetch", target: `https://${subject.host.replace(/^\*+\./, "sub.")}/` })];
    case "tool":
      return subject.name === "Bash" ? [match(plain(["some-program", "other"]))] : [];
    case "none":
      return [];
  }
}

const plain = (words: readonly string[]): TriedCall => ({
  tool: "Bash",
  target: words.map(shWord).join(" "),
  argv: words,
});

const MAX_ALTERNATIVES = 4;

function commandCalls(rule: ForeignRule, subject: Extract<RuleSubject, { kind: "command" }>): readonly CorpusCall[] {
  const bases = basesOf(subject.argv);
  const call = (tried: TriedCall, isMatch: boolean, isRespelled: boolean): CorpusCall => ({
    ...tried,
    rule,
    isMatch,
    isRespelled,
  });
  const samples = subject.match.map((target): TriedCall => ({ tool: "Bash", target, ...wordsIn(target) }));
  return [
    ...samples.map((sample) => call(sample, true, false)),
    ...subject.notMatch.map((target) => call({ tool: "Bash", target, ...wordsIn(target) }, false, false)),
    ...bases.flatMap((words) => [
      // A wildcard in a token is no command, and its samples are above.
      call(plain(words), subject.wider === undefined, false),
      ...neighbours(words).map((near) => call(plain(near), false, false)),
      ...respelled(words).map((other) => call(other, false, true)),
    ]),
  ];
}

const wordsIn = (target: string) => (/^[\w@%+=:,./ -]+$/.test(target) ? { argv: target.split(/ +/) } : {});

/** The words of a rule, with each of its alternatives once. */
function basesOf(argv: readonly (string | readonly string[])[]): readonly (readonly string[])[] {
  const most = Math.min(
    MAX_ALTERNATIVES,
    Math.max(...argv.map((token) => (typeof token === "string" ? 1 : token.length))),
  );
  return Array.from({ length: most }, (_, index) =>
    argv.map((token) => (typeof token === "string" ? token : (token[index % token.length] ?? "")).replaceAll("*", "x")),
  );
}

function neighbours(words: readonly string[]): readonly (readonly string[])[] {
  const front = words.slice(0, -1);
  const last = words.at(-1) ?? "";
  return [
    [...words, "other"],
    [...words, "--force"],
    [...words, "a/b", "-x"],
    [...front, `${last}x`],
    ...(front.length > 0 ? [front, [...front, "other"]] : []),
  ];
}

/** The same words where a rule of an agent may no longer see them, or no longer trusts what it sees. */
function respelled(words: readonly string[]): readonly TriedCall[] {
  const [first = "", ...rest] = words;
  const text = words.map(shWord).join(" ");
  const shell = (target: string): TriedCall => ({ tool: "Bash", target });
  return [
    plain([first, "-x", ...rest]),
    plain(["timeout", "5", ...words]),
    plain(["nice", ...words]),
    plain(["env", "NAME=value", ...words]),
    plain([`/usr/bin/${first}`, ...rest]),
    plain([`./${first}`, ...rest]),
    plain(["bash", "-c", text]),
    shell(`true && ${text}`),
    shell(`${text} | cat`),
    shell(`${text} > out.txt`),
    shell(`${text} &`),
    shell(`${text} {a,b}`),
    shell(`name=value; ${text}`),
    shell(`NAME=value ${text}`),
    shell(`(${text})`),
    shell(`if true; then ${text}; fi`),
    shell(`echo $(${text})`),
    shell(`${[first, ...rest.map((word) => `"${word}"`)].join(" ")}`),
  ];
}
