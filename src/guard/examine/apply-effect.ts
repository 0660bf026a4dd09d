import type { PathAccess } from "../../contract/policy.ts";
import type { GuardFinding } from "../../contract/verdict.ts";
import { isBelow, lexicalPath, realPath } from "../../lib/path/real-path.ts";
import type { Doubt, Effect } from "../../shell/model/effect.ts";
import { assign, exportEffects } from "../../shell/model/shell-state.ts";
import { DIGITS, isKnown, isVariable, show, UNKNOWN, type Word } from "../../shell/model/word.ts";
import { judgePath } from "../access/judge-path.ts";
import { holdsProtected, judgeDigits } from "../access/uncertain-path.ts";
import { checkedOut, listedEffects } from "./checked-out.ts";
import { type Judged, type Place, report } from "./examination.ts";
import { noteBrought, noteGit, noteWrite } from "./made-paths.ts";
import { guessHost, URL_SHAPE, useNetwork } from "./use-network.ts";

/** Judges one effect of a command and records the findings. */
export function applyEffect(effect: Effect, place: Place, command: Judged): void {
  if (effect.kind === "brings") return noteBrought(effect, place);
  if (effect.kind === "uses-git") return noteGit(effect, command.text, place);
  if (effect.kind === "if-protected")
    return applyAll(effect.paths.some(holdsProtected) ? effect.effects : effect.otherwise, place, command);
  if (effect.kind === "checks-out" || effect.kind === "git-paths")
    return applyAll(checkedOut(effect, place), place, command);
  if (effect.kind === "write" || effect.kind === "delete" || (effect.kind === "guess" && effect.writes === true))
    applyAll(listedEffects(effect.word, place), place, command);
  if (effect.kind === "write") noteWrite(effect.word, atTop(effect.fromTop, place));
  judgeEffect(effect, place, command);
}

function judgeEffect(
  effect: Exclude<Effect, { kind: "brings" | "uses-git" | "checks-out" | "git-paths" | "if-protected" }>,
  place: Place,
  command: Judged,
): void {
  const { exam } = place;
  const fragment = command.text;
  switch (effect.kind) {
    case "check":
      return checkPlaces(effect, place, command);
    case "doubt":
      return raiseDoubt(effect, exam, command);
    case "read":
    case "write":
    case "delete":
      return usePathOf(effect, atTop(effect.fromTop, place), command);
    case "guess":
      return guess(effect, place, command);
    case "code":
      return useCode(effect.word, place);
    case "chdir":
      return changeFolder(effect.word, place);
    case "network":
      return useNetwork(effect, place, command);
    case "repository":
      return changeRepository(place);
    case "assign":
      return applyAll(assign(effect, place.state), place, command);
    case "variable":
      // The scripts that the command runs see it.
      place.state.variables.set(effect.name, effect.word);
      return applyAll(exportEffects(effect.name, effect.word), place, command);
    case "run":
      exam.steps.argv(effect.words, { ...place, depth: place.depth + 1 });
      return;
    case "script":
      return runScript(effect.word.text, { ...place, shell: effect.shell ?? place.shell }, fragment);
  }
}

function applyAll(effects: readonly Effect[], place: Place, command: Judged): void {
  for (const effect of effects) applyEffect(effect, place, command);
}

function changeRepository(place: Place): void {
  const { exam } = place;
  exam.seen.push({ kind: "change", target: "the repository" });
  record(place, judgePath({ access: "write", path: exam.workspaceRoot, glob: false }, pathPlace(place)));
}

function runScript(text: string, place: Place, fragment: string): void {
  const { exam } = place;
  if (isVariable(text))
    report(exam, {
      verdict: "ask",
      code: "opaque-code",
      rule: "proof",
      because: "part of a script is only known at run time",
      fragment,
    });
  exam.steps.source(text.replaceAll(UNKNOWN, "…").replaceAll(DIGITS, "0"), {
    ...place,
    feed: { kind: "none" },
    depth: place.depth + 1,
  });
}

