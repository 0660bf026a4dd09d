import { basename, dirname } from "node:path";
import { type Containment, isPartly, type Need } from "../contract/agent-call.ts";
import type { NetworkLists, Policy } from "../contract/policy.ts";
import type { ContainmentFacts } from "../contract/seal.ts";
import { namedFew, printableLine } from "../lib/text/printable.ts";
import { shQuote } from "../lib/text/shell-words.ts";
import { type Caller, openCallers, openDoorLog } from "./door/door-records.ts";
import { isUserError } from "../lib/text/user-error.ts";
import { type Door, serveDoor } from "./door/serve-door.ts";
import { type EndedCommand, explainRefusals, foreseeRefusals, newlyHidden } from "./explain-refusals.ts";
import { finalKept } from "./session/look-outside.ts";
import { openLoans } from "./door/loans.ts";
import type { SandboxEvent } from "./linux/start-session.ts";
import { type NoSandbox, openSessionSandbox, type SandboxParts, type SessionSandbox } from "./open-session-sandbox.ts";

export { foreseeRefusals };
export type { EndedCommand };

/** What a session's containment needs from its launcher. */
export interface ContainedParts extends Pick<
  SandboxParts,
  "environment" | "signalboxHome" | "extraReadable" | "isRequired" | "findBubblewrap" | "onStarting"
> {
  readonly policy: Policy;
  /** The network lists as they are now: a changed policy counts at once. */
  readonly network: () => NetworkLists;
  readonly isTainted: () => boolean;
  /** Whose sandbox it is, for the audit log. */
  readonly caller: Caller;
  readonly warn: (text: string) => void;
}

/** The sandbox of one session with its network door. Everything inside ends when it is disposed. */
export interface ContainedSession extends AsyncDisposable {
  readonly contained: true;
  readonly containment: Extract<Containment, { readonly contained: true }>;
  /** `PROGRAM 'COMMAND'` runs a bash command inside. */
  readonly program: string;
  argv(argv: readonly string[]): readonly string[];
  readonly usesHelper: boolean;
  readonly plan: SessionSandbox["plan"];
  /** Prepares to lend what one command needs; returns the words that go in front of it. */
  lend(needs: readonly Need[], command: string): Promise<readonly string[]>;
  /**
   * What the sandbox has refused since the last call, in words for whoever reads the output of the command that has just
   * ended.
   */
  takeNotes(ended?: EndedCommand): readonly string[];
  /** Says whose a command is, where several conversations or agents share the sandbox. */
  noteCaller(command: string, caller: Caller): void;
  /** Records a command that runs outside. */
  noteOutside(command: string): void;
  /** For the receipt; also after the end. */
  facts(): ContainmentFacts;
}

/** Opens the sandbox that a policy asks for, with its door, or says why there is none. */
export async function openContainedSession(parts: ContainedParts): Promise<ContainedSession | NoSandbox> {
  const opener = sandboxOpener(parts);
  const session = await opener.open(parts.policy);
  if (!session.contained) return session;
  const { containment } = session;
  const outside: string[] = [];
  const separate = new Set<SessionSandbox>();
  return {
    contained: true,
    containment,
    program: session.program,
    argv: (argv) => session.argv(argv),
    usesHelper: session.usesHelper,
    plan: session.plan,
    async lend(needs, command) {
      opener.loans.lend(needs, command);
      const { policy, paths } = lentPolicy(parts.policy, needs);
      if (policy === parts.policy && paths.length === 0) return [session.program];
      // A path or a variable cannot be added to a running sandbox, so the command gets one of its own.
      const own = await opener.open(policy, {
        extraWritable: paths.filter(({ access }) => access !== "read").map(({ target }) => target),
        extraReadable: [
          ...(parts.extraReadable ?? []),
          ...paths.filter(({ access }) => access === "read").map(({ target }) => target),
        ],
        onEvent(event) {
          // The command's own client has yet to read how it ended.
          const end = () => void (own.contained && own[Symbol.asyncDispose]());
          if (event.type === "end") setTimeout(end, LINGER_MS).unref();
        },
      });
      if (!own.contained) throw new Error(own.containment.because);
      separate.add(own);
      void own.ended.then(() => separate.delete(own));
      return [own.program];
    },
    takeNotes(ended) {
      const wasInside = ended !== undefined && !outside.includes(shorten(ended.command ?? ""));
      const own = wasInside ? explainRefusals(ended, { plan: session.plan, policy: parts.policy }) : [];
      return [...new Set([...opener.takeNotes(), ...own])];
    },
    noteCaller: (command, caller) => opener.callers.note(command, caller),
    noteOutside: (command) => void (outside.length < MAX_OUTSIDE && outside.push(shorten(command))),
    facts: () => factsOf(containment, opener.doors, { lent: opener.loans.list(), outside }),
    async [Symbol.asyncDispose]() {
      opener[Symbol.dispose]();
      await Promise.all([session, ...separate].map((sandbox) => sandbox[Symbol.asyncDispose]()));
      const changed = opener.restored();
      if (changed.length > 0) parts.warn(restoredWords(changed, session.kept));
      if (!isPartly(containment.held))
        for (const text of newlyHiddenIn({ plan: session.plan, policy: parts.policy })) parts.warn(text);
    },
  };
}

