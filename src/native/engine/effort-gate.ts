import { PLAN_APPROVED } from "../../contract/engine-settings.ts";
import { gateReason } from "../../contract/gate-reason.ts";
import type { RecentWork } from "../../contract/work-metrics.ts";
import type { Gate } from "./gates.ts";

/**
 * Compares what was asked and what the answer claims with what was done. It objects only where the three contradict
 * each other beyond doubt; an answer that admits a gap passes. `isReadOnly` is true for a command that certainly changes
 * nothing. `ownTools` say themselves what they did; any other may have done anything.
 */
export const effortGate = (isReadOnly: (command: string) => boolean, ownTools: ReadonlySet<string>): Gate => ({
  name: "effort",
  exitCode: 9,
  most: EFFORT_BLOCKS,
  async check({ text, recent: work }) {
    const rule = brokenRule({ work, text, isReadOnly, ownTools });
    return rule && gateReason(rule.verdict, rule.advice);
  },
});

interface Facts {
  readonly work: RecentWork;
  readonly text: string;
  readonly isReadOnly: (command: string) => boolean;
  readonly ownTools: ReadonlySet<string>;
}

function brokenRule(facts: Facts): EffortRule | undefined {
  const kinds = taskKinds(facts.work.asked.join("\n"));
  if (kinds.size === 0 || admitsGap(facts.text)) return undefined;
  return EFFORT_RULES.find(({ tasks, claim, fewer: [measure, than] }) => {
    if (!tasks.some((kind) => kinds.has(kind))) return false;
    return (claim === undefined || CLAIMS[claim](facts.text)) && count(measure, facts) < than;
  });
}

const CLAIMS: Readonly<Record<Claim, (text: string) => boolean>> = {
  changed: (text) => claimsChange(text),
  "checks-pass": (text) => claimsChecksPass(text),
  "new-file": (text) => claimedFiles(text).length > 0,
};

/** What is not known counts as done. */
function count(measure: Measure, { work, text, isReadOnly, ownTools }: Facts): number {
  const others = work.calls.filter(({ name }) => !ownTools.has(name)).length;
  switch (measure) {
    case "changes":
      return work.written.size + others + unknownCommands(work, isReadOnly);
    case "commands":
      return work.commands + others;
    case "passes":
      return others + (work.lastCommand === "succeeded" ? 1 : 0);
    case "looks":
      return work.read.size + work.commands + others + work.calls.filter(({ name }) => LOOKING.has(name)).length;
    case "files": {
      const isWritten = (path: string) => [...work.written].some((written) => written.endsWith(`/${baseName(path)}`));
      return others + unknownCommands(work, isReadOnly) + (claimedFiles(text).every(isWritten) ? 1 : 0);
    }
  }
}

const LOOKING = new Set(["grep", "glob", "lsp", "task", "fetch", "web_search", "skill"]);

const baseName = (path: string) => path.slice(path.lastIndexOf("/") + 1);

/** Commands that may have changed something, those of sub-agents included. */
function unknownCommands({ commands, calls }: RecentWork, isReadOnly: Facts["isReadOnly"]): number {
  if (commands === 0) return 0;
  const looks = calls.filter(({ command }) => command !== undefined && isReadOnly(command)).length;
  return Math.max(0, commands - looks);
}

/** What is counted, since the prompt that is being worked on. */
type Measure = "changes" | "commands" | "passes" | "looks" | "files";

type Claim = "changed" | "checks-pass" | "new-file";

/** A session that does not look as if its task was done. Plain data: who counts and who reads the texts is elsewhere. */
interface EffortRule {
  readonly name: string;
  /** The tasks it is about. Questions are in none of them. */
  readonly tasks: readonly TaskKind[];
  /** What the answer must claim; absent: whatever it says. */
  readonly claim?: Claim;
  /** It applies when there are fewer of these. */
  readonly fewer: readonly [measure: Measure, than: number];
  /** What is wrong, for a person and the model. */
  readonly verdict: string;
  /** What the model should do. */
  readonly advice: string;
}

/** How often the gate may object in a row while nothing changes. A model that insists will not do better later. */
const EFFORT_BLOCKS = 3;

