import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "../../test/support/temp-folder.ts";
import { claude } from "../agents/claude/program.ts";
import { type FoundBinary, programFingerprint } from "../agents/find-binary.ts";
import { GUARANTEE_IDS } from "./guarantees.ts";
import {
  guardFingerprint,
  type Proof,
  proofFile,
  proofState,
  requireProof,
  unprovenLine,
  writeProof,
} from "./proof-state.ts";

function setup() {
  const home = tempFolder();
  const path = join(home, "claude");
  writeFileSync(path, "a program", { mode: 0o755 });
  const binary: FoundBinary = { path, real: path, from: "PATH", words: [path], warnings: [] };
  const places = { home, version: "1.0.0" };
  const proof: Proof = {
    agent: "claude",
    version: "2",
    launcherSha256: "a",
    nativeSha256: "",
    programFingerprint: programFingerprint(claude, binary),
    guard: "1.0.0+b",
    guardFingerprint: guardFingerprint("1.0.0"),
    policyHash: "c",
    date: "2026-11-15",
    guarantees: GUARANTEE_IDS.map((id) => ({ id, verdict: "PASS", because: "" })),
  };
  return { home, path, binary, places, proof };
}

test("without a proof, or with one that cannot be read, nothing is proven", () => {
  const { home, binary, places } = setup();
  expect(proofState(claude, binary, places)).toEqual({ state: "missing" });
  mkdirSync(join(home, "proofs"));
  for (const text of ["", "{", "[]", '{"agent":"claude"}']) {
    writeFileSync(proofFile(home, "claude"), text);
    expect(proofState(claude, binary, places)).toEqual({ state: "missing" });
  }
});

test("a proof holds for the program and the guard that were tried, and for no other", () => {
  const { home, path, binary, places, proof } = setup();
  writeProof(home, proof);
  expect(proofState(claude, binary, places)).toEqual({ state: "proven", date: "2026-11-15", open: [] });
  expect(() => requireProof(claude, binary, { ...places, unguarded: false })).not.toThrow();
  expect(unprovenLine(claude, binary, places)).toBe(undefined);
  expect(proofState(claude, binary, { ...places, version: "1.0.1" })).toEqual({
    state: "stale",
    because: "signalbox has changed since 2026-11-15",
  });
  utimesSync(path, 1, 1);
  expect(proofState(claude, binary, places)).toEqual({
    state: "stale",
    because: "Claude Code has changed since 2026-11-15",
  });
});

test("a failed guarantee, one of an unknown verdict, or one that stayed open without a reason is no proof", () => {
  const { home, binary, places, proof } = setup();
  for (const guarantees of [
    [{ id: "deny", verdict: "FAIL", because: "" }],
    [{ id: "deny", verdict: "pass?", because: "" }],
    [{ id: "deny", verdict: "INCONCLUSIVE", because: "" }],
    [...proof.guarantees, { id: "deny", verdict: "FAIL", because: "" }],
  ]) {
    writeProof(home, { ...proof, guarantees });
    expect(proofState(claude, binary, places)).toEqual({ state: "failed", guarantees: ["deny"] });
  }
});

test("a proof that leaves out a guarantee of this version does not count", () => {
  const { home, binary, places, proof } = setup();
  const because = (absent: readonly string[]) => `the proof of 2026-11-15 does not cover ${absent.join(", ")}`;
  for (const count of [0, 1, GUARANTEE_IDS.length - 1]) {
    writeProof(home, { ...proof, guarantees: proof.guarantees.slice(0, count) });
    const state = { state: "stale", because: because(GUARANTEE_IDS.slice(count)) };
    expect(proofState(claude, binary, places)).toEqual(state);
    expect(() => requireProof(claude, binary, { ...places, unguarded: false })).toThrow("does not cover");
  }
});

test("an unproven program is named once a day, a failed one every time", () => {
  const { home, binary, places, proof } = setup();
  const missing = "this Claude Code has not been tested against the rules yet";
  expect(unprovenLine(claude, binary, places)).toBe(`${missing}; to test it (takes a minute): signalbox prove claude`);
  expect(unprovenLine(claude, binary, places)).toBe(undefined);
  writeProof(home, { ...proof, guarantees: [{ id: "deny", verdict: "FAIL", because: "" }] });
  expect(unprovenLine(claude, binary, places)).toContain("deny failed");
  expect(unprovenLine(claude, binary, places)).toContain("deny failed");
});

test("a required proof says what to type, and stands against --unguarded", () => {
  const { home, binary, places, proof } = setup();
  const demand = (unguarded: boolean) => () => requireProof(claude, binary, { ...places, unguarded });
  expect(demand(false)).toThrow(expect.objectContaining({ exitCode: 3, fix: "run: signalbox prove claude" }));
  writeProof(home, proof);
  expect(demand(true)).toThrow(expect.objectContaining({ exitCode: 3, fix: "remove --unguarded" }));
});
