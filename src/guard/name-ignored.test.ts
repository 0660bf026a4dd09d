import { expect, test } from "vitest";
import { PolicyFile } from "../contract/policy.ts";
import { afterQuestion, commandWord, offerOf } from "./allow/offer.ts";
import { decide } from "./decide-and-record.ts";
import { explainToModel, explainToPerson } from "./explain.ts";
import { fakeMachine } from "./machine/fake-machine.ts";
import { mergePolicy } from "./policy/merge-policy.ts";

const place = { workspaceRoot: "/srv/repo", home: "/home/dev" };
const FILE = "/srv/repo/.signalbox/policy.yaml";
const policyWith = (file: object, more: { readonly changed?: boolean; readonly preset?: "ci" } = {}) =>
  mergePolicy(
    [
      {
        origin: "workspace",
        trusted: false,
        file: PolicyFile.parse({ version: 1, ...file }),
        path: FILE,
        changed: more.changed ?? false,
      },
    ],
    { ...place, preset: more.preset },
  );
const call = (command: string) => ({ tool: "Bash", input: { command } });
const GRANT = { rules: [{ id: "deploy", argv: ["./deploy.sh"], verdict: "allow" }] };
const notice = (file: object, command: string) => decide(call(command), policyWith(file), fakeMachine({})).ignored;

test("a file that is ignored is named where one of its grants would have changed the decision, and only there", () => {
  const allows = { file: FILE, changed: false, allows: true };
  expect(notice(GRANT, "./deploy.sh x")).toEqual(allows);
  expect(notice(GRANT, "./other.sh")).toBeUndefined();
  expect(notice(GRANT, "git status")).toBeUndefined();
  expect(notice(GRANT, "./deploy.sh && sudo id")).toEqual({ ...allows, allows: false });
  expect(notice({ network: { allow: ["a.example"] } }, "git ls-remote https://a.example/x")).toBeDefined();
  expect(notice({ paths: { read_roots: ["/srv"] } }, "cat /srv/other/x")).toEqual(allows);
  expect(notice({ rules: [{ id: "publish", argv: ["git", "push"], verdict: "allow" }] }, "git push")).toEqual(allows);
  expect(notice({ rules: [{ id: "no", argv: ["./deploy.sh"], verdict: "deny" }] }, "./deploy.sh")).toBeUndefined();
});

test("a trusted file, and one of the user's own, is never named", () => {
  const file = PolicyFile.parse({ version: 1, ...GRANT });
  for (const origin of ["workspace", "user"] as const)
    expect(mergePolicy([{ origin, trusted: true, file, path: FILE }], place).ignored).toBeUndefined();
});

test("explanation, question and denial name the file and the command that trusts it", () => {
  const decision = decide(call("./deploy.sh"), policyWith(GRANT, { changed: true }), fakeMachine({}));
  const line = `${FILE} would allow this, but it is ignored because it has changed since you trusted it. To review and trust it: signalbox trust`;
  expect(explainToPerson("./deploy.sh", decision)).toContain(`\n${line}\n`);
  expect(afterQuestion(decision, "signalbox trust")).toBe(` ${line}`);
  const denied = decide(call("./deploy.sh"), policyWith(GRANT, { preset: "ci" }), fakeMachine({}));
  expect(denied.verdict).toBe("deny");
  expect(explainToModel(denied)).toContain(
    "it is ignored because it is not trusted. To review and trust it: signalbox trust",
  );
});

test("a question ends with the command that stops it, if a rule can", () => {
  const policy = mergePolicy([], place);
  const offer = (command: string) => offerOf(call(command), decide(call(command), policy, fakeMachine({})), policy);
  expect(offer("node it's.mjs")).toBe(undefined);
  expect(offer("node 'it is.mjs'")).toBe(`signalbox guard allow 'node '\\''it is.mjs'\\'''`);
  expect(offer("git push origin main")).toBe("signalbox guard allow 'git push origin main'");
  expect(offer("node a.mjs\nnode b.mjs")).toBe("signalbox guard allow last");
  expect(["last", "-x", "a\u202eb", "a\u001bb"].map(commandWord)).toEqual(["-- 'last'", "-- '-x'", "last", "last"]);
  expect(offer(`node ${"x".repeat(200)}`)).toBe("signalbox guard allow last");
  for (const command of ["git status", "sudo id", "cat .env", "tee .git/config", 'node "$X"', "node x.mjs && sudo id"])
    expect([command, offer(command)]).toEqual([command, undefined]);
  expect(
    offerOf({ tool: "Write", input: { file_path: "/x" } }, decide(call("x"), policy, fakeMachine({})), policy),
  ).toBe(undefined);
  const decision = decide(call("node x.mjs"), policy, fakeMachine({}));
  expect(afterQuestion(decision, "signalbox guard allow 'node x.mjs'")).toBe(
    " To stop being asked: signalbox guard allow 'node x.mjs'",
  );
});
