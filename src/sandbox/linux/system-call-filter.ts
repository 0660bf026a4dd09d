/** What the filter needs to know about a processor. */
interface Processor {
  readonly audit: number;
  readonly calls: Readonly<Record<CallName, number>>;
  /** Calls that give a file its rights, and the place of these among their arguments. */
  readonly modes: Readonly<Record<string, readonly [call: number, place: number]>>;
  /** Calls from this number on belong to another numbering of the same processor. */
  readonly otherNumbering?: number;
}

type CallName = (typeof REFUSED)[number] | (typeof UNKNOWN)[number] | "clone" | "unshare" | "ioctl" | "socket";

/** Refused with EPERM: other namespaces, mounts, keyrings, and parts of the kernel that commands have no use for. */
const REFUSED = [
  "setns",
  "mount",
  "umount2",
  "pivot_root",
  "move_mount",
  "open_tree",
  "fsopen",
  "fsconfig",
  "fsmount",
  "fspick",
  "mount_setattr",
  "add_key",
  "request_key",
  "keyctl",
  "bpf",
  "perf_event_open",
  "userfaultfd",
  "open_by_handle_at",
  "syslog",
] as const;

/** Answered with ENOSYS, because programs then use an older call that the filter can read. */
const UNKNOWN = ["clone3", "io_uring_setup", "io_uring_enter", "io_uring_register", "openat2", "fchmodat2"] as const;

/** To open a file, rights count only with one of these flags: O_CREAT, and the bit of its own that O_TMPFILE has. */
const CREATING = 0x400040;

const SHARED_NUMBERS = {
  io_uring_setup: 425,
  io_uring_enter: 426,
  io_uring_register: 427,
  open_tree: 428,
  move_mount: 429,
  fsopen: 430,
  fsconfig: 431,
  fsmount: 432,
  fspick: 433,
  clone3: 435,
  openat2: 437,
  fchmodat2: 452,
  mount_setattr: 442,
};

const PROCESSORS: Readonly<Record<string, Processor>> = {
  x64: {
    audit: 0xc000003e,
    otherNumbering: 0x40000000,
    calls: {
      ...SHARED_NUMBERS,
      ioctl: 16,
      socket: 41,
      clone: 56,
      syslog: 103,
      pivot_root: 155,
      mount: 165,
      umount2: 166,
      add_key: 248,
      request_key: 249,
      keyctl: 250,
      unshare: 272,
      perf_event_open: 298,
      open_by_handle_at: 304,
      setns: 308,
      bpf: 321,
      userfaultfd: 323,
    },
    modes: {
      open: [2, 2],
      creat: [85, 1],
      chmod: [90, 1],
      fchmod: [91, 1],
      mknod: [133, 1],
      openat: [257, 3],
      mknodat: [259, 2],
      fchmodat: [268, 2],
    },
  },
  arm64: {
    audit: 0xc00000b7,
    calls: {
      ...SHARED_NUMBERS,
      ioctl: 29,
      umount2: 39,
      mount: 40,
      pivot_root: 41,
      unshare: 97,
      syslog: 116,
      socket: 198,
      add_key: 217,
      request_key: 218,
      keyctl: 219,
      clone: 220,
      perf_event_open: 241,
      open_by_handle_at: 265,
      setns: 268,
      bpf: 280,
      userfaultfd: 282,
    },
    modes: { mknodat: [33, 2], fchmod: [52, 1], fchmodat: [53, 2], openat: [56, 3] },
  },
};

const EPERM = 1;
const ENOSYS = 38;
const EAFNOSUPPORT = 97;

/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID and NEWNET. */
const NEW_NAMESPACE = 0x7e020000;
/** In `clone` this bit belongs to the signal. */
const NEW_TIME = 0x80;

/** Terminal requests that type on behalf of the user. */
const TERMINAL_INPUT = [0x5412, 0x541c];

/** AF_VSOCK reaches the host of a virtual machine; AF_ALG is a part of the kernel that commands have no use for. */
const FAMILIES = [40, 38];

