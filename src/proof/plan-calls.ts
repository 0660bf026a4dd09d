import { OFFLINE } from "./offline.ts";
import { playSession, type Session } from "./session.ts";
import type { Stage } from "./stage.ts";
import { type Trial, tryOf } from "./trial.ts";

const AMONG = 7;
const MIXED = Array.from({ length: 16 }, (_, index) => (index === AMONG ? "no-mixed" : `ok-mixed-${index}`));
const ALL_DENIED = Array.from({ length: 8 }, (_, index) => `no-all-${index}`);

/** A session without any fault: one denied call beside an allowed one, then many at once. */
export async function tryCalls(stage: Stage): Promise<readonly Trial[]> {
  const repository = stage.repository();
  const session = await playSession(stage, {
    steps: [touch(["ok-plain", "no-plain"]), touch(MIXED), touch(ALL_DENIED), { turn: { text: "All is tried." } }],
    flags: OFFLINE[stage.name].unattended,
    repository,
  });
  const denied = MIXED.filter((file) => file.startsWith("no-"));
  return [
    tryOf("deny", session, { denied: ["no-plain"], allowed: ["ok-plain"] }),
    tryOf("parallel", session, {
      denied: [...denied, ...ALL_DENIED],
      allowed: MIXED.filter((file) => !denied.includes(file)),
    }),
  ];
}

/** One turn that writes these files, a call for each. */
const touch = (files: readonly string[]) => ({ turn: { shell: files.map((file) => `touch ${file}`) } });

const FIRST = ["ok-bypass", "no-bypass"];
const AGAIN = ["ok-resumed", "no-resumed"];

/** Two sessions: one with the widest flag and a long prompt, and one that takes up the same conversation again. */
export async function tryConversation(stage: Stage): Promise<readonly Trial[]> {
  const repository = stage.repository();
  const { bypass, resume } = OFFLINE[stage.name];
  const steps = [touch(FIRST), { turn: { text: "Done." } }, touch(AGAIN), { turn: { text: "Done again." } }];
  const prompt = awkwardText(65_536);
  const first = await playSession(stage, { steps, flags: bypass, repository, prompt });
  const again = await playSession(stage, { steps, flags: [...resume, ...bypass], repository, prompt: "Go on." });
  const taken = again.requests[0]?.turn === 2 ? [] : ["the conversation was not taken up again"];
  const resumed = tryOf("resume", again, { denied: ["no-resumed"], allowed: ["ok-resumed"] });
  return [
    tryOf("bypass-flag", first, { denied: ["no-bypass"], allowed: ["ok-bypass"] }),
    tryPrompt(first, prompt),
    { ...resumed, missing: [...resumed.missing, ...taken] },
  ];
}

function tryPrompt({ requests }: Session, prompt: string): Trial {
  const arrived = requests.some(({ userTexts }) => userTexts.some((text) => text.endsWith(prompt)));
  const bytes = Buffer.byteLength(prompt);
  return {
    id: "prompt-64k",
    ran: [],
    missing: arrived ? [] : ["the model got another text"],
    seen: `the model got the same ${bytes} bytes`,
  };
}

/** Exactly `size` bytes of what shells, parsers and terminals trip over. It ends in a letter: Copilot trims line feeds. */
export function awkwardText(size: number): string {
  const unit =
    "it's don't $HOME $(id) `id` \"double\" \\ \\n %s * ? [a] {b} & | ; < > # ~ ! \t é ß 漢字 🙂 👩‍👩‍👧\r\n\n-- --flag\n";
  const filled = Buffer.from(unit.repeat(Math.ceil(size / Buffer.byteLength(unit))))
    .subarray(0, size - 40)
    .toString("utf8")
    .replace(/\ufffd+$/, "");
  return filled + "z".repeat(size - Buffer.byteLength(filled));
}

const PART = "SIGNALBOX-PART: write the two files.";

/** A session whose work is done by a sub-agent. */
export async function trySubAgent(stage: Stage): Promise<readonly Trial[]> {
  const repository = stage.repository();
  const { delegate, unattended } = OFFLINE[stage.name];
  const session = await playSession(stage, {
    delegated: { contains: PART, turns: [touch(["ok-part", "no-part"]).turn, { text: "The part is done." }] },
    steps: [...delegate(PART).map((call) => ({ turn: { calls: [call] } })), { turn: { text: "All parts are done." } }],
    flags: unattended,
    repository,
  });
  return [tryOf("sub-agent", session, { denied: ["no-part"], allowed: ["ok-part"] })];
}
