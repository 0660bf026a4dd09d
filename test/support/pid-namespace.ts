import { spawnSync } from "node:child_process";

const ways = [
  ["unshare", "--pid", "--fork", "--mount-proc", "--kill-child"],
  ["unshare", "--map-root-user", "--pid", "--fork", "--mount-proc", "--kill-child"],
];

/** Words that run a program in a pid namespace of its own, as a container does; undefined where the system lets us not. */
export const inOtherNamespace = ways.find(
  ([program = "", ...args]) => spawnSync(program, [...args, "true"], { stdio: "ignore" }).status === 0,
);
