import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { presetPolicy } from "../../guard/policy/compiled-policy.ts";
import { openCallers, openDoorLog } from "./door-records.ts";

const OWNER = { session: "launch", agent: "claude" };

function recorded(act: (callers: ReturnType<typeof openCallers>, ask: (command?: string) => void) => void) {
  const home = tempFolder();
  const callers = openCallers(OWNER);
  const policy = presetPolicy("default", { workspaceRoot: "/w", home: "/h" });
  {
    using log = openDoorLog({ home, callers, policy, environment: {} });
    act(callers, (command) => log.record({ host: "x.example", port: 443, verdict: "deny", because: "no", command }));
  }
  const [segment = ""] = readdirSync(join(home, "audit"));
  const lines = readFileSync(join(home, "audit", segment), "utf8")
    .trim()
    .split("\n");
  return lines.map((line) => JSON.parse(line)).map(({ session, agent }) => `${agent} ${session}`);
}

test("a host is recorded under the session and agent whose command asked for it", () => {
  const found = recorded((callers, ask) => {
    callers.note("curl a", { session: "one", agent: "claude" });
    callers.note("curl b", { session: "two", agent: "native/sub" });
    for (const command of ["curl b", "curl a", "make"]) ask(command);
    ask();
  });
  expect(found).toEqual(["native/sub two", "claude one", "claude launch", "claude launch"]);
});

test("where commands have no ids, a host belongs to the only session that has had commands", () => {
  const found = recorded((callers, ask) => {
    ask();
    callers.note("curl a", { session: "one", agent: "claude" });
    ask();
  });
  expect(found).toEqual(["claude launch", "claude one"]);
});

test("a command that the helper reports only in part belongs to its session, and the oldest are forgotten", () => {
  const long = `echo ${"é".repeat(4000)}`;
  const found = recorded((callers, ask) => {
    callers.note(long, { session: "one", agent: "claude" });
    callers.note("curl b", { session: "two", agent: "claude" });
    ask(Buffer.from(long).subarray(0, 4096).toString("utf8"));
    for (let index = 0; index < 1000; index++) callers.note(`command ${index}`, { session: "two", agent: "claude" });
    ask(long);
  });
  expect(found).toEqual(["claude one", "claude launch"]);
});
