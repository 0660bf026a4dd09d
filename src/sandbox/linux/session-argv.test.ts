import { expect, test } from "vitest";
import { sessionArguments } from "./session-argv.ts";

test("the arguments follow from the plan", () => {
  const plan = {
    workspace: "/w",
    home: "/h",
    mounts: [
      { kind: "replace", path: "/h", source: "/p" },
      { kind: "writable", path: "/w" },
      { kind: "empty-folder", path: "/w/.env" },
    ],
    roots: ["/w"],
    watched: [],
    links: [],
    repositories: [],
    indexes: [],
    standIns: ["/w/.git/commondir"],
    placeholders: [],
  } as const;
  const limits = { tmp: 1024 };
  const init = { helper: "/i", filter: 5, closesUserNamespaces: true };
  const own = sessionArguments(plan, { init, limits })
    .join(" ")
    .replaceAll(/--size \d+/g, "--size N");
  expect(own).toBe(
    "--unshare-user --unshare-pid --unshare-ipc --unshare-uts --unshare-net --unshare-cgroup-try --die-with-parent --new-session --cap-drop ALL --as-pid-1 --disable-userns --seccomp 5 --ro-bind / / --dev /dev --proc /proc --ro-bind-try /proc/sys /proc/sys --ro-bind-try /proc/sysrq-trigger /proc/sysrq-trigger --ro-bind-try /proc/irq /proc/irq --ro-bind-try /proc/bus /proc/bus --ro-bind-try /proc/acpi /proc/acpi --ro-bind-try /proc/fs /proc/fs --ro-bind-try /proc/mtrr /proc/mtrr --perms 1777 --size N --tmpfs /dev/shm --remount-ro /dev --size N --tmpfs /run --perms 1777 --size N --tmpfs /var/tmp --perms 1777 --size N --tmpfs /tmp --bind /p /h --bind /w /w --perms 0555 --size N --tmpfs /w/.env --remount-ro /w/.env --ro-bind /w/.git/commondir /w/.git/commondir --ro-bind /i /run/signalbox/init --chdir /",
  );
  const entered = sessionArguments(plan, { limits }).join(" ");
  expect(entered).toMatch(/^--unshare-user .* --cap-drop ALL --ro-bind \/ \/ --tmpfs \/dev .* --chdir \/$/);
  expect(entered).not.toMatch(/--as-pid-1|--disable-userns|--seccomp|--dev \/dev|signalbox\/init/);
});
