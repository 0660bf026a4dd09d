import { chmodSync } from "node:fs";
import { join } from "node:path";
import { randomId } from "../lib/random-id.ts";
import { hostileFiles } from "./plan-repository.ts";
import { playSession, type TrialSession } from "./session.ts";
import type { TrialPlace } from "./trial-place.ts";
import type { Trial } from "./trial.ts";
import { writeBelow } from "./write-below.ts";

/**
 * A session in a folder of a strange repository: AGENTS.md of the top and of the folder must reach the model, and no
 * hook or server of the repository may run. A second session without the files shows that the words come from them.
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
    ...(holds(session, top) ? [] : ["AGENTS.md of the top did not reach the model"]),
    ...(holds(session, below) ? [] : ["AGENTS.md of the folder did not reach the model"]),
    ...(control.requests.length > 0 && !holds(control, top) ? [] : ["the session without instructions shows nothing"]),
  ];
  return [
    {
      id: "instructions",
      ran: ["../hostile-hook", "../hostile-server"].filter((file) => session.exists(file)),
      missing: refused.length > 0 ? refused : absent,
      seen: "AGENTS.md of the top and of the folder reached the model, and no hook or server of the repository ran",
    },
  ];
}

const holds = ({ requests }: TrialSession, text: string) =>
  requests.some(({ body }) => JSON.stringify(body).includes(text));
