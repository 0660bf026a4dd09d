import { doubt, type Effect, question } from "../model/effect.ts";
import type { Arguments } from "./options.ts";
import { UNKNOWN } from "../model/word.ts";
import { localRemote } from "./git-repository.ts";
import { reachesRemote } from "./git-urls.ts";
import { sentWords } from "./sent-words.ts";

/** `https://host/x`, `user@host:x` or `host:x`, as opposed to the name of a remote. */
const ADDRESS = /:\/\/|^[\w.-]+@|^[\w.-]+:(?!\/\/)/;

const REMOTE_FORCE = doubt("git-force", "overwrites or deletes a remote branch");
/** What forcing means for incoming commits. */
export const LOCAL_FORCE = doubt("git-force", "overwrites or deletes a local branch and may lose its commits");

/** Judges a remote given as a URL or path. Forcing is destructive. */
export function remoteEffects(given: Arguments, verb: string, forced: Effect = REMOTE_FORCE): readonly Effect[] {
  const [remote] = given.operands;
  const effects: Effect[] = [{ kind: "repository" }, { kind: "network", word: undefined }, reachesRemote(verb, remote)];
  effects.push(...sentWords(given, "the name of a remote or branch"));
  if (remote === undefined) return effects;
  if (verb !== "push") effects.push(localRemote(remote));
  if (/::|^-|:\/\/-/.test(remote.text))
    effects.push(doubt("git-transport", "this URL makes git run a command", "deny"));
  else if (ADDRESS.test(remote.text)) effects.push({ kind: "network", word: remote });
  else if (remote.text.includes(UNKNOWN))
    effects.push(doubt("operand-unknown", "the remote is only known at run time"));
  else if (/^[./~]/.test(remote.text)) effects.push({ kind: "read", word: remote });
  for (const name of given.operands.slice(1)) {
    if (/^\+|^:/.test(name.text)) effects.push(forced);
    else if (/^[./~]|^\w[\w-]*\/\.\./.test(name.text)) effects.push({ kind: "write", word: name });
  }
  if (
    given.options.some(({ name }) => /^(?:-[fd]|--(?:force|mirror|delete|force-with-lease))$/.test(name)) ||
    given.strange.some(({ text }) => /^--(?:force|mirror|delete|prune)/.test(text))
  )
    effects.push(forced);
  return effects;
}

/** A remote that the repository does not define may bring in anyone's code. */
export function pullEffects({ operands: [remote] }: Arguments): readonly Effect[] {
  return remote !== undefined && (ADDRESS.test(remote.text) || /^[./~]/.test(remote.text))
    ? [question("foreign-code", "merges code from a repository that is not a remote of this one")]
    : [];
}

/** `git remote`: listing is allowed, `show` and `update` contact the remote, anything else changes the remotes. */
export function remotesEffects(given: Arguments): readonly Effect[] {
  const [verb, ...rest] = given.operands;
  const offline = given.options.some(({ name }) => name === "-n") || rest.length === 0;
  if (verb === undefined || verb.text === "get-url" || (verb.text === "show" && offline)) return [];
  if (verb.text === "show" || verb.text === "update" || verb.text === "prune")
    return rest.flatMap((remote) => remoteEffects({ ...given, operands: [remote] }, "read"));
  return [{ kind: "repository" }, doubt("git-remote", "changes the repository's remotes")];
}
