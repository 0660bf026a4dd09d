/** One change to the command's view of the disk. Later mounts cover earlier ones. */
export interface Mount {
  /**
   * `empty-folder` and `empty-file` hide the original and stay empty; `scratch-folder` is writable and discarded
   * afterwards.
   */
  readonly kind: "writable" | "read-only" | "scratch-folder" | "empty-folder" | "empty-file";
  readonly path: string;
}

/** Everything that determines what a command can access. Plain data, so that it can be displayed and compared. */
export interface SandboxPlan {
  /** The bubblewrap program. */
  readonly bubblewrap: string;
  readonly workspace: string;
  /** The command's working folder, if not the workspace. */
  readonly folder?: string | undefined;
  readonly network: "none" | "shared";
  readonly mounts: readonly Mount[];
  /** Paths that do not exist and must not be created. Mounting over them leaves empty folders: see `releaseSandbox`. */
  readonly absent: readonly string[];
  /** Files whose creation cannot be prevented; they are removed afterwards. */
  readonly unwanted?: readonly string[] | undefined;
  /** A folder mounted at /tmp, so that commands find files that earlier ones left there. */
  readonly temporary?: string | undefined;
  /** Variables that would point to a way out of the sandbox. */
  readonly unset?: readonly string[] | undefined;
  /** The command keeps running when the process that started it exits. */
  readonly outlives?: boolean | undefined;
}

/** Variables that name sockets of the user's other programs. */
const SOCKET_VARIABLES = ["SSH_AUTH_SOCK", "DBUS_SESSION_BUS_ADDRESS", "DOCKER_HOST", "WAYLAND_DISPLAY", "DISPLAY"];

const OWN_SPACES = "--unshare-pid --unshare-ipc --unshare-uts --unshare-cgroup-try --new-session --cap-drop ALL".split(
  " ",
);

/** Kernel settings, which root could change even without capabilities. */
const KERNEL = ["sys", "sysrq-trigger", "irq", "bus", "acpi", "fs", "mtrr"].map((name) => `/proc/${name}`);

const READ_ONLY_DISK = [
  ..."--ro-bind / / --dev /dev --proc /proc".split(" "),
  ...KERNEL.flatMap((path) => ["--ro-bind-try", path, path]),
];

/** Sockets in these folders would reach programs outside, and a read-only mount does not prevent connecting. */
const EMPTY_FOLDERS = ["--tmpfs", "/run", "--tmpfs", "/var/tmp"];

/**
 * The argv that runs `command` inside the plan. Pure. The whole disk is read-only except for the plan's mounts. The
 * command has private processes, shared memory and (unless shared) network, no capabilities and no terminal.
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
      // Nothing written there reaches the disk; the mode makes writes fail early. A read-only remount would cost 4 ms
      // per command.
      return ["--perms", "0555", "--tmpfs", path];
    case "empty-file":
      return ["--ro-bind", "/dev/null", path];
  }
}