/** The next session cannot start in what cannot be searched now, and says the same. */
function newlyHiddenIn(view: Parameters<typeof newlyHidden>[0]): readonly string[] {
  try {
    return newlyHidden(view);
  } catch (error) {
    if (!isUserError(error)) throw error;
    return [`${error.message}: ${error.fix}`];
  }
}

/** Opens the session's sandbox, and those of single commands; each gets a door. */
function sandboxOpener(parts: ContainedParts) {
  const doors: Door[] = [];
  const loans = openLoans();
  const callers = openCallers(parts.caller);
  const log = openDoorLog({ ...parts, callers, home: parts.signalboxHome });
  const notes: string[] = [];
  const restored = new Set<string>();
  const note = (text: string) => void (notes.length < MAX_NOTES && notes.push(text));
  const follow = (event: SandboxEvent) => {
    loans.follow(event);
    const [text, warning] = [noteOf(event), warningOf(event)];
    if (text !== undefined) note(text);
    if (event.type === "restored") restored.add(event.path);
    if (warning !== undefined) parts.warn(warning);
  };
  return {
    doors,
    loans,
    callers,
    takeNotes: () => notes.splice(0),
    restored: () => [...restored],
    async open(policy: Policy, more: Partial<SandboxParts> = {}) {
      const sandbox = await openSessionSandbox(policy, {
        ...parts,
        door: parts.network().mode !== "none",
        ...more,
        onRefused: note,
        onEvent(event) {
          follow(event);
          more.onEvent?.(event);
        },
      });
      if (sandbox.contained && sandbox.door !== undefined)
        doors.push(
          serveDoor(sandbox.door, {
            policy: parts.network,
            commandOf: (id) => sandbox.commandOf(id)?.command,
            isLent: loans.isLent,
            isTainted: parts.isTainted,
            onRecord: log.record,
            onRefused: (_, text) => note(text),
          }),
        );
      return sandbox;
    },
    [Symbol.dispose]() {
      for (const door of doors) door[Symbol.dispose]();
      log[Symbol.dispose]();
    },
  };
}

/** What is told while commands run, as a note at the end of a command's output. */
function noteOf(event: SandboxEvent): string | undefined {
  if (event.type === "restored")
    return `blocked by the sandbox: ${printableLine(event.path)} is protected, so it was put back as it was before`;
  if (event.type === "removed")
    return `blocked by the sandbox: ${printableLine(event.path)} is protected, so it was removed again`;
  if (event.type === "unlinked")
    return `blocked by the sandbox: ${printableLine(dirname(event.path))} is a new repository that git's index links to, and git outside would run what its settings say, so its .git was moved away. To remove the link: ${unlinking(dirname(event.path))}`;
  return undefined;
}

const unlinking = (path: string) => `git -C ${shQuote(dirname(path))} rm --cached ${shQuote(basename(path))}`;

