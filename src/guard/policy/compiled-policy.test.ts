import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { loadActivePolicy } from "./active-policy.ts";
import { compiledFile, readCompiled, writeCompiled, workspacePolicy } from "./compiled-policy.ts";
import { revoke, trust } from "./trust.ts";

function place() {
  const root = tempFolder();
  const places = { folder: join(root, "home"), workspaceRoot: join(root, "work") };
  const own = workspacePolicy(places.workspaceRoot);
  mkdirSync(dirname(own), { recursive: true });
  mkdirSync(join(places.folder, "compiled"), { recursive: true });
  return { ...places, own, managed: join(root, "managed.yaml"), home: "/home/dev", candidates: [own] };
}

test("without any policy file the default preset holds", () => {
  expect(readCompiled(place()).id).toBe("default");
});

test("a file that was not compiled, or changed since, stops the hook", () => {
  const at = place();
  writeFileSync(at.own, "version: 1\nextends: read-only\n");
  expect(() => readCompiled(at)).toThrow("guard compile");
  const active = loadActivePolicy(at);
  writeFileSync(compiledFile(at.folder, at.workspaceRoot), writeCompiled(active));
  expect(readCompiled(at)).toMatchObject({ id: "read-only", rules: active.policy.rules });
  writeFileSync(at.own, "version: 1\n");
  expect(() => readCompiled(at)).toThrow("has changed");
});

test("a compiled policy does not outlive the trust that it was made under", () => {
  const at = place();
  const text = "version: 1\nnetwork: { mode: any }\n";
  writeFileSync(at.own, text);
  trust(at.folder, { path: at.own, text, time: "2026-01-01T00:00:00.000Z" });
  writeFileSync(compiledFile(at.folder, at.workspaceRoot), writeCompiled(loadActivePolicy(at)));
  expect(readCompiled(at).network.mode).toBe("any");
  revoke(at.folder, at.own);
  expect(() => readCompiled(at)).toThrow("the trust setting for");
});

test("what a file granted ends with the file", () => {
  const at = place();
  const user = join(at.folder, "policy.yaml");
  const both = { ...at, candidates: [user, at.own] };
  writeFileSync(user, "version: 1\nnetwork: { mode: any }\n");
  writeFileSync(at.own, "version: 1\nextends: default\n");
  writeFileSync(compiledFile(at.folder, at.workspaceRoot), writeCompiled(loadActivePolicy(at)));
  expect(readCompiled(both).network.mode).toBe("any");
  rmSync(user);
  expect(() => readCompiled(both)).toThrow(`${user} no longer exists`);
  rmSync(at.own);
  expect(readCompiled(both)).toMatchObject({ id: "default", network: { mode: "allowlist" } });
});

test("what another signalbox compiled, with presets of its own, stops the hook", () => {
  const at = place();
  writeFileSync(at.own, "version: 1\nextends: default\n");
  const text = writeCompiled(loadActivePolicy(at));
  const { presets, ...rest } = JSON.parse(text);
  for (const other of [JSON.stringify(rest), JSON.stringify({ ...rest, presets: presets.replace("deny", "ask") })]) {
    writeFileSync(compiledFile(at.folder, at.workspaceRoot), other);
    expect(() => readCompiled(at)).toThrow("compiled by another signalbox");
  }
  writeFileSync(compiledFile(at.folder, at.workspaceRoot), text);
  expect(readCompiled(at).id).toBe("default");
});

test("a damaged compiled policy stops the hook", () => {
  const at = place();
  writeFileSync(at.own, "version: 1\n");
  for (const text of ["", "{}", '{"policy":{"version":2},"files":[]}', '{"policy":']) {
    writeFileSync(compiledFile(at.folder, at.workspaceRoot), text);
    expect(() => readCompiled(at)).toThrow();
  }
});
