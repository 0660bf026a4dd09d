import { dirname, isAbsolute, normalize } from "node:path/posix";
import { wordList } from "../../lib/text/shell-words.ts";
import type { HeldPart } from "../../contract/agent-call.ts";
import { isInside } from "../../lib/path/inside.ts";
import { EXIT, UserError } from "../../lib/text/user-error.ts";

/** What a profile holds. Loopback, /tmp and the list of processes stay those of the machine. */
export const SEATBELT_HELD: readonly HeldPart[] = ["disk", "secrets", "network"];

/** What a command on macOS may reach. Every path is a real path: absolute, without links (`/private/tmp`, not `/tmp`). */
export interface SeatbeltPlan {
  readonly writeRoots: readonly string[];
  /** Can be read, but not changed, made, moved or removed. */
  readonly protectedPaths: readonly string[];
  /** Writable although they are inside a protected path; a protected path inside one of them stays protected. */
  readonly reopenedPaths?: readonly string[] | undefined;
  /** Folders of which only the write roots and `shownPaths` can be read. That a file is there can still be seen. */
  readonly hiddenFolders?: readonly string[] | undefined;
  readonly shownPaths?: readonly string[] | undefined;
  /** Opened whatever the rest says. */
  readonly lent?: { readonly readable: readonly string[]; readonly writable: readonly string[] } | undefined;
  /** Can be neither read nor written. */
  readonly hiddenPaths: readonly string[];
  /**
   * The same for absolute globs, in order; `!` shows again what an earlier one hides. Not tied to one write root
   * (`/**\/.env`), or a folder moved to another root would show what is in it.
   */
  readonly hiddenGlobs?: readonly string[] | undefined;
  readonly protectedGlobs?: readonly string[] | undefined;
  /** A private folder for temporary files, the only one in which Unix sockets work. */
  readonly temporary?: string | undefined;
  /** The loopback port of the network door. Without it there is no way out. */
  readonly doorPort?: number | undefined;
  /** Other loopback ports that may be called, such as a dev server's. Loopback is the machine's own on macOS. */
  readonly loopbackPorts?: readonly number[] | undefined;
  /** Marks the violations of this session in the system log. */
  readonly tag?: string | undefined;
}

/**
 * The Seatbelt profile for a plan. Pure. Everything is denied first; of the rules that match, the last one counts.
 * Throws a UserError for a path that a profile cannot name.
 */
export function seatbeltProfile(plan: SeatbeltPlan): string {
  const { tag, hiddenGlobs = [], protectedGlobs = [], reopenedPaths: reopened = [], lent = NOTHING_LENT } = plan;
  const writable = [...plan.writeRoots, ...(plan.temporary === undefined ? [] : [plan.temporary])];
  const within = writable.map(subpath).join(" ");
  const moved = [...new Set([...plan.protectedPaths, ...plan.hiddenPaths].flatMap((path) => pins(path, writable)))];
  const denyBelow = (operations: string, paths: readonly string[]) => [
    ...deny(operations, paths.map(subpath)),
    ...deny(operations, inAnyCase(paths.map(checked), writable, "(/.*)?").map(regex)),
  ];
  return [
    "(version 1)",
    tag === undefined ? "(deny default)" : `(deny default (with message ${text(tag)}))`,
    ...SEATBELT_BASICS,
    "(allow file-read*)",
    ...hideFolders(plan, writable),
    `(allow file-write* ${SEATBELT_DEVICES})`,
    ...(writable.length === 0 ? [] : [`(allow file-write* ${within})`]),
    // Before the other denials, because one with `!` opens again.
    ...hiddenGlobs.flatMap((glob) => hideGlob(glob, within)),
    ...denyBelow("file-write*", plan.protectedPaths),
    ...deny("file-write*", protectedGlobs.map(matching)),
    ...allow("file-write*", reopened.map(subpath)),
    ...denyBelow(
      "file-write*",
      plan.protectedPaths.filter((path) => reopened.some((open) => path !== open && isInside(path, open))),
    ),
    ...denyBelow("file-read* file-write*", plan.hiddenPaths),
    // Otherwise a folder above could be moved away, and with it what is in it.
    ...deny("file-write-unlink file-write-create", moved.map(literal)),
    ...deny("file-write-unlink file-write-create", inAnyCase(moved, writable, "").map(regex)),
    ...allow("file-read*", [...lent.readable, ...lent.writable].map(subpath)),
    ...allow("file-write*", lent.writable.map(subpath)),
    ...network(plan),
    "",
  ].join("\n");
}

const NOTHING_LENT = { readable: [], writable: [] };

const rule = (verdict: string) => (operations: string, filters: readonly string[]) =>
  filters.length === 0 ? [] : [`(${verdict} ${operations} ${filters.join(" ")})`];

const filters = (kind: string, names: readonly string[]) => names.map((name) => `(${kind} "${name}")`).join(" ");

const allow = rule("allow");

const deny = rule("deny");

