import { PLAN_APPROVED } from "../../contract/work-mode.ts";

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
