import type { TaskKind } from "./task-kind.ts";

/** What is counted, since the prompt that is being worked on. */
export type Measure = "changes" | "commands" | "passes" | "looks" | "files";

export type Claim = "changed" | "checks-pass" | "new-file";

/** A session that does not look as if its task was done. Plain data: who counts and who reads the texts is elsewhere. */
export interface EffortRule {
  readonly name: string;
  /** The tasks it is about. Questions are in none of them. */
  readonly tasks: readonly TaskKind[];
  /** What the answer must claim; absent: whatever it says. */
  readonly claim?: Claim;
  /** It applies when there are fewer of these. */
  readonly fewer: readonly [measure: Measure, than: number];
  /** What is wrong, for a person and the model. */
  readonly verdict: string;
  /** What the model should do. */
  readonly advice: string;
}

/** How often the gate may object in a row while nothing changes. A model that insists will not do better later. */
export const EFFORT_BLOCKS = 3;

/** In the order they are asked; the first that applies decides. */
export const EFFORT_RULES: readonly EffortRule[] = [
  {
    name: "nothing changed",
    tasks: ["change"],
    fewer: ["changes", 1],
    verdict: "the task asks for a change, and nothing was changed",
    advice:
      'Make the change now and check it. If nothing has to be changed, or if you cannot do it, answer with a line that begins with "No change:" and says why.',
  },
  {
    name: "claimed change",
    tasks: ["maybe-change"],
    claim: "changed",
    fewer: ["changes", 1],
    verdict: "the answer says that something was changed, and nothing was",
    advice:
      'Make the change now and check it. If nothing had to be changed, answer with a line that begins with "No change:" and says why.',
  },
  {
    name: "checks not run",
    tasks: ["change", "maybe-change", "run"],
    claim: "checks-pass",
    fewer: ["passes", 1],
    verdict: "the answer says that checks pass, but the last command failed or none was run",
    advice:
      'Run them now and report what they print. If you cannot run them, answer with a line that begins with "Not run:" and says why.',
  },
  {
    name: "nothing run",
    tasks: ["run"],
    fewer: ["commands", 1],
    verdict: "the task asks to run something, and no command was run",
    advice:
      'Run it now and report what it prints. If you cannot run it, answer with a line that begins with "Not run:" and says why.',
  },
  {
    name: "nothing read",
    tasks: ["review"],
    fewer: ["looks", 1],
    verdict: "the task asks for a review, and nothing was read",
    advice:
      'Read the files and then say what you found. If you cannot read them, answer with a line that begins with "Not done:" and says why.',
  },
  {
    name: "file missing",
    tasks: ["change", "maybe-change"],
    claim: "new-file",
    fewer: ["files", 1],
    verdict: "the answer says that a file was created, and it was not",
    advice: "Create it now, or correct what you said.",
  },
];