/** Each line says what was done, and is told only after it was done. */
function warningOf(event: SandboxEvent): string | undefined {
  if (event.type === "self-running") return selfRunning(event.paths);
  if (event.type === "unread") return unread(event.paths);
  if (event.type === "git-links") return gitLinks(event.paths, event.kept);
  if (!("path" in event)) return undefined;
  const shown = printableLine(event.path);
  switch (event.type) {
    case "ended-all":
      return `${shown}, which is protected, was created again and again, so all commands were ended`;
    case "ended-session":
      return `${shown}, which is protected, was created again and again, so the sandbox was ended; start a new session`;
    case "stuck":
      return `${shown}, which is protected, was created while commands ran and could not be removed at once, so the sandbox was ended`;
    case "odd-index":
      return `${shown} was written while commands ran, in a form that git does not write here, so it was moved away; git reset makes a new one`;
    case "git-link":
      return `${shown} was made a link while commands ran, and git would have written to where it leads, so it was moved away`;
    case "moved":
      return `${shown}, which is protected, was created while commands ran; it was moved away. To look: ls -A ${shQuote(event.kept)}`;
    case "left":
      return `${shown}, which is protected, was created while commands ran and could not be removed: delete it before you run anything else here`;
    case "disarmed":
      return `the repository ${shown} ${origin(event.isSure)} would run programs (${listed(event.parts)}); this was moved away, and harmless settings were left. To look: ls -A ${shQuote(event.kept)}`;
    case "armed":
      return `the repository ${shown} ${origin(event.isSure)} runs programs (${listed(event.parts)}), and this could not be moved away: delete it before you run git there`;
    default:
      return undefined;
  }
}

/** You may have changed it yourself while a command ran. */
const restoredWords = (paths: readonly string[], kept: string) =>
  `protected paths were changed while commands ran, and were put back as they were before: ${listed(paths)}. If you changed one yourself: ls -A ${shQuote(finalKept(kept))}`;

const MAX_LISTED = 5;

const listed = (names: readonly string[]) => namedFew(names.map(printableLine), MAX_LISTED);

/** You may have done it as well. */
const origin = (isSure: boolean) =>
  isSure ? "was made or changed during this session and" : "may have been there before this session, and";

const selfRunning = (paths: readonly string[]) =>
  `files that other programs run or read by themselves were made or changed during this session: ${listed(paths)}. Look at them before you open their folders`;

const gitLinks = (paths: readonly string[], kept: string) =>
  `links were put among git's records, and git would have written to where they lead; they were moved away: ${listed(paths)}. To look: ls -A ${shQuote(kept)}`;

const unread = (paths: readonly string[]) =>
  `what was left during this session could not be looked at in ${listed(paths)}: delete it before you run git there. The next start of signalbox looks again`;

const LINGER_MS = 1000;
const MAX_OUTSIDE = 100;
const MAX_NOTES = 20;
const MAX_SHOWN = 200;
const shorten = (text: string) => (text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text);

function lentPolicy(policy: Policy, needs: readonly Need[]) {
  const variables = needs.filter(({ kind }) => kind === "variable").map(({ target }) => target);
  const paths = needs.filter(({ kind }) => kind === "path");
  return variables.length === 0
    ? { policy, paths }
    : { policy: { ...policy, passVariables: [...(policy.passVariables ?? []), ...variables] }, paths };
}

function factsOf(
  { form, by, held, provenAt }: ContainedSession["containment"],
  doors: readonly Door[],
  { lent, outside }: Pick<ContainmentFacts, "lent" | "outside">,
): ContainmentFacts {
  const traffic = doors.flatMap((door) => door.traffic());
  const name = ({ host, port }: { readonly host: string; readonly port: number }) => `${host}:${port}`;
  return {
    contained: true,
    form,
    by,
    held: [...held],
    proven_at: provenAt,
    because: null,
    hosts: traffic
      .filter(({ sent, received }) => sent + received > 0)
      .map((one) => ({ host: name(one), sent: one.sent, received: one.received })),
    refused_hosts: [...new Set(traffic.filter(({ refused }) => refused > 0).map(name))],
    lent,
    outside: [...outside],
  };
}