function atTop(fromTop: true | undefined, place: Place): Place {
  if (fromTop === undefined) return place;
  const cwd = place.exam.workspaceRoot;
  return { ...place, state: { ...place.state, cwd, otherCwds: [] } };
}

function raiseDoubt({ verdict, code, because, grantable, need }: Doubt, exam: Place["exam"], command: Judged): void {
  if (grantable === true && command.allowedBy === "user") return;
  if (need !== undefined && exam.inside === undefined) return;
  const finding = { verdict, code, rule: `effect:${code}`, because, fragment: command.text };
  report(exam, need === undefined ? finding : { ...finding, need });
}

/** A `cd` may have failed, so check every folder that the command may run in. */
function checkPlaces({ objection, inside }: Extract<Effect, { kind: "check" }>, place: Place, command: Judged): void {
  const { workspaceRoot, home, machine } = place.exam;
  if (inside === true && place.exam.inside === undefined) return;
  const folders = [place.state.cwd, ...place.state.otherCwds].filter((cwd) => !cwd.includes(UNKNOWN));
  const found = folders
    .map((cwd) => objection({ cwd, workspaceRoot, home, machine }))
    .find((item) => item !== undefined);
  if (found !== undefined) applyEffect(found, place, command);
}

function pathPlace({ exam, state }: Place) {
  const { policy, machine } = exam;
  const cwd = state.cwd.replaceAll(UNKNOWN, "unknown");
  return { policy, machine, cwd, otherCwds: state.otherCwds, outside: policy.policy.paths.outside };
}

function record({ exam }: Place, findings: readonly GuardFinding[]): void {
  for (const finding of findings) report(exam, finding);
}

function usePathOf(effect: PathEffect, place: Place, command: Judged): void {
  reportLoss(effect, place, command);
  usePath(effect.kind, effect.word, place);
}

function usePath(access: PathAccess, word: Word, place: Place): void {
  const { exam } = place;
  if (word.text === "") return;
  if (--exam.paths < 0) {
    if (exam.paths === -1)
      report(exam, {
        verdict: "deny",
        code: "too-much",
        rule: "cap",
        because: "too many paths to check",
        fragment: show([word]).slice(0, 80),
      });
    return;
  }
  exam.seen.push({ kind: access, target: show([word]) });
  const unknown = word.text.includes(UNKNOWN) || place.state.cwd.includes(UNKNOWN);
  if (unknown)
    report(exam, {
      verdict: "ask",
      code: "path-unknown",
      rule: "proof",
      because: `a path that is ${access === "read" ? "read" : "changed"} is only known at run time`,
      fragment: show([word]),
    });
  const use = { access, glob: word.glob, dots: word.dots };
  const path = word.text.replaceAll(UNKNOWN, "unknown");
  record(place, judgePath({ ...use, path: path.replaceAll(DIGITS, "0") }, pathPlace(place)));
  if (path.includes(DIGITS)) record(place, judgeDigits({ ...use, path }, pathPlace(place)));
}

/** Code inside the workspace belongs to the project. Code from anywhere else, including temporary folders, does not. */
function useCode(word: Word, place: Place): void {
  const { workspaceRoot, home, machine } = place.exam;
  const known = !isVariable(word.text) && !word.glob && !isVariable(place.state.cwd);
  if (known) {
    if (word.text !== ".") usePath("read", word, place);
    const path = word.text.replace(/^~(?=\/|$)/, () => home);
    const real = realPath(path, place.state.cwd, machine.readLink);
    if (isBelow(real, workspaceRoot) || isBelow(real, realPath(workspaceRoot, "/", machine.readLink))) return;
  }
  report(place.exam, {
    verdict: "ask",
    code: "code-outside",
    rule: "effect:code-outside",
    because: known ? "runs code from outside the workspace" : "the location of its code is only known at run time",
    fragment: show([word]),
  });
}

