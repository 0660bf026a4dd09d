import type { Policy } from "../policy/policy.ts";
import { ready } from "../policy/ready-policy.ts";
import { realWorld } from "../real-world.ts";
import type { Finding } from "../verdict.ts";
import type { World } from "../world.ts";
import { judgePath, type PathAccess } from "./judge-path.ts";

/** A change to a file of a workspace that no agent's call asked for. */
interface FloorUse {
  readonly access: PathAccess;
  /** Absolute, or seen from `root`. */
  readonly path: string;
}

interface FloorPlace {
  readonly root: string;
  readonly home: string;
  readonly readLink: World["readLink"];
}

/** Everything that the floors have against a change in a workspace, whatever its policy says. */
export function judgeByFloors(use: FloorUse, { root, home, readLink }: FloorPlace): readonly Finding[] {
  const policy = ready({ ...FLOORS_ONLY, workspaceRoot: root, home });
  const world = { ...realWorld, readLink };
  return judgePath({ ...use, glob: false }, { policy, world, cwd: root, otherCwds: [], outside: "deny" });
}

const FLOORS_ONLY: Omit<Policy, "workspaceRoot" | "home"> = {
  version: 1,
  id: "floors",
  rules: [],
  tools: { allow: [], deny: [], ask: [], otherwise: undefined },
  paths: {
    readRoots: ["."],
    writeRoots: ["."],
    denyRead: [],
    denyWrite: [],
    outside: "deny",
    outsideForTools: "deny",
  },
  network: { mode: "none", allow: [], deny: [], schemes: [], ports: [], blockPrivate: true, unlisted: "deny" },
  fallback: "deny",
  interactive: false,
  sandbox: "off",
};