/** In the order they are asked; the first that applies decides. */
const EFFORT_RULES: readonly EffortRule[] = [
  {
    name: "nothing changed",
    tasks: ["change"],
    fewer: ["changes", 1],
    verdict: "the task asks for a change, and nothing was changed",
    advice:
      'Make the change now and check it. If nothing has to be changed, or if you cannot do it, answer with a line that begins with "No change:" and says why.',
  },
  {
    name: "claimed change",
    tasks: ["maybe-change"],
    claim: "changed",
    fewer: ["changes", 1],
    verdict: "the answer says that something was changed, and nothing was",
    advice:
      'Make the change now and check it. If nothing had to be changed, answer with a line that begins with "No change:" and says why.',
  },
  {
    name: "checks not run",
    tasks: ["change", "maybe-change", "run"],
    claim: "checks-pass",
    fewer: ["passes", 1],
    verdict: "the answer says that checks pass, but the last command failed or none was run",
    advice:
      'Run them now and report what they print. If you cannot run them, answer with a line that begins with "Not run:" and says why.',
  },
  {
    name: "nothing run",
    tasks: ["run"],
    fewer: ["commands", 1],
    verdict: "the task asks to run something, and no command was run",
    advice:
      'Run it now and report what it prints. If you cannot run it, answer with a line that begins with "Not run:" and says why.',
  },
  {
    name: "nothing read",
    tasks: ["review"],
    fewer: ["looks", 1],
    verdict: "the task asks for a review, and nothing was read",
    advice:
      'Read the files and then say what you found. If you cannot read them, answer with a line that begins with "Not done:" and says why.',
  },
  {
    name: "file missing",
    tasks: ["change", "maybe-change"],
    claim: "new-file",
    fewer: ["files", 1],
    verdict: "the answer says that a file was created, and it was not",
    advice: "Create it now, or correct what you said.",
  },
];

/**
 * What a task asks for, as far as its words say so: a change of the workspace, beyond doubt or probably, a command to be
 * run, a review of files. A question is none of them, and so is a task in words that are not known here.
 */
export type TaskKind = "change" | "maybe-change" | "run" | "review";

const MAX_TEXT = 20_000;

/** The kinds of a task, from the person's own words. Pasted code and piped text say nothing about what is asked. */
export function taskKinds(text: string): ReadonlySet<TaskKind> {
  const own = ownWords(text);
  const kinds = new Set<TaskKind>(own.includes(PLAN_APPROVED) ? ["change"] : []);
  if (LEAVES_ALONE.test(own)) return kinds;
  for (const sentence of own.split(/(?<=[.!?])\s+|\n+|;\s+/)) {
    const kind = sentenceKind(sentence.trim());
    if (kind !== undefined) kinds.add(kind);
  }
  // Whoever pasted what is to be reviewed does not ask for a file to be read.
  if (own.length !== text.length) kinds.delete("review");
  return kinds;
}

const ownWords = (text: string) =>
  text
    .slice(0, MAX_TEXT)
    .replaceAll(/<stdin>[^]*?(?:<\/stdin>|$)/g, "")
    .replaceAll(/```[^]*?(?:```|$)/g, "")
    .replaceAll(/^\s*>.*$/gm, "");

