import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { shQuote } from "../lib/sh-quote.ts";
import { playSession } from "./session.ts";
import type { TrialPlace } from "./trial-place.ts";
import { type Trial, tryOf } from "./trial.ts";

/** A session in which a hook refuses the first stop. The agent must continue, and may stop the second time. */
export async function tryStopGate(stage: TrialPlace): Promise<readonly Trial[]> {
  const hooks = join(stage.signalbox, "hooks");
  const mark = shQuote(join(stage.folder, "stopped-once"));
  const reason = "The second file is not there yet.";
  mkdirSync(hooks, { recursive: true });
  writeFileSync(
    join(hooks, "agent-stop"),
    `#!/bin/sh\ncat >/dev/null\n[ -e ${mark} ] && { echo '{}'; exit 0; }\n: > ${mark}\necho '{"decision":"block","reason":"${reason}"}'\n`,
    { mode: 0o700 },
  );
  try {
    const session = await playSession(stage, {
      steps: [
        { turn: { text: "I stop here." } },
        { turn: { shell: ["touch ok-after-stop", "touch no-after-stop"] } },
        { turn: { text: "Now I stop." } },
      ],
      flags: stage.offline.unattended,
      repository: stage.repository(),
    });
    const trial = tryOf("stop-gate", session, { denied: ["no-after-stop"], allowed: ["ok-after-stop"] });
    const gotReason = session.requests.some(({ body }) => JSON.stringify(body).includes(reason));
    const problems = [
      ...(gotReason ? [] : ["the model was not told why"]),
      ...(session.exit === 0 ? [] : [`the second stop ended with exit code ${session.exit}`]),
    ];
    return [{ ...trial, missing: [...trial.missing, ...problems], seen: `the first stop was refused; ${trial.seen}` }];
  } finally {
    rmSync(hooks, { recursive: true });
  }
}
