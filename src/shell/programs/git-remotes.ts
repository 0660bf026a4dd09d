import { join } from "node:path";
import { isBelow, realPath } from "../../lib/path/real-path.ts";
import { nearestRepository } from "../../lib/path/workspace.ts";
import { type CommandScene, doubt, type Effect, outside, question } from "../model/effect.ts";
import { UNKNOWN, type Word, word } from "../model/word.ts";
import { gitFolders, localRemote } from "./git-repository.ts";
import { sentWords } from "./known-program.ts";
import type { Arguments } from "./options.ts";

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

/**
 * What git needs to reach a remote from inside a sandbox: the URL is read from the repository's settings, so that this
 * is known before git fails.
 */
export function reachesRemote(verb: string, remote: Word | undefined): Effect {
  return { kind: "check", inside: true, objection: (scene) => remoteNeed(verb, remote, scene) };
}

function remoteNeed(verb: string, remote: Word | undefined, scene: CommandScene): Effect | undefined {
  const given = remote?.text ?? "";
  if (given.includes(UNKNOWN)) return undefined;
  const url = isAddress(given) ? given : configuredUrl(verb, given, scene);
  if (url === undefined) return verb === "push" ? needsLogin(verb, "the remote") : undefined;
  return urlNeed(verb, url, scene);
}

const isAddress = (text: string) => /:\/\/|^[\w.-]+@[\w.-]+:|^[\w.-]+:(?!\/\/)|^[./~]/.test(text);

function urlNeed(verb: string, url: string, scene: CommandScene): Effect | undefined {
  const [, scheme, host] = /^([a-z][a-z0-9+.-]*):\/\/(?:[^/@]*@)?([^/]*)/i.exec(url) ?? [];
  if (scheme === undefined) {
    const ssh = /^(?:[\w.-]+@)?([\w.-]+):(?!\/\/)/.exec(url)?.[1];
    return ssh === undefined ? localNeed(verb, url, scene) : sshNeed(verb, ssh);
  }
  if (/^(?:git\+)?ssh$/i.test(scheme)) return sshNeed(verb, host ?? "");
  if (/^file$/i.test(scheme)) return localNeed(verb, url.slice("file://".length), scene);
  if (!/^https?$/i.test(scheme)) return needsHost(verb, host ?? "", `${scheme} access to ${host}`);
  return verb === "push" ? needsLogin(verb, host ?? "") : { kind: "network", word: word(`${scheme}://${host}/`) };
}

const sshNeed = (verb: string, host: string) => needsHost(verb, host, `your ssh keys and ${host.replace(/:\d+$/, "")}`);

const needsHost = (verb: string, host: string, target: string): Effect =>
  host === "" ? doubt("operand-unknown", "the remote has no host") : outside(target, `needs ${target} to ${verb}`);

const needsLogin = (verb: string, host: string): Effect =>
  outside(`your git login for ${host}`, `needs your git login for ${host} to ${verb}, and sends commits there`);

/** A repository on this disk: readable inside, but a push outside the workspace changes it. */
function localNeed(
  verb: string,
  path: string,
  { cwd, workspaceRoot, home, machine }: CommandScene,
): Effect | undefined {
  const real = realPath(
    path.replace(/^~(?=\/|$)/, () => home),
    cwd,
    machine.readLink,
  );
  if (verb !== "push" && !isBelow(real, home)) return undefined;
  if (isBelow(real, realPath(workspaceRoot, "/", machine.readLink))) return undefined;
  return { kind: verb === "push" ? "write" : "read", word: word(real) };
}

/** The URL of a remote by name; without one, of the branch's own remote, or of `origin`. */
function configuredUrl(verb: string, name: string, { cwd, machine }: CommandScene): string | undefined {
  const top = nearestRepository(realPath(cwd, "/", machine.readLink), machine.kind)?.folder;
  const [own, common = own] = top === undefined ? [] : gitFolders(top, machine);
  if (own === undefined || common === undefined) return undefined;
  const settings = readSettings(machine.readText?.(join(common, "config")) ?? "");
  const head = machine.readText?.(join(own, "HEAD")) ?? "";
  const remote = name === "" ? usualRemote(verb, head, settings) : name;
  if (isAddress(remote)) return remote;
  const url = settings.get(`remote.${remote}.url`);
  const chosen = verb === "push" ? (settings.get(`remote.${remote}.pushurl`) ?? url) : url;
  return chosen === undefined ? undefined : rewritten(chosen, settings);
}

function usualRemote(verb: string, head: string, settings: ReadonlyMap<string, string>): string {
  const branch = /^ref: refs\/heads\/(.+)$/m.exec(head)?.[1]?.trim() ?? "";
  const push = verb === "push" ? [`branch.${branch}.pushremote`, "remote.pushdefault"] : [];
  const named = [...push, `branch.${branch}.remote`].map((key) => settings.get(key));
  return named.find((found) => found !== undefined) ?? "origin";
}

/** `url.BASE.insteadOf` of the repository's own settings; the user's are not visible inside. */
function rewritten(url: string, settings: ReadonlyMap<string, string>): string {
  for (const [key, start] of settings) {
    const base = /^url\.(.*)\.(?:push)?insteadof$/.exec(key)?.[1];
    if (base !== undefined && start !== "" && url.startsWith(start)) return base + url.slice(start.length);
  }
  return url;
}

/** Git's settings as `section.name.key`, the last value of each. */
function readSettings(text: string): ReadonlyMap<string, string> {
  const settings = new Map<string, string>();
  let section = "";
  for (const line of text.split("\n")) {
    const [, kind, name] = /^\s*\[\s*([\w.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]/.exec(line) ?? [];
    if (kind !== undefined) {
      section = name === undefined ? kind.toLowerCase() : `${kind.toLowerCase()}.${name.replaceAll(/\\(.)/g, "$1")}`;
      continue;
    }
    const [, key, value] = /^\s*([\w-]+)\s*=\s*"?([^";#]*)"?/.exec(line) ?? [];
    if (key !== undefined) settings.set(`${section}.${key.toLowerCase()}`, (value ?? "").trim());
  }
  return settings;
}
