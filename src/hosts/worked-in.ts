import type { HostPlace } from "../backplane/host.ts";

/** The folders of a run whose programs are not taken for an agent's: the root, and what it is a copy of. */
export const workedIn = ({ root, source }: Pick<HostPlace, "root" | "source">) =>
  source === undefined ? [root] : [root, source];
