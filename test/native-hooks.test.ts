import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { logsIn, scene } from "./support/native-scene.ts";

/** A program of the user's that is asked at an event. */
function hook(home: string, name: string, lines: readonly string[]): void {
  const folder = join(home, ".signalbox", "hooks");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), ["#!/bin/sh", ...lines].join("\n"), { mode: 0o755 });
}

test("people's own hooks hear of everything, and may refuse calls and stops", async () => {
  const { cwd, home, run, server } = await scene({
    turns: [{ shell: "echo no > refused" }, { text: "Done." }, { text: "With a changelog." }],
  });
  hook(home, "tool-before", [
    'grep -q refused && echo \'{"permissionDecision":"deny","permissionDecisionReason":"my rule"}\'; true',
  ]);
  hook(home, "agent-stop", [
    'grep -q \'"stop_hook_active":true\' || echo \'{"decision":"block","reason":"write a changelog"}\'',
  ]);
  hook(home, "session-end", [`cat > '${join(cwd, "ended")}'`]);
  const { code, stdout } = await run(["native", "-p", "go"]);
  expect([code, stdout]).toEqual([0, "With a changelog.\n"]);
  expect(JSON.stringify(server.requests[1]?.body)).toContain("not allowed: my rule");
  expect(server.requests[2]?.userTexts.at(-1)).toBe("write a changelog");
  expect(JSON.parse(readFileSync(join(cwd, "ended"), "utf8"))).toMatchObject({ reason: "complete", cwd });
  expect(existsSync(join(cwd, "refused"))).toBe(false);
});

test("a hook that breaks denies the call, and refuses the stop once", async () => {
  const { home, run, server } = await scene({ turns: [{ shell: "ls" }, { text: "Done." }, { text: "Still done." }] });
  hook(home, "tool-before", ["exit 7"]);
  hook(home, "agent-stop", ["echo this is no json"]);
  const { code, stdout } = await run(["native", "-p", "go"]);
  expect([code, stdout]).toEqual([0, "Still done.\n"]);
  expect(JSON.stringify(server.requests[1]?.body)).toContain("the hook tool-before failed, so the call is blocked");
  expect(server.requests[2]?.userTexts.at(-1)).toContain("the stop hook agent-stop failed");
});

/** A hook that prints this object at every event. */
const answers = (answer: object) => [`cat > /dev/null; cat <<'END'`, JSON.stringify(answer), "END"];

test("a hook may change the prompt, and the next hook sees the change", async () => {
  const { home, run, server } = await scene({ turns: [{ text: "Fine." }] });
  hook(home, "prompt-submitted-1", answers({ modifiedPrompt: "say it politely" }));
  hook(home, "prompt-submitted-2", [
    `grep -q '"prompt":"say it politely"' && echo '{"modifiedPrompt":"say it politely, twice","additionalContext":"context"}'`,
  ]);
  const { code, stdout, stderr } = await run(["native", "-p", "say it"]);
  expect([code, stdout, stderr]).toEqual([0, "Fine.\n", ""]);
  expect(server.requests[0]?.userTexts).toEqual(["say it politely, twice\n\ncontext"]);
});

test.each([
  ["a number", { modifiedPrompt: 7 }, "its modifiedPrompt is not a text"],
  ["nothing but space", { modifiedPrompt: " \n" }, "its modifiedPrompt is empty"],
])("a changed prompt that is %s is a warning, and the prompt stays", async (_, answer, warning) => {
  const { home, run, server } = await scene({ turns: [{ text: "Fine." }] });
  hook(home, "prompt-submitted", answers(answer));
  const { code, stderr } = await run(["native", "-p", "say it"]);
  expect([code, stderr]).toEqual([0, `signalbox: the hook prompt-submitted failed: ${warning}\n`]);
  expect(server.requests[0]?.userTexts).toEqual(["say it"]);
});

test("hooks may change a result, one after another, and the log keeps what the model saw", async () => {
  const { home, run, server, sessions } = await scene({
    turns: [{ shell: "echo the password is x7" }, { text: "ok" }],
  });
  hook(home, "tool-after-1", answers({ modifiedResult: { textResultForLlm: "withheld", resultType: "failure" } }));
  hook(home, "tool-after-2", [
    `grep -q '"resultType":"failure","textResultForLlm":"withheld"' && echo '{"modifiedResult":"withheld twice"}'`,
  ]);
  const { code, stderr } = await run(["native", "-p", "go"]);
  expect([code, stderr]).toEqual([
    0,
    "signalbox: · bash echo the password is x7\nsignalbox:   failed: withheld twice\n",
  ]);
  const [log = ""] = logsIn(sessions);
  const results = readFileSync(join(sessions, log), "utf8").match(/"type":"call-end".*/g);
  expect(results).toHaveLength(1);
  expect(results?.[0]).toContain('"text":"withheld twice","failed":true');
  expect(JSON.stringify(server.requests[1]?.body)).toContain("withheld twice");
});

