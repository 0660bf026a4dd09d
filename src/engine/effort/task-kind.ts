/**
 * What a task asks for, as far as its words say so beyond doubt: a change of the workspace, a command to be run, a
 * review of files. A question, and every task in doubt, is none of them.
 */
export type TaskKind = "change" | "run" | "review";

const MAX_TEXT = 20_000;

/** The kinds of a task, from the person's own words. Pasted code and piped text say nothing about what is asked. */
export function taskKinds(text: string): ReadonlySet<TaskKind> {
  const own = ownWords(text);
  const kinds = new Set<TaskKind>();
  if (LEAVES_ALONE.test(own)) return kinds;
  for (const sentence of own.split(/(?<=[.!?:])\s+|\n+|;\s+/)) {
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
  const clauses = bare.split(/,?\s+(?:and|then)\s+(?:then\s+|also\s+)?|,\s+/i);
  for (const clause of clauses) {
    if (isChange(clause)) return "change";
    if (RUN.test(clause)) return "run";
    if (REVIEW.test(clause) && PATH.test(clause)) return "review";
  }
  return undefined;
}

/** Whoever asks this wants somebody to run them. */
const PASSES =
  /^do(?:es)?\s+(?:all\s+|the\s+|my\s+|our\s+|unit\s+|integration\s+)*(?:tests?|build|suite|linter?)\b(?:\s+\w+)?\s+(?:still\s+|all\s+)?(?:pass|succeed|compile)\b/i;
const RUN =
  /^(?:re-?)?(?:run|execute)\s+(?:\w+\s+){0,3}?(?:tests?|build|suite|linter?|checks?|benchmarks?|type-?check|npm|pnpm|yarn|make|pytest|cargo|go test|`[^`]+`)(?:\s|$|[.,!`])/i;
const REVIEW = /^(?:review|audit|inspect|proofread)\b/i;

const PATH = /(?:^|[\s`'"(])(?:[\w@.-]+\/)*[\w@-]+\.[a-z][a-z0-9]{0,5}(?=$|[\s`'"),:;.!?])|`[^`\s]+\/[^`\s]*`/i;

/** Verbs that leave no doubt that something is to be changed. */
const STRONG =
  /^(?:fix|implement|refactor|rename|delete|remove|replace|migrate|port|upgrade|downgrade|bump|rewrite|revert|uninstall|install|deprecate|modify|edit|insert|append|repair|patch|carry\s+(?:it|this|that|the\s+plan)\s+out|carry\s+out|set\s+up|clean\s+up|wire\s+up|hook\s+up)\b/i;
/** Verbs that may also ask for a text. */
const WEAK =
  /^(?:add|write|create|make|generate|build|update|change|improve|optimi[sz]e|convert|complete|finish|extend|document|format|simplify|speed\s+up|introduce|support|handle|switch|adjust|cover|move|split|merge|extract|enable|disable|configure|resolve|correct|apply|commit)\b/i;
const PROJECT_OBJECT =
  /\b(?:tests?|files?|script|module|component|endpoint|route|feature|flag|option|subcommand|config(?:uration)?|dependenc(?:y|ies)|packages?|readme|docs|documentation|changelog|migration|handler|workflow|pipeline|ci|bug|issue|linter?|build|imports?|exports?|validation|error\s+handling|logging|retr(?:y|ies)|timeout|cache|caching|repo(?:sitory)?|branch|folder|directory|codebase|button|page|form|api|class|parser|database|server|cli)\b/i;
const TEXT_OBJECT =
  /^\w+(?:\s+\w+)??\s+(?:\w+\s+){0,3}?(?:summary|plan|list|poem|haiku|limerick|story|e-?mail|explanation|overview|outline|regex|joke|sentence|paragraph|names?|message|review|comparison|suggestions?|proposal|estimate|description|diagram|title|tweet|letter|essay|answer|guess|decision|recommendation|analysis|table|checklist|announcement|post|sense|sure)\b/i;
const WRITTEN_TO = /\b(?:to|in|into|under|as|at)\s+(?:the\s+|a\s+|our\s+)?(?:file\s+|new\s+file\s+)?(?=\S)/i;
const PROSE = /\b(?:sentence|paragraph|grammar|wording|poem|essay|letter|phrase|spelling of the following)\b/i;

function isChange(clause: string): boolean {
  if (STRONG.test(clause)) return !PROSE.test(clause);
  if (!WEAK.test(clause)) return false;
  if (TEXT_OBJECT.test(clause)) return isWrittenDown(clause);
  return PATH.test(clause) || PROJECT_OBJECT.test(clause);
}

/** A text is asked for, and the file that it goes to is named. */
function isWrittenDown(clause: string): boolean {
  const to = WRITTEN_TO.exec(clause);
  return to !== null && PATH.test(` ${clause.slice(to.index + to[0].length).split(/\s/, 1)[0] ?? ""}`);
}
