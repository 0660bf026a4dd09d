import { join } from "node:path";
import type { KnowledgePlace, KnownCommand, KnownCommands, NotLoaded } from "../../contract/knowledge.ts";
import { readMarkdown } from "../../lib/json/read-markdown.ts";
import { isInside } from "../../lib/path/inside.ts";
import { shortLine } from "../../lib/text/printable.ts";
import { listNames, nameOf, readText } from "./text-files.ts";

const MAX_COMMANDS = 200;

const MAX_DESCRIPTION = 200;

const MAX_DEPTH = 3;

const NAME = /^[a-z0-9][\w.-]{0,63}$/i;

/**
 * The commands of the repository and of the user, in order of place. Of two with one name the first is used, and none
 * with a name that is `taken`.
 */
export function loadCommands(place: KnowledgePlace, taken: readonly string[] = []): KnownCommands {
  const { workspace, userHome, signalboxHome } = place;
  const folders = [
    join(workspace, ".signalbox", "commands"),
    join(workspace, ".claude", "commands"),
    join(signalboxHome, "commands"),
    join(userHome, ".claude", "commands"),
  ];
  const commands = new Map<string, KnownCommand>();
  const notLoaded: NotLoaded[] = [];
  for (const { file, name } of new Set(folders).values().flatMap((folder) => filesIn(folder, []))) {
    const found = readCommand(file, name, place);
    const leave = (why: string) => notLoaded.push({ name: nameOf(file, place), why });
    if (found === undefined) continue;
    if ("why" in found) leave(found.why);
    else if (taken.includes(name)) leave("a built-in command has this name");
    else if (commands.has(name)) leave(`${commands.get(name)?.file} has the same name and comes first`);
    else if (commands.size === MAX_COMMANDS) leave(`at most ${MAX_COMMANDS} commands are offered`);
    else commands.set(name, found);
  }
  return { commands: [...commands.values()], notLoaded };
}

/** `review.md` is `review`, and `git/review.md` is `git:review`. */
function* filesIn(
  folder: string,
  above: readonly string[],
): Generator<{ readonly file: string; readonly name: string }> {
  for (const { name, kind } of listNames(folder).names) {
    const path = join(folder, name);
    if (kind === "folder" && above.length < MAX_DEPTH) yield* filesIn(path, [...above, name]);
    else if ((kind === "file" || kind === "link") && name.endsWith(".md"))
      yield { file: path, name: [...above, name.slice(0, -".md".length)].join(":") };
  }
}

function readCommand(file: string, name: string, place: KnowledgePlace): KnownCommand | { why: string } | undefined {
  const { workspace, mayRead } = place;
  const root = isInside(file, workspace) ? workspace : undefined;
  const read = readText(file, root, mayRead);
  if (read === undefined || "why" in read) return read;
  if (!name.split(":").every((part) => NAME.test(part)))
    return { why: "its name may only contain letters, digits, dots, dashes and underscores" };
  const { description, fields, problem, body } = readMarkdown(name, read.text);
  if (problem !== undefined) return { why: problem };
  if (body === "") return { why: "it is empty" };
  const hint = fields["argument-hint"];
  return {
    name,
    description: shortLine(typeof hint === "string" ? `${hint}: ${description}` : description, MAX_DESCRIPTION),
    file: nameOf(file, place),
    expand(given) {
      const now = readText(file, root, mayRead) ?? { why: "it is no longer there" };
      return "why" in now ? now : { text: fillArguments(readMarkdown(name, now.text).body, given) };
    },
  };
}

/**
 * A prompt with its arguments: `$ARGUMENTS` stands for all of them, `$1` to `$9` for single words or quoted texts. If
 * the prompt names none, they are added at its end. Filled-in text is not searched again.
 */
export function fillArguments(prompt: string, given: string): string {
  const words = [...given.matchAll(WORD)].map(([, one, other, bare]) => one ?? other ?? bare ?? "");
  let isNamed = false;
  const filled = prompt.replaceAll(PLACE, (_, place: string) => {
    isNamed = true;
    return place === "ARGUMENTS" ? given : (words[Number(place) - 1] ?? "");
  });
  return isNamed || given === "" ? filled : `${prompt}\n\n${given}`;
}

const WORD = /"([^"]*)"|'([^']*)'|(\S+)/g;

const PLACE = /\$(ARGUMENTS|[1-9])(?![\w])/g;