const LEAVES_ALONE =
  /\b(?:do not|don't|without)\s+(?:\w+\s+)?(?:chang|edit|modif|touch|writ)\w*\s+(?:any|anything|a|the\s+code|files?|code|it)\b|\bno\s+changes\b|\bread[- ]only\b|\bdry[- ]run\b|\b(?:just|only)\s+(?:tell|explain|answer|show|describe|list|plan|suggest|say)\b/i;

const QUESTION =
  /^(?:so\s+|and\s+|but\s+|ok(?:ay)?,?\s+|hi,?\s+|hey,?\s+)*(?:what|why|how|where|who|whose|which|when|is|are|was|were|am|does|do|did|has|have|had|should|shall|may|might|must|explain|describe|tell|show|list|summari[sz]e|compare|discuss|suggest|recommend|propose|think|imagine|find|give|outline|name|teach|if|when|i\s+(?:wonder|think|understand))\b/i;

const POLITE =
  /^(?:(?:ok(?:ay)?|hi|hey|hello|now|next|then|first|finally|also|please|kindly|just|go ahead and|let's|lets|so)\b[,:]?\s+)*(?:(?:can|could|would|will)\s+you\s+(?:please\s+)?|(?:i|we)\s+(?:want|need|would like|'d like)\s+(?:you\s+)?to\s+|you\s+(?:should|must|need to)\s+|(?:your|the)\s+task\s+is\s+to\s+)?(?:please\s+)?/i;

function sentenceKind(sentence: string): TaskKind | undefined {
  if (PASSES.test(sentence)) return "run";
  if (QUESTION.test(sentence)) return undefined;
  const bare = sentence.replace(POLITE, "");
  // A question that is no request in disguise.
  if (sentence.endsWith("?") && bare === sentence) return undefined;
  if (PASTED.test(bare)) return "maybe-change";
  const clauses = bare.split(/,?\s+(?:and|then)\s+(?:then\s+|also\s+)?|,\s+/i);
  for (const clause of clauses) {
    const change = changeKind(clause);
    if (change !== undefined) return change;
    if (RUN.test(clause)) return "run";
    if (REVIEW.test(clause) && PATH.test(clause)) return "review";
  }
  return WANTS.test(sentence) ? "maybe-change" : undefined;
}

/** What is to be changed stands behind the colon, not in a file. */
const PASTED =
  /^\w+(?:\s+up)?\s+(?:this|these|my|the\s+following)\s+(?:\w+\s+){0,2}?(?:text|prompt|sentence|paragraph|english|german|french|spanish|grammar|spelling|wording|message|title|quer(?:y|ies)|sql|regex|json|yaml|xml|html|css|list|date|expression|snippet|one-liner|command|lines?):\s/i;

/** How something ought to be. */
const WANTS =
  /\b(?:should|must|needs?\s+to|has\s+to|instead\s+of)\b|^(?:get|let|try|use|turn|bring|do|sort|solve|increase|decrease|reduce|ensure|make\s+sure)\b/i;

/** Whoever asks this wants somebody to run them. */
const PASSES =
  /^do(?:es)?\s+(?:all\s+|the\s+|my\s+|our\s+|unit\s+|integration\s+)*(?:tests?|build|suite|linter?)\b(?:\s+\w+)?\s+(?:still\s+|all\s+)?(?:pass|succeed|compile)\b/i;

const RUN =
  /^(?:re-?)?(?:run|execute)\s+(?:\w+\s+){0,3}?(?:tests?|build|suite|linter?|checks?|benchmarks?|type-?check|npm|pnpm|yarn|make|pytest|cargo|go test|`[^`]+`)(?:\s|$|[.,!`])/i;

const REVIEW = /^(?:review|audit|inspect|proofread)\b/i;

