import { chmodSync } from "node:fs";
import { join } from "node:path";
import { randomId } from "../lib/random-id.ts";
import { hostileFiles } from "./plan-repository.ts";
import { playSession, type TrialSession } from "./session.ts";
import type { TrialPlace } from "./trial-place.ts";
import type { Trial } from "./trial.ts";
import { writeBelow } from "./write-below.ts";

/**
 * A session in a folder of an untrusted repository. The AGENTS.md files at the top and in the folder must reach the
 * model, and none of the repository's hooks or servers may run. A second session without these files shows that the
 * text comes from them.
 */
export async function tryInstructions(stage: TrialPlace): Promise<readonly Trial[]> {
  const [top, below] = [`top-${randomId()}`, `below-${randomId()}`];
  const repository = stage.repository({ "AGENTS.md": `Say ${top}.\n`, "below/AGENTS.md": `Say ${below}.\n` });
  writeBelow(repository, await hostileFiles(repository));
  chmodSync(join(repository, "hostile.sh"), 0o755);
  const play = (folder: string) =>
    playSession(stage, {
      steps: [{ turn: { text: "Done." } }],
      flags: stage.offline.unattended,
      repository: folder,
    });
  const session = await play(join(repository, "below"));
  const control = await play(stage.repository());
  const refused = session.refused === undefined ? [] : [`the launch failed: ${session.refused.message}`];
  const absent = [
    ...(holds(session, top) ? [] : ["the top-level AGENTS.md did not reach the model"]),
    ...(holds(session, below) ? [] : ["the folder's AGENTS.md did not reach the model"]),
    ...(control.requests.length > 0 && !holds(control, top)
      ? []
      : ["the control session without instructions proves nothing"]),
  ];
  return [
    {
      id: "instructions",
      ran: ["../hostile-hook", "../hostile-server"].filter((file) => session.exists(file)),
      missing: refused.length > 0 ? refused : absent,
      seen: "the top-level and the folder's AGENTS.md reached the model, and none of the repository's hooks or servers ran",
    },
  ];
}

const holds = ({ requests }: TrialSession, text: string) =>
  requests.some(({ body }) => JSON.stringify(body).includes(text));
