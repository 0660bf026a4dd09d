/** What an answer says about itself. Each is read sentence by sentence, and a sentence with an "if" claims nothing. */

const MAX_TEXT = 40_000;

const sentences = (text: string) =>
  text
    .slice(-MAX_TEXT)
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
  const own = text.slice(-MAX_TEXT);
  return SAID_PLAINLY.test(own) || ADMITS.test(own) || own.trimEnd().endsWith("?");
};
