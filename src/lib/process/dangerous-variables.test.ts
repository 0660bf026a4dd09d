import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  cleanEnvironment,
  DANGEROUS_VARIABLES,
  isDangerous,
  LOADS_CODE,
  unsettableNames,
} from "./dangerous-variables.ts";

const shim = readFileSync(join(import.meta.dirname, "../../../bin/signalbox"), "utf8");

test("each variable stands in the list once, with a reason", () => {
  const names = DANGEROUS_VARIABLES.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(DANGEROUS_VARIABLES.filter(({ because }) => because === "")).toEqual([]);
});

test("a name counts as a whole, a family by its start", () => {
  const found = ["ENV", "ENVIRONMENT", "LD_BIND_NOW", "LD", "GIT_SSH_COMMAND", "ZDOTDIR", "BASH_FUNC_ls%%", "PATH"];
  expect(found.filter((name) => isDangerous(name))).toEqual([
    "ENV",
    "LD_BIND_NOW",
    "GIT_SSH_COMMAND",
    "ZDOTDIR",
    "BASH_FUNC_ls%%",
  ]);
});

test("search paths do not count as loaded code, so people's own reach their agents", () => {
  const kept = ["PYTHONPATH", "NODE_PATH", "LD_LIBRARY_PATH", "ZDOTDIR", "NODE_EXTRA_CA_CERTS", "GIT_SSH_COMMAND"];
  expect(kept.filter((name) => isDangerous(name, LOADS_CODE))).toEqual([]);
  expect(isDangerous("BASH_FUNC_ls%%", LOADS_CODE)).toBe(true);
});

test("what bash refuses to unset is never unset: a POSIX shell would end there, and nobody would answer", () => {
  expect(unsettableNames().filter((name) => ["SHELLOPTS", "BASHOPTS", "LD_*"].includes(name))).toEqual([]);
});

// The shim is POSIX sh and cannot import the list.
test("the shim unsets everything that loads code into Node, and nothing that an agent would get", () => {
  const unset = [...shim.matchAll(/^unset (.*)$/gm)].flatMap(([, names = ""]) => names.split(" "));
  expect(unset.filter((name) => name !== "IFS")).toEqual(unsettableNames({ ...LOADS_CODE, programs: ["node"] }));
});

test("secrets are told by their names", () => {
  const names = "PGPASSWORD MYSQL_PWD SSHPASS SMTP_PASS LDAP_BIND_PW CI_JOB_JWT AZURE_STORAGE_CONNECTION_STRING".split(
    " ",
  );
  const kept = "PWD OLDPWD COMPASS PASSAGE KEYBOARD PGPASSFILE".split(" ");
  const environment = Object.fromEntries([...names, ...kept].map((name) => [name, "x"]));
  expect(Object.keys(cleanEnvironment(environment))).toEqual(kept);
});
