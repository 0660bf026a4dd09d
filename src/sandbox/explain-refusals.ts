import { relative, resolve } from "node:path";
import type { Policy } from "../contract/policy.ts";
import type { SeenEffect } from "../contract/verdict.ts";
import { judgePathAccess } from "../guard/access/judge-access.ts";
import { realMachine } from "../guard/machine/real-machine.ts";
import { isInside, PRIVATE_FOLDERS } from "../lib/path/inside.ts";
import { printableLine } from "../lib/text/printable.ts";
import type { Mount } from "./session/mounts.ts";
import { protectedPlaces } from "./session/protected-mounts.ts";
import type { SessionMount, SessionView } from "./session/session-plan.ts";

/** A command that has ended, as far as whoever asks has seen it. */
export interface EndedCommand {
  /** What it printed, or the end of it. Undefined where it printed to a terminal of its own. */
  readonly output: string | undefined;
  readonly command?: string | undefined;
  readonly folder: string;
}

interface View {
  readonly plan: SessionView;
  readonly policy: Policy;
}

/**
 * Says of errors in a command's output that they are the sandbox's, where the path that the error names is hidden,
 * read-only or outside for this session. An error that names none counts for the paths in the command itself. Where the
 * errors were not seen, only says what is so about these paths.
 */
export function explainRefusals({ output, command = "", folder }: EndedCommand, view: View): readonly string[] {
  const folders = foldersOf(command, folder);
  const paths = (words: readonly string[]) => words.flatMap((word) => folders.map((from) => toPath(word, from, view)));
  const inCommand = paths(command.split(/[\s'"`<>|&;()=]+/));
  if (output === undefined) return notes(inCommand, ["unseen"], view);
  const errors = output
    .slice(-MAX_OUTPUT)
    .split("\n")
    .flatMap((line): readonly PathError[] => {
      const [said] = line.length > MAX_LINE ? [] : (ERROR.exec(line) ?? []);
      return said === undefined ? [] : [{ kind: kindOf(said), paths: paths(namedIn(line)) }];
    });
  const named = errors.slice(-MAX_ERRORS).flatMap((error) => notes(error.paths, [error.kind], view));
  if (named.length > 0 || errors.length === 0) return [...new Set(named)].slice(0, MAX_NOTES);
  return notes(
    inCommand,
    errors.map(({ kind }) => kind),
    view,
  );
}

/** A command that has been judged, and not run. */
interface JudgedCommand {
  readonly command: string;
  readonly folder: string;
  readonly effects: readonly SeenEffect[];
}

/** What a command would read or change and cannot, because it is hidden or protected in the sandbox. */
export function foreseeRefusals({ command, folder, effects }: JudgedCommand, view: View): readonly string[] {
  const folders = foldersOf(command, folder);
  const found = effects.flatMap(({ kind, target }) => {
    if (kind !== "read" && kind !== "write" && kind !== "delete") return [];
    const word = /^'[^']*'$/.test(target) ? target.slice(1, -1) : target;
    const paths = folders.map((from) => toPath(word, from, view));
    const held = paths.flatMap((path) => {
      const mount = view.plan.mounts.findLast((each) => isInside(path, each.path));
      const note = mount && heldNote({ mount, path, kind: kind === "read" ? "denied" : "read-only" }, view);
      return note === undefined ? [] : [`${kind} ${shown(path, view.plan)}: it ${note[0] ?? ""}`];
    });
    return held.slice(0, 1);
  });
  return [...new Set(found)];
}

const foldersOf = (command: string, folder: string) => [
  folder,
  ...[...command.matchAll(CHANGED_FOLDER)].map(([, to = ""]) => resolve(folder, to)),
];

/** Says of files that were created since the session started that commands will not see them in the next one. */
export function newlyHidden({ plan, policy }: View): readonly string[] {
  const known = new Set(plan.mounts.map(({ path }) => path));
  const isNew = ({ kind, path }: Mount) => (kind === "empty-file" || kind === "empty-folder") && !known.has(path);
  const found = plan.roots.flatMap((root) => protectedPlaces(root, policy, plan.roots).mounts).filter(isNew);
  return [...new Set(found.map(({ path }) => path))].slice(0, MAX_NOTES).map((path) => {
    const because = reason(path, "read", { plan, policy });
    return `from the next session on, ${shown(path, plan)} is hidden from commands${because === undefined ? "" : `: ${because}`}. ${SHOW}`;
  });
}

type ErrorKind = "denied" | "read-only" | "busy" | "unseen";

interface PathError {
  readonly kind: ErrorKind;
  readonly paths: readonly string[];
}

const MAX_OUTPUT = 64 * 1024;
const MAX_LINE = 4000;
const MAX_ERRORS = 50;
const MAX_NOTES = 3;

/** As libc, Node and Java say it in English. */
const WORDS =
  "permission denied|EACCES|read-only file system|EROFS|device or resource busy|resource busy or locked|EBUSY";
const ERROR = new RegExp(WORDS, "i");
const BEFORE_ERROR = new RegExp(`([^\\s:'"\`]+)(?:: | \\()(?:${WORDS})`, "gi");
const QUOTED = /(?<=^|[\s(:])(['"`‘“])([^'"`’”]+)['"`’”]/g;
const WHOLE = /(?<=^|[\s=(])(?:\/|\.\.\/|~\/)[^\s:'"`,;)]+/g;
const CHANGED_FOLDER = /\bcd\s+([^\s'"`;&|()<>]+)/g;

const kindOf = (said: string): ErrorKind =>
  /denied|EACCES/i.test(said) ? "denied" : /read-only|EROFS/i.test(said) ? "read-only" : "busy";

/** What an error line names: in quotes, from the root, or right before the error. */
const namedIn = (line: string): readonly string[] => [
  ...[...line.matchAll(QUOTED)].map(([, , word = ""]) => word),
  ...[...line.matchAll(WHOLE)].map(([word]) => word),
  ...[...line.matchAll(BEFORE_ERROR)].map(([, word = ""]) => word),
];

const toPath = (word: string, folder: string, { plan }: View): string =>
  resolve(folder, word.startsWith("~/") ? plan.home + word.slice(1) : word);

function notes(paths: readonly string[], kinds: readonly ErrorKind[], view: View): readonly string[] {
  const all = paths.flatMap((path) => kinds.flatMap((kind) => note(path, kind, view) ?? []));
  return [...new Set(all)].slice(0, MAX_NOTES);
}

const OUTSIDE = "To run it outside: signalbox outside -- CMD";
const SHOW = "To see what is protected: signalbox sandbox --explain";

function note(path: string, kind: ErrorKind, view: View): string | undefined {
  const { plan } = view;
  const standIn = plan.standIns.find((each) => each === path);
  const mount: SessionMount | undefined =
    standIn === undefined
      ? plan.mounts.findLast((each) => isInside(path, each.path))
      : { kind: "read-only", path: standIn };
  const found =
    (mount && heldNote({ mount, path, kind }, view)) ?? (plan.isUnmounted && unmountedNote(path, kind, plan));
  if (!found && (kind !== "read-only" || !isOutside(path, mount, plan))) return undefined;
  const [what, then] = found || ["is outside the folders that commands can write", OUTSIDE];
  return `${kind === "unseen" ? "in the sandbox" : "blocked by the sandbox:"} ${shown(path, plan)} ${what}. ${then}`;
}

/** Where nothing is mounted, every refusal is a denied permission. */
function unmountedNote(path: string, kind: ErrorKind, { home, roots, workspace }: SessionView) {
  if (kind !== "denied" || [workspace, ...roots, "/dev/tcp", "/dev/udp"].some((root) => isInside(path, root)))
    return undefined;
  if (isInside(path, home)) return ["is in your home folder, which is hidden", OUTSIDE];
  return SHARED_FOLDERS.some((folder) => isInside(path, folder))
    ? ["is shared with other programs on this machine. For temporary files use $TMPDIR", OUTSIDE]
    : ["is outside the folders that commands can write", OUTSIDE];
}

const SHARED_FOLDERS = ["/tmp", "/var/tmp", "/dev/shm"];

interface PathRefusal {
  readonly mount: SessionMount;
  readonly path: string;
  readonly kind: ErrorKind;
}

/** What the session's own view of the disk does to a path in a writable folder, or to a secret anywhere. */
function heldNote({ mount, path, kind }: PathRefusal, view: View): readonly string[] | undefined {
  const { roots, workspace } = view.plan;
  // Git's settings and hooks are changed outside, with a question. The other floors no answer can lift.
  const isGit = isInside(path, resolve(workspace, ".git"));
  if (mount.kind === "empty-file" || mount.kind === "empty-folder") {
    const because = reason(mount.path, "read", view);
    return because !== undefined ? [`is hidden: ${because}`, OUTSIDE] : isGit ? ["is protected", OUTSIDE] : undefined;
  }
  if (kind === "denied" || (kind === "busy" && mount.path !== path)) return undefined;
  if (roots.includes(mount.path) || !roots.some((root) => isInside(path, root))) return undefined;
  if (mount.kind === "writable")
    return kind === "busy" ? ["holds protected files, so it cannot be moved or removed", SHOW] : undefined;
  if (isGit) return ["is protected: git follows it outside the sandbox too", OUTSIDE];
  const because = reason(path, "write", view) ?? reason(mount.path, "write", view);
  return [`is protected${because === undefined ? "" : `: ${because}`}`, SHOW];
}

/** Of folders that every sandbox has for itself nothing is said. */
function isOutside(path: string, mount: SessionMount | undefined, { roots }: SessionView): boolean {
  if (roots.some((root) => isInside(path, root))) return false;
  if (mount !== undefined) return mount.kind === "read-only" || mount.kind === "between";
  return ![...PRIVATE_FOLDERS, "/sys"].some((folder) => isInside(path, folder));
}

/** The guard's reason, with the rule. */
function reason(path: string, access: "read" | "write", { policy }: View): string | undefined {
  const place = { policy, machine: realMachine, cwd: policy.workspaceRoot, outside: "allow" } as const;
  const [finding] = judgePathAccess({ access, path }, place).filter(({ verdict }) => verdict === "deny");
  return finding && `${finding.because} (rule ${finding.rule})`;
}

const shown = (path: string, { workspace }: SessionView) =>
  printableLine(path !== workspace && isInside(path, workspace) ? relative(workspace, path) : path);
