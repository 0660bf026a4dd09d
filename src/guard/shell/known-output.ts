import type { Place } from "./examination.ts";
import { printedText } from "./feed.ts";
import type { RawWord, ShellNode } from "./script.ts";

const ONE_TOKEN =
  /^(?:date|nproc|whoami|uname|hostname|git rev-parse|git merge-base|git describe|git rev-list|git branch --show-current|git symbolic-ref|git hash-object|git write-tree|id -u|id -g|getconf|arch|mktemp|expr|seq|wc|node --version|tput|stat -c|basename|git log)\b/;

/** What a substitution prints, when that can be told from its text: a literal, the folder, or some plain token. */
export function knownOutput(nodes: readonly ShellNode[], place: Place): string | undefined {
  const [node] = nodes;
  if (nodes.length !== 1 || node?.kind !== "command" || node.assignments.length > 0) return undefined;
  const texts = node.words.flatMap((word) => literal(word) ?? []);
  if (texts.length !== node.words.length) return undefined;
  const [redirect] = node.redirects;
  if (texts.join(" ") === "cat" && node.redirects.length === 1 && redirect?.operator === "<<")
    return literal(redirect.target);
  const quiet = node.redirects.every(({ operator, target }) => operator === ">&" || literal(target) === "/dev/null");
  return quiet ? printedBy(texts, place) : undefined;
}

function printedBy(texts: readonly string[], place: Place): string | undefined {
  const line = texts.join(" ");
  if (line === "pwd") return place.state.cwd;
  if (line === "git rev-parse --show-toplevel") return place.exam.policy.policy.workspaceRoot;
  if (texts[0] === "echo" || texts[0] === "printf") return printedText(texts[0], texts.slice(1));
  const shaped = texts.some(
    (text) => /^--(?:format|pretty|show-prefix|git-path)|^\+.*[-/]/.test(text) && !/^--format=%[hHct]+$/.test(text),
  );
  return ONE_TOKEN.test(line) && !shaped ? "0" : undefined;
}

function literal(raw: RawWord): string | undefined {
  let text = "";
  for (const piece of raw.pieces) {
    if (piece.kind !== "text") return undefined;
    text += piece.text;
  }
  return text;
}
