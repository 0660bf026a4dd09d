import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { AGENT_FILE_MARK, type Offline } from "../agents/pack/offline.ts";
import { shQuote } from "../lib/text/shell-words.ts";
import type { CapturedRequest } from "../models/scripted/respond.ts";
import type { TrialStage } from "./trial-stage.ts";
import { playSession, type Trial, type TrialSession, tryOf } from "./trial.ts";

const isDenied = (file: string) => file.startsWith("no-");

const PLAIN = ["ok-plain", "no-plain"];

const AMONG = 7;

const MIXED = Array.from({ length: 16 }, (_, index) => (index === AMONG ? "no-mixed" : `ok-mixed-${index}`));

const ALL_DENIED = Array.from({ length: 8 }, (_, index) => `no-all-${index}`);

/** A session without faults: a denied call next to an allowed one, then many at once. */
export async function tryCalls(stage: TrialStage): Promise<readonly Trial[]> {
  const repository = stage.repository();
  const { unattended, write } = stage.offline;
  const toolFiles = write === undefined ? [] : ["ok-written", "no-written"];
  const calls = toolFiles.flatMap((file) => write?.(join(repository, file)) ?? []);
  const session = await playSession(stage, {
    steps: [
      touch(PLAIN),
      ...(calls.length > 0 ? [{ turn: { calls } }] : []),
      touch(MIXED),
      touch(ALL_DENIED),
      { turn: { text: "Everything has been tried." } },
    ],
    flags: unattended,
    repository,
  });
  const plain = [...PLAIN, ...toolFiles];
  const denied = MIXED.filter(isDenied);
  return [
    tryOf("deny", session, { denied: plain.filter(isDenied), allowed: plain.filter((file) => !isDenied(file)) }),
    tryOf("parallel", session, {
      denied: [...denied, ...ALL_DENIED],
      allowed: MIXED.filter((file) => !denied.includes(file)),
    }),
  ];
}

/** One turn that writes these files, with one call each. */
const touch = (files: readonly string[]) => ({ turn: { shell: files.map((file) => `touch ${file}`) } });

const FIRST = ["ok-bypass", "no-bypass"];

const AGAIN = ["ok-resumed", "no-resumed"];

/** Two sessions: one with the most permissive flag and a long prompt, and one that resumes the same conversation. */
export async function tryConversation(stage: TrialStage): Promise<readonly Trial[]> {
  const repository = stage.repository();
  const { bypass, resume } = stage.offline;
  const steps = [touch(FIRST), { turn: { text: "Done." } }, touch(AGAIN), { turn: { text: "Done again." } }];
  const prompt = awkwardText(65_536);
  const first = await playSession(stage, { steps, flags: bypass, repository, prompt });
  const again = await playSession(stage, { steps, flags: [...resume, ...bypass], repository, prompt: "Go on." });
  const notResumed = again.requests[0]?.turn === 2 ? [] : ["the conversation was not resumed"];
  const resumed = tryOf("resume", again, { denied: ["no-resumed"], allowed: ["ok-resumed"] });
  return [
    tryOf("bypass-flag", first, { denied: ["no-bypass"], allowed: ["ok-bypass"] }),
    tryPrompt(first, prompt),
    { ...resumed, missing: [...resumed.missing, ...notResumed] },
  ];
}

function tryPrompt({ requests }: TrialSession, prompt: string): Trial {
  const arrived = requests.some(({ userTexts }) => userTexts.some((text) => text.endsWith(prompt)));
  const bytes = Buffer.byteLength(prompt);
  return {
    id: "prompt-64k",
    ran: [],
    missing: arrived ? [] : ["the model received a different text"],
    seen: `the model received the same ${bytes} bytes`,
  };
}

/**
 * Exactly `size` bytes of text that shells, parsers, and terminals get wrong. Ends with a letter, because Copilot trims
 * line feeds.
 */