/** What is there can be seen, because programs look up every folder of a path; content and listings cannot. */
function hideFolders(
  { hiddenFolders = [], shownPaths = [] }: SeatbeltPlan,
  writable: readonly string[],
): readonly string[] {
  if (hiddenFolders.length === 0) return [];
  const hidden = hiddenFolders.map(subpath);
  const shown = [...new Set([...writable, ...shownPaths])].map(subpath);
  return [...deny("file-read*", hidden), ...allow("file-read-metadata", hidden), ...allow("file-read*", shown)];
}

function hideGlob(glob: string, within: string): readonly string[] {
  if (!glob.startsWith("!")) return deny("file-read* file-write*", [matching(glob)]);
  const shown = matching(glob.slice(1));
  const writable = within === "" ? [] : [`(allow file-write* (require-all ${shown} (require-any ${within})))`];
  return [`(allow file-read* ${shown})`, ...writable];
}

/** The path and every folder above it that can be moved, the writable root included. */
function pins(path: string, roots: readonly string[]): readonly string[] {
  const found: string[] = [];
  for (let at = path; roots.some((root) => isInside(at, root)); at = dirname(at)) found.push(at);
  return found;
}

/**
 * Out only to the door and to loopback ports that were named. A rule about the local address would match every unbound
 * socket, so only servers get one. Names cannot be looked up, because the resolver's socket is closed.
 */
function network({ doorPort, loopbackPorts = [], temporary }: SeatbeltPlan): readonly string[] {
  const ports = [...(doorPort === undefined ? [] : [doorPort]), ...loopbackPorts];
  const bad = ports.find((port) => !Number.isInteger(port) || port < 1 || port > 65_535);
  if (bad !== undefined) throw new Error(`${bad} is not a port`);
  const out = [...new Set(ports)].map((port) => `(allow network-outbound (remote ip "localhost:${port}"))`);
  const serve = ['(allow network-bind (local ip "localhost:*"))', '(allow network-inbound (local ip "localhost:*"))'];
  if (temporary === undefined) return [...serve, ...out];
  return [
    ...serve,
    ...out,
    "(allow system-socket (socket-domain AF_UNIX))",
    `(allow network-bind (local unix-socket ${subpath(temporary)}))`,
    `(allow network-outbound (remote unix-socket ${subpath(temporary)}))`,
  ];
}

const subpath = (path: string) => `(subpath ${text(checked(path))})`;

const regex = (value: string) => `(regex ${text(value)})`;

const literal = (path: string) => `(literal ${text(checked(path))})`;

function checked(path: string): string {
  if (isAbsolute(path) && normalize(path) === path && (path === "/" || !path.endsWith("/")) && !path.includes("\0"))
    return path;
  throw new UserError(`a macOS sandbox cannot name the path ${JSON.stringify(path)}`, {
    fix: "use an absolute path without . and .. in it",
    exitCode: EXIT.refused,
  });
}

/** A glob as a filter. It covers what is below a match as well, or only the folder itself would be held. */
function matching(glob: string): string {
  if (!glob.startsWith("/")) throw new Error(`${glob} is not an absolute pattern`);
  return regex(`^${expression(glob.replace(/\/\*\*$/, ""))}(/.*)?$`);
}

function expression(glob: string): string {
  return glob.replace(/\/\*\*(?=\/)|\*\*|\*|\?|\[!?[^\]/]+\]|[\\^$.|+(){}[\]]/g, (token) => {
    if (token === "/**") return "(/.*)?";
    if (token === "**") return ".*";
    if (token === "*") return "[^/]*";
    if (token === "?") return "[^/]";
    return token.length > 1 ? token.replace("[!", "[^") : `\\${token}`;
  });
}

/** The reader of profiles takes no string of more than about 1,000 bytes. */
const MAX_BYTES = 900;

/** A string of the profile language; a long one in several pieces. */
function text(value: string): string {
  const pieces: string[] = [];
  let piece = "";
  for (const character of value) {
    const quoted = quote(character);
    if (Buffer.byteLength(piece + quoted) > MAX_BYTES) {
      pieces.push(piece);
      piece = "";
    }
    piece += quoted;
  }
  pieces.push(piece);
  return pieces.length === 1 ? `"${piece}"` : `(string-append ${pieces.map((part) => `"${part}"`).join(" ")})`;
}

function quote(character: string): string {
  if (character === '"' || character === "\\") return `\\${character}`;
  const code = character.codePointAt(0) ?? 0;
  return code < 32 || code === 127 ? `\\x${code.toString(16).padStart(2, "0")}` : character;
}

/** Longer expressions would not fit into one string of a profile. */
const MAX_BATCH_BYTES = 850;

/**
 * Expressions that match the paths below `roots` in any mixture of upper and lower case: on most disks of macOS that is
 * the same file, but a profile compares names exactly. The root itself is compared as it is, because the kernel knows
 * its real name. `tail` is added to each.
 */
function inAnyCase(paths: readonly string[], roots: readonly string[], tail: string): readonly string[] {
  const byRoot = Map.groupBy(paths, (path) => roots.find((root) => path !== root && isInside(path, root)));
  return [...byRoot].flatMap(([root, found]) => {
    if (root === undefined) return [];
    const names = found.map((path) => anyCase(path.slice(root.length + 1)));
    return batches(names).map((batch) => `^${escaped(root)}/(${batch.join("|")})${tail}$`);
  });
}