test("a result changed in an unknown form is a warning, and the result stays", async () => {
  const { home, run, server } = await scene({ turns: [{ shell: "echo as it was" }, { text: "ok" }] });
  hook(home, "tool-after-1", answers({ modifiedResult: { text: "x" } }));
  hook(home, "tool-after-2", answers({ modifiedResult: { textResultForLlm: "x", resultType: "constructor" } }));
  const { code, stderr } = await run(["native", "-p", "go"]);
  expect([code, stderr.split("\n").slice(1)]).toEqual([
    0,
    [
      "signalbox: the hook tool-after-1 failed: its modifiedResult has no text in textResultForLlm",
      "signalbox: the hook tool-after-2 failed: the resultType of its modifiedResult is none of success, failure, rejected, denied",
      "",
    ],
  ]);
  expect(JSON.stringify(server.requests[1]?.body)).toContain("as it was");
});

test("the model is told of a call that a hook changed: when it ran, was denied, or could not run", async () => {
  const { cwd, home, run, server } = await scene({
    turns: [
      { shell: "echo one" },
      { shell: "echo two" },
      { shell: "echo three" },
      { shell: "echo four" },
      { text: "ok" },
    ],
  });
  hook(home, "tool-before", [
    "input=$(cat)",
    "case $input in",
    `*"echo one"*) echo '{"modifiedArgs":{"command":"echo 1 > changed"}}';;`,
    `*"echo two"*) echo '{"modifiedArgs":{"command":"sudo id"}}';;`,
    `*"echo three"*) echo '{"modifiedArgs":{"order":"x"}}';;`,
    "esac",
  ]);
  const { code, stderr } = await run(["native", "-p", "go"]);
  expect([code, readFileSync(join(cwd, "changed"), "utf8")]).toEqual([0, "1\n"]);
  const told = (index: number) => JSON.stringify(server.requests[index]?.body).replaceAll("\\", "");
  const note = (json: string) => `[a hook changed the arguments of this call to: ${json}]`;
  expect(told(1)).toContain(note('{"command":"echo 1 > changed"}'));
  expect(told(2)).toMatch(
    /not allowed: .*needs root.*a hook changed the arguments of this call to: {"command":"sudo id"}/,
  );
  expect(told(3)).toMatch(/wrong arguments for bash: .*a hook changed the arguments of this call to: {"order":"x"}/);
  expect(told(4).match(/a hook changed/g)).toHaveLength(3);
  // The line above a denial shows the changed call already.
  expect(stderr).toMatch(/· bash sudo id\nsignalbox: {3}denied: Blocked `sudo id`: .*more reason\)\.$/m);
});

test("a note about a changed call is cut", async () => {
  const { home, run, server } = await scene({ turns: [{ shell: "echo one" }, { text: "ok" }] });
  hook(home, "tool-before", answers({ modifiedArgs: { command: `echo ok # ${"x".repeat(60_000)}` } }));
  expect((await run(["native", "-p", "go"])).code).toBe(0);
  const told = JSON.stringify(server.requests[1]?.body);
  expect(told).toContain("x… (cut)]");
  expect(told.length).toBeLessThan(30_000);
});

test("a hook at a stop gets the session's log, and one that blocks for ever has its own exit code", async () => {
  const { cwd, home, run, sessions } = await scene({ turns: [{ text: "Done." }], after: { text: "Still done." } });
  hook(home, "agent-stop", [
    `cat > '${join(home, "stop.json")}'`,
    `echo '{"decision":"block","reason":"write a changelog"}'`,
  ]);
  const { code, stderr } = await run(["native", "-p", "go"]);
  expect([code, stderr.trimEnd().split("\n").at(-1)]).toEqual([
    9,
    "signalbox: not finished: write a changelog (the agent-stop gate blocked 8 times in a row and nothing changed)",
  ]);
  const [log = ""] = logsIn(sessions);
  expect(JSON.parse(readFileSync(join(home, "stop.json"), "utf8"))).toMatchObject({
    cwd,
    transcriptPath: join(sessions, log),
    stopReason: "end_turn",
    stop_hook_active: true,
  });
});

test("error hooks hear of the model's errors and of those of tools, and a denied call is none", async () => {
  const { home, run } = await scene({
    turns: [
      { calls: [{ name: "read", input: { path: "missing.txt" } }], failures: [{ status: 500 }] },
      { shell: "exit 3" },
      { shell: "sudo id" },
      { text: "ok" },
    ],
  });
  hook(home, "error", [`cat >> '${join(home, "errors")}'; echo >> '${join(home, "errors")}'`]);
  expect((await run(["native", "-p", "go"])).code).toBe(0);
  const errors = readFileSync(join(home, "errors"), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(errors).toEqual([
    expect.objectContaining({ errorContext: "model_call", recoverable: true }),
    expect.objectContaining({
      errorContext: "tool_execution",
      recoverable: true,
      error: { name: "ToolError", message: expect.stringContaining("missing.txt does not exist") },
    }),
    expect.objectContaining({
      errorContext: "tool_execution",
      error: { name: "ToolError", message: "(no output)\n[exit code 3]" },
    }),
  ]);
});