function guess({ word, writes }: Extract<Effect, { readonly kind: "guess" }>, place: Place, command: Judged): void {
  const text = word.text.replace(/^@/, "").replaceAll(DIGITS, "0");
  if (URL_SHAPE.test(text) && !/^(?:file|s3|gs):/i.test(text)) return guessHost({ ...word, text }, place, command);
  if (text === "" || /^\/[a-zA-Z]+:/.test(text) || /[\s\u0001-\u001f\\]/.test(text)) return;
  if (text.includes(UNKNOWN)) {
    if (/^[~./\u0000]/.test(text)) usePath("read", { ...word, text }, place);
    return;
  }
  usePath("read", { ...word, text }, place);
  if (writes !== true) return;
  const denied = judgePath({ access: "write", path: text, glob: word.glob }, pathPlace(place)).filter(({ code }) =>
    code.startsWith("path-denied"),
  );
  for (const finding of denied) report(place.exam, { ...finding, verdict: "ask" });
}

/**
 * If the target is not literal, only the shell knows it. `-` is the previous folder, if a `cd` has certainly set it.
 */
function changeFolder(given: Word, place: Place): void {
  const { state } = place;
  const word = given.text === "-" ? { text: state.previousCwd ?? UNKNOWN, glob: false } : given;
  const known = isKnown(word);
  usePath(
    "read",
    known ? word : { ...word, text: word.text.includes(UNKNOWN) ? word.text : UNKNOWN + word.text },
    place,
  );
  if (word.glob) usePath("read", word, place);
  const before = state.cwd;
  state.otherCwds = [...new Set([before, ...state.otherCwds])].slice(0, 4);
  state.cwd = known ? lexicalPath(word.text, before) : `${place.exam.workspaceRoot}/${UNKNOWN}`;
  state.previousCwd = before;
}

type PathEffect = Extract<Effect, { readonly kind: "read" | "write" | "delete" }>;

/** Inside a sandbox, asks before work is removed or replaced that nothing could bring back. */
function reportLoss(effect: PathEffect, place: Place, command: Judged): void {
  const { inside } = place.exam;
  if (inside === undefined || command.allowedBy === "user" || !isLossy(effect)) return;
  const lost = mayBe(effect, place).filter(({ path, like }) => !inside.isOutput(like) && inside.isLost(path));
  if (lost.length === 0) return;
  const verb = effect.kind === "delete" ? "removes" : "overwrites";
  const isSure = lost.some(({ path }) => inside.recoverable(path) === false);
  report(place.exam, {
    verdict: "ask",
    code: "loses-work",
    rule: "effect:loses-work",
    because: isSure
      ? `${verb} work that is in no commit and no snapshot`
      : `${verb} files, and nothing tells whether they could be restored`,
    fragment: command.text,
  });
}

function isLossy(effect: PathEffect): boolean {
  if (effect.kind === "delete") return effect.keeps !== true;
  return effect.kind === "write" && effect.replaces === true;
}

interface Loss {
  /** What would have to be restored: for a pattern the folder before it, and the workspace if only the shell knows. */
  readonly path: string;
  /** A path of the kind that is lost. */
  readonly like: string;
}

function mayBe({ word, kind }: PathEffect, { exam, state }: Place): readonly Loss[] {
  const { home, machine, inside } = exam;
  if (isVariable(word.text) || isVariable(state.cwd))
    return (inside?.roots ?? []).map((path) => ({ path, like: path }));
  const text = word.text.replace(/^~(?=\/|$)/, () => home);
  const fixed = word.glob ? text.replace(/[^/]*[*?[][\s\S]*$/, "") || "." : text;
  const last = word.glob ? (text.split("/").at(-1) ?? "") : "";
  const found = [state.cwd, ...state.otherCwds]
    .filter((cwd) => !isVariable(cwd))
    .map((cwd) => realPath(fixed, cwd, machine.readLink))
    .map((path) => ({ path, like: word.glob ? `${path}/${last.replaceAll(/[*?]+/g, "x")}` : path }));
  // A folder cannot be overwritten, only what is in it.
  return kind === "delete" ? found : found.filter(({ path }) => machine.kind?.(path) !== "folder");
}
