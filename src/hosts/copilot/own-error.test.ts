import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { repositoryWith } from "../../../test/support/git-repository.ts";
import { runParts, workOrder } from "../../../test/support/run-order.ts";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { runWorkOrder } from "../../receipts/run/run-work-order.ts";
import { plainStarter } from "../program/start-agent.ts";
import { copilotHost } from "./copilot.ts";
import { copilotError } from "./copilot-acp.ts";

const SESSION = "session-1";
const FAILED =
  "Could not connect to local model provider at http://127.0.0.1:9/v1.\n  Check that the service is running.";
const RETRY = "Info: Response was interrupted due to a server error. Retrying...";

/** A Copilot home with the record of one session. */
function home(...records: object[]): string {
  const folder = tempFolder();
  mkdirSync(join(folder, "session-state", SESSION), { recursive: true });
  const lines = [{ type: "session.start", data: {} }, ...records].map((record) => `${JSON.stringify(record)}\n`);
  writeFileSync(join(folder, "session-state", SESSION, "events.jsonl"), lines.join(""));
  return folder;
}

const failure = (message: string) => ({ type: "session.error", data: { errorType: "query", message } });
const answer = (content: string) => ({ type: "assistant.message", data: { content } });

describe("with a record of the session", () => {
  const judge = (COPILOT_HOME: string, pieces: string[], counted = false) =>
    copilotError({ sessionId: SESSION, pieces, counted }, { COPILOT_HOME });

  test("an error that Copilot recorded ended the turn, also after work that used something", () => {
    expect(judge(home(failure(FAILED)), [RETRY, `Error: ${FAILED}`])).toBe(FAILED);
    expect(judge(home(failure("400 too long")), ["Error: 400 too long"], true)).toBe("400 too long");
  });

  test("the same words of the model are an answer", () => {
    const words = "Error: Failed to get response from the AI model";
    expect(judge(home(answer(words)), [words])).toBeUndefined();
    expect(judge(home(answer(`"session.error" ${words}`)), [words])).toBeUndefined();
  });

  test("an answer after an error that was overcome is an answer", () => {
    expect(judge(home(failure(FAILED), answer("done")), [`Error: ${FAILED}`, "done"])).toBeUndefined();
  });
});

describe("without a record that can be read", () => {
  const judge = (pieces: string[], counted: boolean, sessionId = SESSION) =>
    copilotError({ sessionId, pieces, counted }, { HOME: tempFolder() });

  test("an error is Copilot's own when nothing was used, or right after an attempt that failed", () => {
    expect([judge([`Error: ${FAILED}`], false), judge([RETRY, `Error: ${FAILED}`], true)]).toEqual([FAILED, FAILED]);
  });

  test("an answer that used something may begin with the word", () => {
    expect(judge(["Error: Failed to ", "get a response, says the log"], false)).toBeUndefined();
    expect(judge(["Error: the build fails"], true)).toBeUndefined();
    expect(judge(["I saw it.\nError: no"], false)).toBeUndefined();
    expect(judge([], false)).toBeUndefined();
  });

  test("a session's name leads to no other file", () => {
    expect(judge(["Error: x"], true, "../../etc")).toBeUndefined();
  });
});

test("a run whose model cannot be reached over ACP fails and says why; an answer in those words does not", async () => {
  const agent = join(import.meta.dirname, "../../../test/fixtures/hosts/acp-agent.ts");
  const run = async (task: string, record: object) => {
    const env = {
      PATH: "/usr/bin:/bin",
      HOME: "/nowhere",
      COPILOT_HOME: home(record),
      ABP_COPILOT_TRANSPORT: "acp",
      ABP_COPILOT_CMD: process.execPath,
      ABP_COPILOT_ACP_ARGS: JSON.stringify([agent]),
    };
    const root = repositoryWith({ "a.txt": "" });
    const parts = runParts({ root, openHost: copilotHost(env, plainStarter(env)) });
    const steps = await Array.fromAsync(runWorkOrder({ ...workOrder({ root }), task }, parts));
    const end = steps.at(-1);
    if (end?.type !== "run-end") throw new Error("no end");
    const messages = end.receipt.trace.flatMap((event) =>
      event.type === "error" ? [event.message] : event.type === "assistant_message" ? [event.text] : [],
    );
    return [end.exitCode, end.receipt.outcome, end.facts.claimed, messages];
  };
  const task = `say ${RETRY}\nsay Error: it is not there`;
  expect(await run(task, failure("it is not there"))).toEqual([1, "failed", false, [RETRY, "it is not there"]]);
  const words = `${RETRY}Error: it is not there`;
  expect(await run(task, answer(words))).toEqual([0, "complete", true, [words]]);
});
