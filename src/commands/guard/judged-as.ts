import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CallContainment, HELD_PARTS, isPartly, PARTLY_HELD } from "../../contract/agent-call.ts";
import type { Policy } from "../../contract/policy.ts";
import { signalboxHome } from "../../lib/path/home-folder.ts";
import { isInSandbox, isInsideSession, isInWeakerForm } from "../../lib/process/inside-session.ts";
import { removeTree } from "../../lib/files/folder-tree.ts";
import { shQuote } from "../../lib/text/shell-words.ts";
import { UserError } from "../../lib/text/user-error.ts";
import { sandboxHere, type SandboxHere } from "../../sandbox/open-session-sandbox.ts";
import { openSnapshotSession, type SnapshotSession } from "../../snapshots/open-session.ts";
import type { CommandInput } from "../command-module.ts";

/** As which session's a command is judged: one that starts here now, or what `--contained` says. */
export interface JudgedAs {
  readonly contained: CallContainment["contained"];
  /** Ends a sentence that says how it was judged. */
  readonly words: string;
  /** What the commands of that session would see of the disk. */
  readonly plan?: SandboxHere["plan"];
}

/** Asks what a launch would ask, unless `--contained` decides. */
export async function judgedAs(flags: CommandInput["flags"], policy: () => Policy): Promise<JudgedAs> {
  switch (flags["contained"]) {
    case "no":
      return WITHOUT;
    case "yes":
      return { contained: HELD_PARTS, words: "as in a session's sandbox (--contained yes)." };
    case "partly":
      return { contained: PARTLY_HELD, words: "as in the weaker form of a sandbox (--contained partly)." };
    case undefined:
      return await judgedHere(policy());
    default:
      throw new UserError(`--contained takes yes, partly or no, not ${JSON.stringify(flags["contained"])}`, {
        fix: "use --contained yes, --contained partly or --contained no",
      });
  }
}

/** For calls that say nothing about this machine. */
export const WITHOUT: JudgedAs = {
  contained: undefined,
  words: "as without a sandbox (--contained no), as in staged hooks and ACP agents.",
};

async function judgedHere(policy: Policy): Promise<JudgedAs> {
  if (isInSandbox())
    return isInWeakerForm()
      ? { contained: PARTLY_HELD, words: "as in this session's sandbox, where your own policy file cannot be seen." }
      : { contained: HELD_PARTS, words: "as in this session's sandbox, where your own policy file cannot be seen." };
  if (isInsideSession(process.env))
    return { contained: undefined, words: "as without a sandbox, because none can be tried inside a session." };
  const { containment, plan } = await sandboxHere(policy, {
    signalboxHome: signalboxHome(),
    environment: process.env,
  });
  return containment.contained
    ? {
        contained: containment.held,
        words: `as sessions on this machine are: ${isPartly(containment.held) ? `in a weaker sandbox (${containment.held.join(", ")})` : "in the sandbox"}, by ${containment.by}. Without one: --contained no`,
        plan,
      }
    : {
        contained: undefined,
        words: `as sessions on this machine are: without a sandbox, because ${containment.because}.`,
      };
}

/** What a session that starts now could restore. */
export interface SnapshotHere extends AsyncDisposable {
  /** Does the work again with a snapshot, if what could be restored matters to it. */
  readonly work: <T>(act: (containment: CallContainment) => T) => Promise<T>;
}

/** Takes the snapshot that a session takes at its start, but only when it is needed, and keeps it nowhere. */
export function snapshotHere({ contained }: JudgedAs, workspace: string): SnapshotHere {
  let home: string | undefined;
  let snapshot: SnapshotSession | undefined;
  let isAsked = false;
  const recoverable: CallContainment["recoverable"] = (...asked) => {
    isAsked = true;
    return snapshot?.recoverable(...asked);
  };
  return {
    async work(act) {
      const done = act({ contained, recoverable });
      if (!isAsked || snapshot !== undefined || isInsideSession(process.env)) return done;
      home = mkdtempSync(join(tmpdir(), "signalbox-explain-"));
      snapshot = openSnapshotSession({ home, id: "explain", agent: "signalbox", workspace });
      await snapshot.ready;
      return act({ contained, recoverable });
    },
    async [Symbol.asyncDispose]() {
      await snapshot?.end();
      if (home !== undefined) removeTree(home);
    },
  };
}

/**
 * The shell command that the user named, as one quoted word or as several after `--`. Undefined if there is none.
 */
export function commandWords(words: readonly string[], passed: readonly string[] | undefined): string | undefined {
  const given = passed ?? words.slice(1);
  const [only] = given;
  if (only === undefined) return undefined;
  return given.length === 1 ? only : given.map(quoted).join(" ");
}

/** Only where it changes nothing is a word left as it is: a shell's keyword or an assignment would mean something else. */
const quoted = (word: string) => (PLAIN.test(word) && !KEYWORD.test(word) ? word : shQuote(word));

const PLAIN = /^(?:[\w./:@%+,-]+|--?[\w-]+=[\w./:@%+,-]*)$/;
const KEYWORD = /^(?:if|then|else|elif|fi|do|done|case|esac|while|until|for|in|function|time|select|coproc)$/;