const PATH = /(?:^|[\s`'"(])(?:[\w@.-]+\/)*[\w@-]+\.[a-z][a-z0-9]{0,5}(?=$|[\s`'"),:;.!?])|`[^`\s]+\/[^`\s]*`/i;

/** Verbs that leave no doubt that something is to be changed. */
const STRONG =
  /^(?:fix|implement|refactor|rename|delete|remove|replace|migrate|port|upgrade|downgrade|bump|rewrite|revert|uninstall|install|deprecate|modify|edit|insert|append|repair|patch|carry\s+out|set\s+up|clean\s+up|wire\s+up|hook\s+up)\b/i;

/** Verbs that may also ask for a text. */
const WEAK =
  /^(?:add|write|create|make|generate|build|update|change|improve|optimi[sz]e|convert|complete|finish|extend|document|format|simplify|speed\s+up|introduce|support|handle|switch|adjust|cover|move|split|merge|extract|enable|disable|configure|resolve|correct|apply|commit)\b/i;

const PROJECT_OBJECT =
  /\b(?:tests?|files?|script|module|component|endpoint|route|feature|flag|option|subcommand|config(?:uration)?|dependenc(?:y|ies)|packages?|readme|docs|documentation|changelog|migration|handler|workflow|pipeline|ci|bug|issue|linter?|build|imports?|exports?|validation|error\s+handling|logging|retr(?:y|ies)|timeout|cache|caching|repo(?:sitory)?|branch|folder|directory|codebase|button|page|form|api|class|parser|database|server|cli)\b/i;

const TEXT_OBJECT =
  /^\w+(?:\s+\w+)??\s+(?:\w+\s+){0,3}?(?:summary|plan|list|poem|haiku|limerick|story|e-?mail|explanation|overview|outline|regex|joke|sentence|paragraph|names?|message|review|comparison|suggestions?|proposal|estimate|description|diagram|title|tweet|letter|essay|answer|guess|decision|recommendation|analysis|table|checklist|announcement|post|notes|sense|sure|example|one-liner|snippet|pseudo-?\s?code|data|model|guide|tutorial)\b|^\w+\s+me\b|^(?:document|write\s+down)\s+(?:what|how|why)\b/i;

const WRITTEN_TO = /\b(?:to|into|as)\s+(?:the\s+|a\s+|our\s+)?(?:file\s+|new\s+file\s+)?(?=\S)/i;

/** What is taken out of a file may be meant for the answer. */
const COPIES_OUT = /^extract\b(?!.*\s(?:in)?to\s)/i;

const PROSE =
  /^(?:\w+\s+){1,3}(?:my|your)\s+(?:understanding|doubts?|last|points?|view|mind|prompt|question)\b|\b(?:sentence|paragraph|grammar|wording|poem|essay|letter|phrase|instructions|your\s+(?:last\s+)?(?:answer|reply|message|text|list|summary))\b/i;

/** The verb is talked about, or is a noun. */
const NO_OBJECT =
  /^\w+:|^patch\s+notes\b|^add\s+up\b|^\w+\s+(?:vs\.?|versus|or|in|for|of|from\s+my|your\s+answer)(?:\s|$)/i;

function changeKind(clause: string): "change" | "maybe-change" | undefined {
  if (NO_OBJECT.test(clause) || PROSE.test(clause)) return undefined;
  const isNamed = PATH.test(clause);
  if (STRONG.test(clause)) return isNamed || PROJECT_OBJECT.test(clause) ? "change" : "maybe-change";
  if (!WEAK.test(clause)) return undefined;
  // "A list of the classes in a.ts" and "a list in LIST.md" look the same.
  if (TEXT_OBJECT.test(clause)) return isWrittenDown(clause) ? "change" : isNamed ? "maybe-change" : undefined;
  return isNamed && !COPIES_OUT.test(clause) ? "change" : "maybe-change";
}

/** A text is asked for, and the file that it goes to is named. */
function isWrittenDown(clause: string): boolean {
  const to = WRITTEN_TO.exec(clause);
  return to !== null && PATH.test(` ${clause.slice(to.index + to[0].length).split(/\s/, 1)[0] ?? ""}`);
}

/** What an answer says about itself. Each is read sentence by sentence, and a sentence with an "if" claims nothing. */

const MAX_ANSWER = 40_000;

const sentences = (text: string) =>
  text
    .slice(-MAX_ANSWER)
    .replaceAll(/```[^]*?(?:```|$)/g, "")
    .split(/(?<=[.!?])\s+|\n+/);

const SUBJECT =
  "(?:tests?|test suite|suite|checks?|builds?|lint(?:er|ing)?|type-?check(?:s|ing)?|compilation|specs?|CI)";

const CHECKS_PASS = new RegExp(
  [
    `\\b${SUBJECT}\\b[^,;]{0,40}\\b(?:pass(?:es|ed|ing)?|succeed(?:s|ed)?|(?:is|are) (?:now )?(?:green|clean)|compiles?)\\b`,
    `\\b(?:passes|passed|passing)\\b[^,;]{0,20}\\b(?:all|the)\\b[^,;]{0,12}\\b${SUBJECT}\\b`,
    `\\b\\d+ (?:of \\d+ )?(?:tests? )?pass(?:ed|ing)\\b`,
    `\\bran (?:all )?(?:the |your |our )?(?:full |whole |unit )?${SUBJECT}\\b`,
    `✅[^\\n]{0,20}\\b${SUBJECT}\\b`,
  ].join("|"),
  "i",
);

const HEDGE =
  /\b(?:not|never|no|n't|if|when|once|until|unless|should|would|will|could|can|may|might|must|so that|make sure|ensure|before|after you|please|fail(?:s|ed|ing)?|previously|expected to|want|whether)\b|n't\b|\?$/i;

/** A result with failures: what passes besides them is no claim that all is well. */
const FAILURES =
  /\b(?:[1-9][\d,]*|one|two|three|four|five|some|several)\s+(?:\w+\s+){0,2}?fail(?:s|ed|ing|ures?)?\b|\bfail(?:s|ed|ing|ures?)?\W{1,6}[1-9]/i;

const OVER = /\b(?:before|previously|earlier|formerly|no longer|now|fixed|were|was)\b/i;

/** True when it says that tests, a build or a linter succeeded, and not that others fail. */
export const claimsChecksPass = (text: string): boolean =>
  sentences(text).some((sentence) => CHECKS_PASS.test(sentence) && !HEDGE.test(sentence)) &&
  !sentences(text).some((sentence) => FAILURES.test(sentence) && !OVER.test(sentence));

const DEED =
  "(?:fixed|implemented|added|removed|deleted|renamed|updated|changed|refactored|migrated|replaced|created|wrote|written|rewritten|moved|installed|configured|corrected|resolved|extended|improved|converted|upgraded|completed|finished|done)";

const CHANGED = new RegExp(
  [
    `\\bI(?:'ve| have)?\\s+(?:now\\s+|also\\s+|successfully\\s+)?${DEED}\\b`,
    `\\b(?:is|are|has been|have been|was|were)\\s+(?:now\\s+|successfully\\s+|all\\s+)?(?:${DEED}|in place)\\b`,
    `^\\W*(?:all\\s+|successfully\\s+|now\\s+|it(?:'s| is)\\s+)?(?:${DEED}|set)\\b`,
    "\\bnow\\s+(?:works?|handles?|uses?|returns?|supports?|passes)\\b",
    "\\b(?:task|work|change|migration|refactoring|fix)\\s+(?:is\\s+)?(?:complete|finished|applied)\\b",
  ].join("|"),
  "i",
);

/** True when it says that something was changed. One that shows code instead leaves it to the person to use it. */
export const claimsChange = (text: string): boolean =>
  !text.includes("```") && sentences(text).some((sentence) => CHANGED.test(sentence.trim()) && !HEDGE.test(sentence));

const NEW_FILE =
  /\b(?:created|wrote|added)\s+(?:(?:a|the|new|file|test|script|module)\s+)*`([^`\s]+\.[A-Za-z0-9]{1,6})`/gi;

/** The files that it says were created. */
export const claimedFiles = (text: string): readonly string[] =>
  sentences(text)
    .filter((sentence) => !HEDGE.test(sentence))
    .flatMap((sentence) => [...sentence.matchAll(NEW_FILE)].flatMap(([, path]) => path ?? []));

const SAID_PLAINLY = /^\W*(?:no change|not changed|not run|not done|not checked|nothing to do)s?\b\W*:/im;

const ADMITS = new RegExp(
  [
    "\\b(?:could not|couldn't|cannot|can't|unable to|(?:was|am|were) not able to|not allowed to|did not|didn't|have not|haven't|has not|was not|were not|wasn't)\\s+(?:\\w+\\s+){0,2}(?:chang|modif|edit|fix|implement|add|creat|writ|wrote|find|found|reproduc|do|did|done|complet|finish|mak|made|run|ran|appl|renam|remov|need|necessary|possible|install|read|open|access|exist)\\w*(?![^.!?\\n]{0,30}\\b(?:else|other|further|more|unrelated)\\b)",
    "\\b(?:no|not any)\\s+(?:code\\s+|further\\s+|file\\s+)?changes?\\b",
    "\\bnothing\\s+(?:to\\s+(?:do|change|fix|rename|remove)|needs?|needed|had|has|was|is)\\b",
    "\\balready\\b",
    "\\bthere\\s+(?:is|are|was|were)\\s+no\\b",
    "\\b(?:denied|blocked by|not permitted|permission|not possible|impossible)\\b",
    "\\b(?:need|needs|want|waiting for)\\s+(?:your|more|approval|clarification|to know)\\b",
    "\\b(?:which|what|should I|do you want|would you like|shall I)\\b[^.!\\n]*\\?",
  ].join("|"),
  "i",
);

/** True when it admits that something was not done, or says why nothing had to be. A person can act on that. */
export const admitsGap = (text: string): boolean => {
  const own = text.slice(-MAX_ANSWER);
  return SAID_PLAINLY.test(own) || ADMITS.test(own) || own.trimEnd().endsWith("?");
};