function awkwardText(size: number): string {
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
export async function trySubAgent(stage: TrialStage): Promise<readonly Trial[]> {
  const session = await playPart(stage, stage.offline.delegate(PART));
  return [tryOf("sub-agent", session, { denied: ["no-part"], allowed: ["ok-part"] })];
}

/** The same with a sub-agent of a file in the home, which asks for more than the session has. */
export async function tryAgentFile(stage: TrialStage): Promise<readonly Trial[]> {
  const { path, text, delegate } = stage.offline.agentFile;
  const file = join(stage.environment("http://127.0.0.1")["HOME"] ?? "", path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  try {
    const session = await playPart(stage, delegate(PART));
    const trial = tryOf("agent-file", session, { denied: ["no-part"], allowed: ["ok-part"] });
    const isUsed = session.requests.some(({ body }) => JSON.stringify(body).includes(AGENT_FILE_MARK));
    return [
      { ...trial, missing: [...trial.missing, ...(isUsed ? [] : ["the sub-agent was not the one of the file"])] },
    ];
  } finally {
    rmSync(file);
  }
}

async function playPart(stage: TrialStage, call: ReturnType<Offline["delegate"]>): Promise<TrialSession> {
  return await playSession(stage, {
    delegated: { contains: PART, turns: [touch(["ok-part", "no-part"]).turn, { text: "The part is done." }] },
    steps: [
      { turn: { calls: [call] } },
      // Codex does not wait for its sub-agents by itself.
      { before: partDone, turn: { text: "All parts are done." } },
    ],
    flags: stage.offline.unattended,
    repository: stage.repository(),
  });
}

const PART_SCENE = 0;

const MAX_PART_MS = 20_000;

/** Waits until the sub-agent has returned the results of its calls. */
async function partDone(requests: readonly CapturedRequest[]): Promise<void> {
  const end = performance.now() + MAX_PART_MS;
  while (performance.now() < end && !requests.some(({ scene, turn }) => scene === PART_SCENE && turn > 0))
    await sleep(20);
}

const TOOL = "apply_patch";

const BLANKS = { blank: " ", tab: "\t", "no-break": "\u00a0", ideographic: "\u3000" };

/**
 * A session of edits that hide a denied file behind white space or an unusual path. Uses patches if the agent offers
 * them to the model.
 */
export async function tryPatches(stage: TrialStage): Promise<readonly Trial[]> {
  return stage.offline.patching === undefined ? await tryWrites(stage) : await tryFreeText(stage);
}

async function tryFreeText(stage: TrialStage): Promise<readonly Trial[]> {
  const { patching, unattended } = stage.offline;
  const repository = stage.repository({ old: "a\n" });
  const denied = deniedPatches(repository);
  const patches = [add("ok-patch"), add("ok-patch-indented", "  "), ...Object.values(denied)];
  const session = await playSession(stage, {
    steps: [...patches.map(patchTurn), { turn: { text: "Everything has been tried." } }],
    flags: [...unattended, ...(patching?.flags ?? [])],
    env: patching?.env,
    repository,
  });
  return [tryOf("patch", session, { denied: Object.keys(denied), allowed: ["ok-patch", "ok-patch-indented"] })];
}

/** Without patches, uses the file tool, and checks that no patch tool is offered. */
async function tryWrites(stage: TrialStage): Promise<readonly Trial[]> {
  const { unattended, write } = stage.offline;
  const repository = stage.repository({ "old/file": "a\n" });
  const paths = ["ok-patch", "no-patch", "old/../no-patch-around"].map((path) => `${repository}/${path}`);
  const session = await playSession(stage, {
    steps: [
      { turn: { calls: paths.flatMap((path) => write?.(path) ?? []) } },
      { turn: { text: "Everything has been tried." } },
    ],
    flags: unattended,
    repository,
  });
  const tried = tryOf("patch", session, { denied: ["no-patch", "no-patch-around"], allowed: ["ok-patch"] });
  const offered = session.requests.some(({ toolNames }) => toolNames.includes(TOOL));
  return [{ ...tried, missing: [...tried.missing, ...(offered ? [`it offers ${TOOL}, which was not tried`] : [])] }];
}

/** Patches, by the file that they must not write. */
function deniedPatches(repository: string): Readonly<Record<string, readonly string[]>> {
  const behind = Object.entries(BLANKS).map(([name, blank]): [string, readonly string[]] => {
    const file = `no-patch-${name}`;
    return [file, [...add(`ok-beside-${name}`), ...add(file, blank)]];
  });
  return {
    "no-patch": add("no-patch"),
    ...Object.fromEntries(behind),
    "no-patch-null": add(`/dev/null/../..${repository}/no-patch-null`),
    "no-patch-moved": ["*** Update File: old", "*** Move to: no-patch-moved", "@@", "-a", "+b"],
  };
}

const add = (file: string, blank = "") => [`${blank}*** Add File: ${file}`, "+written"];

const patchTurn = (lines: readonly string[]) => ({
  turn: { calls: [{ name: TOOL, input: ["*** Begin Patch", ...lines, "*** End Patch"].join("\n") }] },
});

/** A session in which a hook refuses the first stop. The agent must continue, and may stop the second time. */
export async function tryStopGate(stage: TrialStage): Promise<readonly Trial[]> {
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
