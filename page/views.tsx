import { useSignal, useSignalEffect } from "@preact/signals";
import { parsePatch } from "diff";
import type { BoardEntry } from "../src/contract/board-entry.ts";
import type { OpenedEntry } from "../src/commands/watch/opened.ts";
import type { ProofMatrix } from "../src/proof/proof-matrix.ts";
import { ask, board, stop } from "./server.ts";
import { type SealedParts, type Step, verifyReceipt } from "./verify-receipt.ts";

/** What others wrote cannot turn the text around it, or hide. */
const shown = (text: string) =>
  text.replaceAll(
    /(?![\t\n])\p{Cc}|[\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );

const time = (at: number) => (at === 0 ? "" : new Date(at).toLocaleTimeString());

const MARKS: Readonly<Record<BoardEntry["state"], string>> = {
  "needs you": "!",
  failed: "x",
  denied: "x",
  stalled: "?",
  "claimed done": "-",
  unknown: "?",
  running: "*",
  verified: "+",
  interrupted: "x",
};

function State({ entry }: { readonly entry: BoardEntry }) {
  const { state, source } = entry;
  return (
    <span class={`state ${state.replace(" ", "-")}`}>
      <span aria-hidden="true">{MARKS[state]} </span>
      {state} <small>({source})</small>
    </span>
  );
}

export function BoardView() {
  const { entries = [], problems = [] } = board.value ?? {};
  const waiting = entries.filter(({ state }) => state === "needs you").length;
  return (
    <main>
      <h1>
        {waiting} {waiting === 1 ? "needs" : "need"} you
      </h1>
      {problems.map((problem) => (
        <p key={problem} class="bad" role="alert">
          {shown(problem)}
        </p>
      ))}
      {entries.length === 0 && <p>Nothing yet. Start an agent: signalbox claude</p>}
      <ul class="board">
        {entries.map((entry) => (
          <li key={entry.id} class={entry.isLive ? "live" : "over"}>
            <a href={`#/entry/${entry.id}`}>
              <State entry={entry} />
              <span class="who">{shown(entry.agent)}</span>
              <span class="folder">{shown(entry.folder.split("/").at(-1) ?? "")}</span>
              <time dateTime={new Date(entry.since).toISOString()}>{new Date(entry.since).toLocaleTimeString()}</time>
              <span class="why">
                {shown(entry.isLive || entry.task === "" ? entry.why : `${entry.task} (${entry.why})`)}
              </span>
            </a>
          </li>
        ))}
      </ul>
    </main>
  );
}

/** Asks for something when the page opens, and again when `again` changes. */
function useAnswer<Value>(load: () => Promise<Value>, again: () => unknown = () => 0) {
  const answer = useSignal<Value | undefined>(undefined);
  const problem = useSignal("");
  useSignalEffect(() => {
    again();
    let isOver = false;
    load().then(
      (value) => {
        if (!isOver) [answer.value, problem.value] = [value, ""];
      },
      (error: unknown) => {
        if (!isOver) problem.value = error instanceof Error ? error.message : String(error);
      },
    );
    return () => {
      isOver = true;
    };
  });
  return { answer: answer.value, problem: problem.value };
}

export function EntryView({ id }: { readonly id: string }) {
  const entry = board.value?.entries.find((each) => each.id === id);
  const { answer, problem } = useAnswer(
    () => ask<OpenedEntry>(`/api/entry/${id}`),
    () => board.value?.seq,
  );
  const note = useSignal("");
  const end = () => {
    if (!confirm("Stop it?")) return;
    stop(id).then(
      () => (note.value = "Asked it to end."),
      (error: unknown) => (note.value = String(error)),
    );
  };
  if (entry === undefined) return <Gone />;
  const { story, calls = [] } = answer ?? {};
  return (
    <main>
      <h1>
        {shown(entry.agent)} in {shown(entry.folder)}
      </h1>
      <p>
        <State entry={entry} /> since {new Date(entry.since).toLocaleString()}: {shown(entry.why)}
      </p>
      {entry.state === "needs you" && <p class="ask">Answer in the agent's own terminal.</p>}
      {entry.isLive && entry.kind !== "session" && <button onClick={end}>Stop</button>}
      <p role="status">{note.value || shown(problem || (answer?.problem ?? ""))}</p>
      {entry.receipt !== null && <a href={`#/receipt/${entry.receipt}`}>Receipt and its verification</a>}
      {story !== undefined && <Story story={story} />}
      <h2>Calls</h2>
      <CallsOverTime calls={calls} />
      <Agents calls={calls} />
      {story !== undefined && story.diff !== "" && <Diff text={story.diff} />}
    </main>
  );
}

const Gone = () => (
  <main>
    <h1>It is not on the board</h1>
    <p>
      It ended, or was removed. <a href="#/">Back to the board</a>
    </p>
  </main>
);

function Story({ story }: { readonly story: NonNullable<OpenedEntry["story"]> }) {
  const rows: readonly (readonly [string, string])[] = [
    ["Task", story.task],
    ["Outcome", story.outcome],
    ...story.checks.map(({ command, end }) => ["Check", `${end}: ${command}`] as const),
    ["Guarded", story.guarded],
    ["Contained", story.contained],
    ["Hosts", story.network],
    ["Cost", story.cost],
    ["Time", story.time],
    ["Files", (story.files ?? []).map(({ letter, path }) => `${letter} ${path}`).join("\n")],
  ];
  return (
    <dl>
      {rows.map(([name, text], at) =>
        text === "" ? null : (
          <div key={at}>
            <dt>{name}</dt>
            <dd>{shown(text)}</dd>
          </div>
        ),
      )}
    </dl>
  );
}

type Calls = OpenedEntry["calls"];

/** The calls of each sub-agent below those of its agent. */
function Agents({ calls }: { readonly calls: Calls }) {
  const names = [...new Set(["", ...calls.map(({ by }) => by)])];
  return (
    <ul class="agents">
      {names.map((name) => (
        <li key={name}>
          {name !== "" && <h3>Sub-agent {shown(name)}</h3>}
          <ol class="calls">
            {calls
              .filter(({ by }) => by === name)
              .toReversed()
              .map(({ at, text, verdict, because }, index) => (
                <li key={index} class={verdict}>
                  <time>{time(at)}</time> <b>{verdict}</b> <code>{shown(text)}</code>
                  {because !== "" && <p>{shown(because)}</p>}
                </li>
              ))}
          </ol>
        </li>
      ))}
    </ul>
  );
}

const [WIDTH, HEIGHT] = [600, 60];

/** How many calls there had been at each time. */
function CallsOverTime({ calls }: { readonly calls: Calls }) {
  const times = calls.map(({ at }) => at).filter((at) => at > 0);
  const [first, last] = [times[0], times.at(-1)];
  if (first === undefined || last === undefined || last === first) return null;
  const points = times.map((at, count) => {
    const x = ((at - first) / (last - first)) * WIDTH;
    return `${x.toFixed(1)},${(HEIGHT - ((count + 1) / times.length) * (HEIGHT - 4)).toFixed(1)}`;
  });
  return (
    <svg
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`${times.length} calls over time`}
    >
      <polyline points={points.join(" ")} fill="none" stroke="currentColor" vector-effect="non-scaling-stroke" />
    </svg>
  );
}

const MAX_LINES = 5000;

function Diff({ text }: { readonly text: string }) {
  let files: ReturnType<typeof parsePatch>;
  try {
    files = parsePatch(text);
  } catch {
    return <pre>{shown(text)}</pre>;
  }
  let left = MAX_LINES;
  return (
    <section aria-label="Changes">
      <h2>Changes</h2>
      {files.map((file, at) => (
        <details key={at} open={files.length < 6}>
          <summary>{shown(file.newFileName ?? file.oldFileName ?? "")}</summary>
          <pre class="diff">
            {file.hunks
              .flatMap((hunk) => hunk.lines)
              .map((line, index) =>
                left-- > 0 ? (
                  <span key={index} class={line.startsWith("+") ? "added" : line.startsWith("-") ? "removed" : ""}>
                    {shown(line)}
                    {"\n"}
                  </span>
                ) : null,
              )}
          </pre>
        </details>
      ))}
      {left < 0 && <p>{-left} more lines: signalbox receipt show --diff</p>}
    </section>
  );
}

interface Verified {
  readonly text: string;
  readonly steps: readonly Step[];
}

async function loadReceipt(id: string): Promise<Verified> {
  const parts = await ask<SealedParts>(`/api/receipt/${id}`);
  return { text: parts.text, steps: await verifyReceipt(parts) };
}

export function ReceiptView({ id }: { readonly id: string }) {
  const { answer, problem } = useAnswer(() => loadReceipt(id));
  if (answer === undefined) return <Loading problem={problem} />;
  const { text, steps } = answer;
  const isGood = steps.every(({ holds }) => holds);
  return (
    <main>
      <h1>Receipt {id.slice(0, 8)}</h1>
      <p role="status" class={isGood ? "good" : "bad"}>
        {isGood ? "Verified in this browser." : "Not verified."}
      </p>
      <ol>
        {steps.map(({ says, holds }) => (
          <li key={says} class={holds ? "good" : "bad"}>
            {holds ? "+ " : "x "}
            {shown(says)}
          </li>
        ))}
      </ol>
      <p>The whole chain, artifacts and audit log: signalbox receipt verify {id.slice(0, 8)}</p>
      <button onClick={() => download(`${id}.json`, text)}>Download the receipt</button>
      <pre class="receipt">{shown(text)}</pre>
    </main>
  );
}

function download(name: string, text: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

export function ProofView() {
  const { answer, problem } = useAnswer(() => ask<ProofMatrix>("/api/proof"));
  if (answer === undefined) return <Loading problem={problem} />;
  return (
    <main>
      <h1>Proof</h1>
      <ul>
        {answer.agents.map(({ name, says, isCurrent }) => (
          <li key={name} class={isCurrent ? "good" : "bad"}>
            {shown(says)}. {!isCurrent && <code>signalbox prove {name}</code>}
          </li>
        ))}
      </ul>
      <div class="wide" tabIndex={0} role="region" aria-label="Guarantees of each agent">
        <table>
          <thead>
            <tr>
              <th scope="col">Guarantee</th>
              {answer.agents.map(({ name, date, isCurrent }) => (
                <th key={name} scope="col">
                  {name} <small>{date === "" ? "never" : date.slice(0, 10)}</small>
                  {date !== "" && !isCurrent && <em> stale</em>}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {Object.entries(answer.guarantees).map(([guarantee, text]) => (
              <tr key={guarantee}>
                <th scope="row">
                  {guarantee} <small>{text}</small>
                </th>
                {answer.agents.map(({ name, verdicts, isCurrent }) => (
                  <td key={name} class={isCurrent ? (verdicts[guarantee] ?? "") : "stale"}>
                    {verdicts[guarantee] ?? "–"}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </main>
  );
}

const Loading = ({ problem }: { readonly problem: string }) => (
  <main>
    <p role="status">{problem === "" ? "Loading…" : shown(problem)}</p>
  </main>
);
