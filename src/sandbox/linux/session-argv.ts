import type { Limits } from "../session/limits.ts";
import type { SessionMount, SessionView } from "../session/session-plan.ts";

/** Where the helper is inside. */
export const INIT_INSIDE = "/run/signalbox/init";

const MEGABYTE = 1024 * 1024;

/** Kernel settings, which root could change even without capabilities. */
const KERNEL = ["sys", "sysrq-trigger", "irq", "bus", "acpi", "fs", "mtrr"].map((name) => `/proc/${name}`);

/** A file of ours that commands see, read-only, at a path of the system. */
export interface CoveredFile {
  readonly source: string;
  readonly path: string;
}

interface ArgvPlace {
  readonly limits: Pick<Limits, "tmp">;
  readonly covered?: readonly CoveredFile[] | undefined;
  /** Undefined: the sandbox is entered from outside, which works only with devices that are bound one by one. */
  readonly init?: InitPlace | undefined;
}

interface InitPlace {
  readonly helper: string;
  /** Descriptor of the system call filter, if there is one for this processor. */
  readonly filter: number | undefined;
  /** `--disable-userns`, from bubblewrap 0.8 on. */
  readonly closesUserNamespaces: boolean;
}

/** The arguments of a session's bubblewrap. Later mounts cover earlier ones. */
export function sessionArguments(plan: SessionView, { init, covered = [], limits }: ArgvPlace): readonly string[] {
  const temporary = (path: string, part = 1) => {
    const size = Math.floor(limits.tmp / part);
    return ["--perms", "1777", "--size", String(size), "--tmpfs", path];
  };
  return [
    ..."--unshare-user --unshare-pid --unshare-ipc --unshare-uts --unshare-net --unshare-cgroup-try".split(" "),
    ..."--die-with-parent --new-session --cap-drop ALL".split(" "),
    ...(init === undefined ? [] : ["--as-pid-1"]),
    ...(init?.closesUserNamespaces === true ? ["--disable-userns"] : []),
    ...(init?.filter === undefined ? [] : ["--seccomp", String(init.filter)]),
    ..."--ro-bind / /".split(" "),
    ...(init === undefined ? DEVICES : ["--dev", "/dev"]),
    ..."--proc /proc".split(" "),
    ...kernelSettings(init === undefined).flatMap((path) => ["--ro-bind-try", path, path]),
    ...temporary("/dev/shm", 2),
    ..."--remount-ro /dev".split(" "),
    ...`--size ${64 * MEGABYTE} --tmpfs /run`.split(" "),
    ...temporary("/var/tmp", 2),
    ...temporary("/tmp"),
    ...plan.mounts.flatMap(mountArguments),
    ...plan.standIns.flatMap((path) => ["--ro-bind", path, path]),
    ...plan.mounts.filter(({ kind }) => kind === "between").flatMap(({ path }) => ["--remount-ro", path]),
    ...(init === undefined ? [] : ["--ro-bind", init.helper, INIT_INSIDE]),
    ...covered.flatMap(({ source, path }) => ["--ro-bind", source, path]),
    "--chdir",
    "/",
  ];
}

/** Only root could write them. Without the helper an ordinary user's first process has to write one of its own. */
const kernelSettings = (isEntered: boolean) =>
  isEntered && process.getuid?.() !== 0 ? KERNEL.filter((path) => path !== "/proc/sys") : KERNEL;

/** What `--dev` makes, but for terminals, in the same user namespace as everything else. */
const DEVICES = [
  "--tmpfs",
  "/dev",
  ...["null", "zero", "full", "random", "urandom", "tty"].flatMap((name) => [
    "--dev-bind",
    `/dev/${name}`,
    `/dev/${name}`,
  ]),
  ..."--symlink /proc/self/fd /dev/fd --symlink /proc/self/fd/0 /dev/stdin".split(" "),
  ..."--symlink /proc/self/fd/1 /dev/stdout --symlink /proc/self/fd/2 /dev/stderr".split(" "),
];

function mountArguments(mount: SessionMount): readonly string[] {
  const { path } = mount;
  switch (mount.kind) {
    case "replace":
      return ["--bind", mount.source, path];
    case "writable":
      return ["--bind", path, path];
    case "read-only":
      return ["--ro-bind", path, path];
    case "scratch-folder":
      return ["--size", String(256 * MEGABYTE), "--tmpfs", path];
    case "between":
      return ["--perms", "0755", "--size", String(MEGABYTE), "--tmpfs", path];
    case "empty-folder":
      return ["--perms", "0555", "--size", "4096", "--tmpfs", path, "--remount-ro", path];
    case "empty-file":
      return ["--ro-bind", "/dev/null", path];
  }
}
