import { existsSync } from "node:fs";
import { textIfThere } from "../lib/files/read-file.ts";

/** What is known about the machine that a sandbox did not start on. Read by `readMachine`; tests pass their own. */
export interface SandboxMachine {
  /** `/proc/version`. */
  readonly kernel: string;
  /** Contents of kernel settings by path; missing where there is no such setting. */
  readonly settings: Readonly<Record<string, string | undefined>>;
  readonly inContainer: boolean;
  readonly onGithub: boolean;
}

interface Explanation {
  readonly because: string;
  readonly fix: string;
}

export const APPARMOR = "/proc/sys/kernel/apparmor_restrict_unprivileged_userns";

export const DEBIAN_SWITCH = "/proc/sys/kernel/unprivileged_userns_clone";

export const NAMESPACE_LIMIT = "/proc/sys/user/max_user_namespaces";

interface KnownPlace extends Explanation {
  readonly isHere: (machine: SandboxMachine, errors: string) => boolean;
}

const isNamespaceError = (errors: string) =>
  /new namespace|namespaces?: |uid map|No permissions|max_user_namespaces/i.test(errors);

/** The first that fits explains the failure. */
const KNOWN_PLACES: readonly KnownPlace[] = [
  {
    isHere: ({ kernel }) => /gVisor|Sun Jan 10 15:06:54 PST 2016/.test(kernel),
    because: "gVisor does not offer what bubblewrap needs",
    fix: "run signalbox outside gVisor (docker run --runtime=runc), or set sandbox: off in the policy",
  },
  {
    isHere: ({ kernel }) => /-Microsoft\b/.test(kernel),
    because: "WSL 1 has no user namespaces",
    fix: "convert the distribution to WSL 2 (wsl --set-version NAME 2), or set sandbox: off in the policy",
  },
  {
    isHere: ({ settings, onGithub }, errors) => onGithub && settings[APPARMOR] === "1" && isNamespaceError(errors),
    because: "AppArmor on this GitHub runner keeps bubblewrap from making user namespaces",
    fix: "add a step before: sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0",
  },
  {
    isHere: ({ settings }, errors) => settings[APPARMOR] === "1" && isNamespaceError(errors),
    because: "AppArmor keeps bubblewrap from making user namespaces (Ubuntu 23.10 and newer)",
    fix: "sudo apt install bubblewrap apparmor-profiles && sudo ln -s /usr/share/apparmor/extra-profiles/bwrap-userns-restrict /etc/apparmor.d/ && sudo systemctl reload apparmor",
  },
  {
    isHere: ({ settings }) => settings[DEBIAN_SWITCH] === "0",
    because: "this kernel lets only root make user namespaces",
    fix: "sudo sysctl -w kernel.unprivileged_userns_clone=1",
  },
  {
    isHere: ({ settings }) => settings[NAMESPACE_LIMIT] === "0",
    because: "user namespaces are switched off on this machine",
    fix: "sudo sysctl -w user.max_user_namespaces=15000",
  },
  {
    isHere: ({ inContainer }) => inContainer,
    because: "this container does not let bubblewrap make namespaces",
    fix: "start it with: docker run --security-opt seccomp=unconfined --security-opt apparmor=unconfined --security-opt systempaths=unconfined (dev containers: runArgs)",
  },
];

const UNKNOWN_FIX = "allow bwrap to create user namespaces on this machine, or set sandbox: off in the policy";

/** Why the sandbox did not start, and what to do. `errors` is what bubblewrap or the helper said. */
export function explainFailure(errors: string, machine: SandboxMachine): Explanation {
  const last = errors.trim().split("\n").at(-1) ?? "";
  const said = last === "" ? "" : ` (${last.slice(0, 300)})`;
  const place = KNOWN_PLACES.find(({ isHere }) => isHere(machine, errors));
  if (place !== undefined) return { because: `${place.because}${said}`, fix: place.fix };
  return { because: `bubblewrap does not start on this machine${said}`, fix: UNKNOWN_FIX };
}

/** What this machine says about namespaces. */
export function readMachine(environment: Readonly<Record<string, string | undefined>> = process.env): SandboxMachine {
  const settings = [APPARMOR, DEBIAN_SWITCH, NAMESPACE_LIMIT].map((path) => [path, textIfThere(path)?.trim()]);
  return {
    kernel: textIfThere("/proc/version") ?? "",
    settings: Object.fromEntries(settings),
    inContainer: existsSync("/.dockerenv") || existsSync("/run/.containerenv"),
    onGithub: environment["GITHUB_ACTIONS"] === "true",
  };
}
