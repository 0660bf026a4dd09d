import { expect, test } from "vitest";
import { openEditor, place, said } from "./support/acp-editor.ts";
import { scene } from "./support/native-scene.ts";
import { signalbox } from "./support/run-signalbox.ts";

const USAGE = { input: 100, output: 10 };

const story = (text: string) =>
  text.split("\n").filter((line) => /^(?:task|agent|outcome|check|denied|files|calls|guarded|cost) /.test(line));

test("a task of native leaves a sealed receipt: calls, denials, files, the check, tokens", async () => {
  const turns = [
    { text: "Done.", usage: USAGE },
    { shell: "sudo touch made", usage: USAGE },
    { shell: "echo hello > made.txt", usage: USAGE },
    { text: "Now it is done.", usage: USAGE },
  ];
  const { run } = await scene({ turns });
  const { code } = await run(["native", "-p", "make it", "--accept", "test -e made.txt"]);
  const shown = await run(["receipt", "show", "last"]);
  expect([code, story(shown.stdout)]).toEqual([
    0,
    [
      "task       make it",
      expect.stringMatching(/^agent +native \d/),
      "outcome    done, and every check passed",
      "check      round 1 failed with exit code 1: test -e made.txt",
      "check      round 2 passed: test -e made.txt",
      "denied     $ sudo touch made",
      "files      A made.txt",
      "calls      2: bash 2",
      expect.stringMatching(/^guarded +yes: 1 allowed, 0 asked, 1 denied/),
      "cost       price unknown (400 tokens in, 40 out)",
    ],
  ]);
  expect(await run(["receipt", "verify", "last"])).toMatchObject({ code: 0 });
  const before = shown.stdout;
  expect((await run(["native", "-c", "-p", "and again"])).code).toBe(0);
  const again = await run(["receipt", "show", "last"]);
  expect(again.stdout).not.toBe(before);
});

test("an editor's session leaves one too, when the editor is closed", async () => {
  const here = await place({
    turns: [{ calls: [{ name: "write", input: { path: "a.txt", content: "one\n" } }] }, { text: "Written." }],
  });
  const editor = await openEditor(here, () => "once");
  const { sessionId } = await editor.begin();
  await editor.ask(sessionId, "write it");
  expect(said(editor.updates)).toContain("Written.");
  await editor.close();
  const { stdout } = await signalbox(["receipt", "show", sessionId], { cwd: here.cwd, env: { HOME: here.home } });
  expect(story(stdout)).toEqual(
    expect.arrayContaining(["task       write it", "calls      1: write 1", "files      A a.txt"]),
  );
});
