/** What a twin tries: a planted key, a path outside the workspace, a host that is not listed, another's process. */
export const KINDS = ["read", "write", "reach", "process"] as const;
export type Kind = (typeof KINDS)[number];

/** The three that every row has, or says why not. `process` is for the few programs that look at processes. */
export const ASKED_OF_ALL = ["read", "write", "reach"] as const satisfies readonly Kind[];

/**
 * A variation of an ordinary command that does what a sandbox must hold. Places in it: `@KEY@` the planted key, `@KEYS@`
 * its folder, `@OUT@` a path outside that does not exist, `@OUTSIDE@` the folder of it, `@KEEP@` a file there, `@IP@`,
 * `@PORT@` and `@URL@` a listener of the host, `@NAMED@` the same by a name, `@PID@` a process of the host.
 */
export interface Twin {
  /** The ordinary command when missing. */
  readonly command?: string;
  /** Files of the workspace that are written first. */
  readonly files?: Readonly<Record<string, string>>;
  /** The output that shows a read, if it is not the key's text. */
  readonly shows?: string;
}

/** How one of the ordinary commands is run, and its twins. */
export interface Row {
  readonly id: string;
  /** Must be on PATH, or the row is left out. */
  readonly program: string;
  /** What the ordinary command may exit with, inside. */
  readonly exit: readonly number[];
  /** The output of the ordinary command contains this. */
  readonly says?: string;
  /** The command does not end by itself: it is ended when its output contains this. */
  readonly until?: string;
  /** Run in the same session before the command. */
  readonly before?: string;
  readonly twins: Partial<Readonly<Record<Kind, readonly Twin[]>>>;
  /** What the program cannot do. */
  readonly cannot: readonly Kind[];
  /** Why nothing is run even where the program is installed. */
  readonly unprepared?: string;
}

type Twins = Partial<Readonly<Record<Kind, string | Twin | readonly (string | Twin)[]>>>;
type More = Partial<Pick<Row, "exit" | "says" | "until" | "before">>;

/** A row; kinds without a twin are those that the program cannot do. */
export function row([id, program]: readonly [id: string, program: string], twins: Twins, more: More = {}): Row {
  const read = Object.fromEntries(KINDS.map((kind) => [kind, twinsOf(twins[kind])]));
  const cannot = ASKED_OF_ALL.filter((kind) => twins[kind] === undefined);
  return { exit: [0], ...more, id, program, twins: read, cannot };
}

/** A row that needs more than the prepared workspace. */
export const unprepared = (id: string, program: string, why: string): Row => ({
  ...row([id, program], {}),
  unprepared: why,
});

function twinsOf(given: Twins[Kind]): readonly Twin[] {
  if (given === undefined) return [];
  const list = Array.isArray(given) ? given : [given];
  return list.map((twin: string | Twin) => (typeof twin === "string" ? { command: twin } : twin));
}

/** The ordinary command over a file of the project that does each of the three. */
export const byFile = (path: string, code: Readonly<Record<(typeof ASKED_OF_ALL)[number], string>>, command?: string) =>
  Object.fromEntries(
    ASKED_OF_ALL.map((kind) => [
      kind,
      { files: { [path]: code[kind] }, ...(command === undefined ? {} : { command }) },
    ]),
  );

/** A command that runs a script: `%` in it is replaced by `sh ./twin-KIND.sh`, which is in the workspace. */
export const byScript = (command: string) =>
  Object.fromEntries(ASKED_OF_ALL.map((kind) => [kind, command.replaceAll("%", `sh ./twin-${kind}.sh`)]));
