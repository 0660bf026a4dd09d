/** One change to what a command sees of the disk. Later mounts lie over earlier ones. */
export interface Mount {
  /** `empty-folder` and `empty-file` hide what is there for good; `scratch-folder` can be filled and is gone afterwards. */
  readonly kind: "writable" | "read-only" | "scratch-folder" | "empty-folder" | "empty-file";
  readonly path: string;
}

/** Everything that decides what a command can reach. Plain data, so that it can be shown and compared. */
export interface SandboxPlan {
  /** The bubblewrap program. */
  readonly bubblewrap: string;
  readonly workspace: string;
  /** Where the command starts, when not in the workspace. */
  readonly folder?: string | undefined;
  readonly network: "none" | "shared";
  readonly mounts: readonly Mount[];
  /** Paths that do not exist and must not come to be. Mounting over them leaves empty folders: see `releaseSandbox`. */
  readonly absent: readonly string[];
  /** Files that cannot be kept from being made, and are removed afterwards. */
  readonly unwanted?: readonly string[] | undefined;
  /** A folder that stands for /tmp, so that commands can find what earlier ones left there. */
  readonly temporary?: string | undefined;
  /** Variables that would name a way out. */
  readonly unset?: readonly string[] | undefined;
  /** The command goes on when the process that started it ends. */
  readonly outlives?: boolean | undefined;
}

/** Variables that name sockets of other programs of the user. */
const SOCKET_VARIABLES = ["SSH_AUTH_SOCK", "DBUS_SESSION_BUS_ADDRESS", "DOCKER_HOST", "WAYLAND_DISPLAY", "DISPLAY"];

const OWN_SPACES = "--unshare-pid --unshare-ipc --unshare-uts --unshare-cgroup-try --new-session --cap-drop ALL".split(
  " ",
);

/** Settings of the kernel, which root could change even without capabilities. */
const KERNEL = ["sys", "sysrq-trigger", "irq", "bus", "acpi", "fs", "mtrr"].map((name) => `/proc/${name}`);

const READ_ONLY_DISK = [
  ..."--ro-bind / / --dev /dev --proc /proc".split(" "),
  ...KERNEL.flatMap((path) => ["--ro-bind-try", path, path]),
];

/** Sockets in these folders would reach programs outside, and a read-only mount does not stop a connection. */
const EMPTY_FOLDERS = ["--tmpfs", "/run", "--tmpfs", "/var/tmp"];

/**
 * The argv that runs `command` inside the plan. Pure. The whole disk is read-only but for the plan's mounts; processes,
 * shared memory and (unless shared) the network are its own; it has no capabilities and no terminal.
 */
export function sandboxedArgv(command: readonly string[], plan: SandboxPlan): readonly string[] {
  const { bubblewrap, workspace, folder = workspace, network, mounts, temporary, unset = [], outlives = false } = plan;
  return [
    bubblewrap,
    ...OWN_SPACES,
    ...(network === "none" ? ["--unshare-net"] : []),
    ...(outlives ? [] : ["--die-with-parent"]),
    ...READ_ONLY_DISK,
    ...EMPTY_FOLDERS,
    ...(temporary === undefined ? ["--tmpfs", "/tmp"] : ["--bind", temporary, "/tmp"]),
    ...mounts.flatMap(mountArguments),
    ...[...SOCKET_VARIABLES, ...unset].flatMap((name) => ["--unsetenv", name]),
  ].concat("--setenv", "TMPDIR", "/tmp", "--chdir", folder, "--", command);
}

function mountArguments({ kind, path }: Mount): readonly string[] {
  switch (kind) {
    case "writable":
      return ["--bind", path, path];
    case "read-only":
      return ["--ro-bind", path, path];
    case "scratch-folder":
      return ["--tmpfs", path];
    case "empty-folder":
      // Nothing that is put there reaches the disk; the mode says so at once. A read-only remount would cost 4 ms a command.
      return ["--perms", "0555", "--tmpfs", path];
    case "empty-file":
      return ["--ro-bind", "/dev/null", path];
  }
}