function batches(names: readonly string[]): readonly (readonly string[])[] {
  const found: string[][] = [];
  let bytes = 0;
  for (const name of new Set(names)) {
    bytes += Buffer.byteLength(name) + 1;
    const last = found.at(-1);
    if (last !== undefined && bytes <= MAX_BATCH_BYTES) {
      last.push(name);
      continue;
    }
    found.push([name]);
    bytes = Buffer.byteLength(name);
  }
  return found;
}

/** Letters outside ASCII that a disk takes for one of ASCII. */
const LOOKALIKES: Readonly<Record<string, string>> = { k: "\u212a", s: "\u017f" };

function anyCase(name: string): string {
  return name.replace(/./gsu, (character) => {
    const [lower, upper] = [character.toLowerCase(), character.toUpperCase()];
    if (lower === upper) return escaped(character);
    if (!/^[a-z]$/.test(lower)) return `(${[...new Set([character, lower, upper])].map(escaped).join("|")})`;
    const other = LOOKALIKES[lower];
    return other === undefined ? `[${lower}${upper}]` : `([${lower}${upper}]|${other})`;
  });
}

/** Text as an expression that matches exactly this text. */
const escaped = (text: string) => text.replace(/[\\^$.|+*?(){}[\]]/g, String.raw`\$&`);

/** Facts about the machine that runtimes and compilers read at their start. */
const SYSCTL_NAMES = wordList(`
  hw.activecpu hw.busfrequency_compat hw.byteorder hw.cacheconfig hw.cachelinesize hw.cachelinesize_compat hw.cpufamily
  hw.cpufrequency hw.cpufrequency_compat hw.cputype hw.l1dcachesize_compat hw.l1icachesize_compat hw.l2cachesize_compat
  hw.l3cachesize_compat hw.logicalcpu hw.logicalcpu_max hw.machine hw.memsize hw.model hw.ncpu hw.nperflevels hw.packages
  hw.pagesize hw.pagesize_compat hw.physicalcpu hw.physicalcpu_max hw.tbfrequency_compat hw.vectorunit kern.argmax
  kern.bootargs kern.hostname kern.maxfiles kern.maxfilesperproc kern.maxproc kern.ngroups kern.osproductversion
  kern.osproductversioncompat kern.osrelease kern.ostype kern.osvariant_status kern.osversion kern.secure_kernel
  kern.tcsm_available kern.tcsm_enable kern.usrstack64 kern.version kern.willshutdown machdep.cpu.brand_string
  machdep.ptrauth_enabled security.mac.lockdown_mode_state sysctl.proc_cputype sysctl.proc_translated vm.loadavg
`);

const SYSCTL_PREFIXES = wordList("hw.optional.arm hw.perflevel kern.proc. machdep.cpu. net.routetable");

/**
 * System services without which ordinary programs do not start. Left out on purpose: trustd (verifies certificates for
 * Go, and fetches what they name), Apple events and Launch Services, which start programs outside the sandbox.
 */
const MACH_SERVICES = wordList(`
  com.apple.FontObjectsServer com.apple.PowerManagement.control com.apple.SecurityServer com.apple.bsd.dirhelper
  com.apple.cfprefsd.agent com.apple.cfprefsd.daemon com.apple.diagnosticd com.apple.fonts com.apple.logd
  com.apple.lsd.mapdb com.apple.securityd.xpc com.apple.system.logger com.apple.system.notification_center
  com.apple.system.opendirectoryd.libinfo com.apple.system.opendirectoryd.membership
`);

const DEVICES = wordList("/dev/null /dev/zero /dev/random /dev/urandom /dev/tty /dev/dtracehelper");

/** What every profile allows: to run programs, to see and signal its own processes, terminals, and facts about the machine. */
const SEATBELT_BASICS: readonly string[] = [
  "(allow process-exec)",
  "(allow process-fork)",
  "(allow process-info* (target same-sandbox))",
  "(allow signal (target same-sandbox))",
  `(allow sysctl-read ${filters("sysctl-name", SYSCTL_NAMES)} ${filters("sysctl-name-prefix", SYSCTL_PREFIXES)})`,
  '(allow sysctl-write (sysctl-name "kern.tcsm_enable"))',
  `(allow mach-lookup ${filters("global-name", MACH_SERVICES)})`,
  "(allow ipc-posix-shm)",
  "(allow ipc-posix-sem)",
  '(allow iokit-open (iokit-registry-entry-class "RootDomainUserClient") (iokit-user-client-class "IOSurfaceSendRight"))',
  "(allow pseudo-tty)",
  `(allow file-ioctl ${filters("literal", [...DEVICES, "/dev/ptmx"])} (regex "^/dev/ttys"))`,
];

/** Devices that can be written without changing anything. */
const SEATBELT_DEVICES = `${filters("literal", [...DEVICES, "/dev/ptmx", "/dev/stdout", "/dev/stderr"])} (regex "^/dev/ttys") (regex "^/dev/fd/")`;
