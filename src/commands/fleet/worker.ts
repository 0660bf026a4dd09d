import { hostname } from "node:os";
import { join } from "node:path";
import manifest from "../../../package.json" with { type: "json" };
import { findBinary } from "../../agents/find-binary.ts";
import { AGENTS } from "../../agents/packs.ts";
import { LEASE_SECONDS, openFleet } from "../../fleet/open-fleet.ts";
import { work } from "../../fleet/worker.ts";
import { HOST_NAMES, reachableHosts } from "../../hosts/named-host.ts";
import { signalboxHome } from "../../lib/path/home-folder.ts";
import { packageFolder } from "../../lib/path/package-folder.ts";
import { currentFolder } from "../../lib/path/workspace.ts";
import { ENDING_SIGNALS } from "../../lib/process/at-exit.ts";
import { refuseDeepSession } from "../../lib/process/inside-session.ts";
import { say } from "../../lib/process/standard-streams.ts";
import { EXIT, UserError } from "../../lib/text/user-error.ts";
import { proofState } from "../../proof/proof-state.ts";
import { recoverRuns } from "../../receipts/run/recover-runs.ts";
import { sealKey } from "../../receipts/seal/seal.ts";
import { endLeftCommands } from "../../sandbox/run/left-commands.ts";
import { countFlag, type Flags, textFlag, textsFlag } from "../flags.ts";
import { seconds } from "../run/order.ts";
import { runSetting } from "../run/setting.ts";

const MAX_CAPACITY = 64;

/** Is a worker until it is told to end. */
export async function startWorker(flags: Flags): Promise<number> {
  refuseDeepSession(process.env, say);
  const home = signalboxHome();
  const setting = runSetting(process.env);
  sealKey(home);
  const labels = textsFlag(flags, "labels").flatMap((list) => list.split(","));
  const name = textFlag(flags, "name") ?? hostname();
  for (const [flag, word] of [["--name", name], ...labels.map((label) => ["--labels", label])] as const)
    if (!/^[\w.@+-]{1,64}$/.test(word ?? ""))
      throw new UserError(`${JSON.stringify(word)} cannot be the name of a worker or label`, {
        where: flag ?? "",
        fix: "use letters, digits, and . _ - + @",
      });
  const capacity = countFlag(flags, "capacity", MAX_CAPACITY, 1) ?? 1;
  await using fleet = await openFleet(home, process.env, seconds(flags, "lease") ?? LEASE_SECONDS);
  const recover = async () => {
    await endLeftCommands(home, say);
    await recoverRuns(setting);
  };
  await recover();
  const stop = new AbortController();
  const onSignal = () => stop.abort();
  for (const signal of ENDING_SIGNALS) process.on(signal, onSignal);
  say(`worker ${name} takes orders from ${fleet.place}`);
  await work({
    fleet,
    home,
    env: process.env,
    program: [join(packageFolder(), "bin/signalbox"), "fleet", "attempt"],
    recover,
    signal: stop.signal,
    name,
    version: manifest.version,
    capacity,
    meets: async () => new Set([...labels.map((label) => `label=${label}`), ...(await installed(home))]),
    log: say,
    isBrief: flags["once"] === true,
  });
  for (const signal of ENDING_SIGNALS) process.off(signal, onSignal);
  return EXIT.ok;
}

/** The agents that work here, and those that are proven: as `agent=` and `proven=`. */
async function installed(home: string): Promise<readonly string[]> {
  const reachable: readonly string[] = await reachableHosts(process.env);
  const found = AGENTS.filter(({ name }) => HOST_NAMES.includes(name)).flatMap((agent) => {
    try {
      const binary = findBinary(agent, process.env, [currentFolder()]);
      const { state } = proofState(agent, binary, { home, version: manifest.version });
      return [`agent=${agent.name}`, ...(state === "proven" ? [`proven=${agent.name}`] : [])];
    } catch {
      // Not installed, or not usable; doctor says why.
      return [];
    }
  });
  return ["agent=mock", "agent=native", ...reachable.map((name) => `agent=${name}`), ...found];
}