/**
 * The system call filter of the sandbox, in the form that `bwrap --seccomp` reads, or undefined for a processor that
 * we have no numbers for. It only closes what no ordinary build needs; the namespaces hold the rest.
 */
export function systemCallFilter(
  processor: string = process.arch,
  isRoot = process.getuid?.() === 0,
): Buffer | undefined {
  const known = PROCESSORS[processor];
  if (known === undefined) return undefined;
  const { audit, calls, otherNumbering } = known;
  return assemble([
    load(ARCHITECTURE),
    ...unless(audit, [answer(EPERM)]),
    load(NUMBER),
    ...(otherNumbering === undefined ? [] : [...test(JGE, otherNumbering, [answer(EPERM)])]),
    ...REFUSED.flatMap((name) => when(calls[name], [answer(EPERM)])),
    ...UNKNOWN.flatMap((name) => when(calls[name], [answer(ENOSYS)])),
    ...when(calls.clone, [load(ARGUMENT), ...test(JSET, NEW_NAMESPACE, [answer(EPERM)]), ALLOW]),
    ...when(calls.unshare, [load(ARGUMENT), ...test(JSET, NEW_NAMESPACE | NEW_TIME, [answer(EPERM)]), ALLOW]),
    ...when(calls.ioctl, [
      load(SECOND_ARGUMENT),
      ...TERMINAL_INPUT.flatMap((request) => when(request, [answer(EPERM)])),
      ALLOW,
    ]),
    ...refuseRights(known, isRoot),
    ...when(calls.socket, [load(ARGUMENT), ...FAMILIES.flatMap((family) => when(family, [answer(EAFNOSUPPORT)]))]),
    ALLOW,
  ]);
}

/**
 * A program with such a right would run as the user for everybody else on the machine, also after the session. The bit of
 * the group is common on folders, so only that of root's group is refused.
 */
function refuseRights(processor: Processor, isRoot: boolean): readonly Instruction[] {
  const refused = test(JSET, isRoot ? 0o6000 : 0o4000, [answer(EPERM)]);
  return Object.entries(processor.modes).flatMap(([name, [call, place]]) => {
    const rights = [load(ARGUMENT + 8 * place), ...refused];
    const isOpen = name.startsWith("open");
    return when(
      call,
      isOpen ? [load(ARGUMENT + 8 * (place - 1)), ...test(JSET, CREATING, rights), ALLOW] : [...rights, ALLOW],
    );
  });
}

interface Instruction {
  readonly code: number;
  readonly yes: number;
  readonly no: number;
  readonly value: number;
}

/** Offsets in `struct seccomp_data`; of the arguments the lower half, which is all that these calls read. */
const NUMBER = 0;
const ARCHITECTURE = 4;
const ARGUMENT = 16;
const SECOND_ARGUMENT = 24;

const JEQ = 0x15;
const JGE = 0x35;
const JSET = 0x45;

const load = (offset: number): Instruction => ({ code: 0x20, yes: 0, no: 0, value: offset });
const answer = (error: number): Instruction => ({ code: 0x06, yes: 0, no: 0, value: 0x00050000 | error });
const ALLOW: Instruction = { code: 0x06, yes: 0, no: 0, value: 0x7fff0000 };

/** Runs `then` if the test holds for what was loaded, otherwise skips it. */
const test = (code: number, value: number, then: readonly Instruction[]): readonly Instruction[] => [
  { code, yes: 0, no: then.length, value },
  ...then,
];
const when = (value: number, then: readonly Instruction[]) => test(JEQ, value, then);
const unless = (value: number, then: readonly Instruction[]): readonly Instruction[] => [
  { code: JEQ, yes: then.length, no: 0, value },
  ...then,
];

function assemble(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * 8);
  for (const [index, { code, yes, no, value }] of program.entries()) {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(yes, index * 8 + 2);
    bytes.writeUInt8(no, index * 8 + 3);
    bytes.writeUInt32LE(value >>> 0, index * 8 + 4);
  }
  return bytes;
}
