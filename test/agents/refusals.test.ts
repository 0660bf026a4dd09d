import { expect, test } from "vitest";
import { writeFiles } from "../support/contained-work.ts";
import { isOnPath } from "../support/is-on-path.ts";
import { signalbox } from "../support/run-signalbox.ts";
import { CONTAINED, containedAgent } from "./contained-agent.ts";

const hasParts = isOnPath("bwrap");

/** Scripts, because what they do is not seen before they run. Each fails with nothing but the system's own error. */
const FILES = {
  ".env": "SECRET=planted\n",
  ".github/workflows/ci.yml": "on: push\n",
  ".gitignore": ".env\n",
  "hidden.sh": "echo X >> .env\n",
  "protected.sh": "touch .github/workflows/x\n",
  "outside.sh": "touch /usr/x\n",
  "ordinary.sh": "cat no-such-file\n",
};

test.skipIf(!hasParts).each(CONTAINED)(
  "a refusal in the sandbox of %s says so to the model, once and with the way out",
  { timeout: 200_000 },
  async (name) => {
    const calls = ["hidden", "protected", "outside", "ordinary"].map((script) => ({ shell: `bash ${script}.sh` }));
    await using agent = await containedAgent(name, { turns: [...calls, { text: "all done" }] });
    const { cwd, env, model } = agent;
    writeFiles(cwd, FILES);
    const { code, stderr } = await signalbox([name, "-p", "work"], { cwd, env });
    // Nobody is at a terminal who could resume the session.
    expect([code, stderr]).toEqual([0, expect.not.stringMatching(/contained: no|to resume this session/)]);
    const told = JSON.stringify(model.requests.filter(({ answered }) => answered === "turn").at(-1)?.body);
    const notes = [...told.matchAll(/blocked by the sandbox: .*?(?:outside -- CMD|sandbox --explain)/g)];
    expect(notes.map(([note]) => note)).toEqual([
      "blocked by the sandbox: .env is hidden: the policy keeps **/.env from being read (rule deny_read). To run it outside: signalbox outside -- CMD",
      "blocked by the sandbox: .github/workflows/x is protected: a floor keeps .github/workflows/** from being written (rule floor:write). To see what is protected: signalbox sandbox --explain",
      "blocked by the sandbox: /usr/x is outside the folders that commands can write. To run it outside: signalbox outside -- CMD",
    ]);
  },
);
