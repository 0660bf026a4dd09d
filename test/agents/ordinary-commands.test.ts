import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isOnPath } from "../support/is-on-path.ts";
import { FORMS, refusedBubblewrap } from "../support/sandbox-scene.ts";
import { openContained } from "./ordinary/contained.ts";
import { ASKED_OF_ALL, type Kind, KINDS, type Row, type Twin } from "./ordinary/row.ts";
import { environmentOf, type Prefix, runCommand, uncontained } from "./ordinary/run-command.ts";
import { makeTemplate, Scene } from "./ordinary/scene.ts";
import { ordinaryCommands, ROWS } from "./ordinary/table.ts";

const COMMANDS = ordinaryCommands();
const hasSandbox = process.platform === "linux" && isOnPath("bwrap");
const installed = ROWS.filter(({ program, unprepared }) => unprepared === undefined && isOnPath(program));
/** All of them take minutes, so every sixth is tried unless SIGNALBOX_TEST_ORDINARY=all. */
const tried = installed.filter((_, index) => process.env["SIGNALBOX_TEST_ORDINARY"] === "all" || index % 6 === 0);

test("every ordinary command has a row, and every row a twin of each kind that its program can", () => {
  expect(ROWS.map(({ id }) => id)).toEqual([...COMMANDS.keys()].toSorted());
  const prepared = ROWS.filter(({ unprepared }) => unprepared === undefined);
  const open = prepared.filter(({ twins, cannot }) =>
    ASKED_OF_ALL.some((kind) => cannot.includes(kind) === (twins[kind] ?? []).length > 0),
  );
  expect(open.map(({ id }) => id)).toEqual([]);
});

test.skipIf(!hasSandbox)("the programs that this project needs itself are among those tried", () => {
  const programs = installed.map(({ program }) => program);
  expect(["bash", "git", "node", "npm", "tar"].filter((name) => !programs.includes(name))).toEqual([]);
});

let template = "";
let refused = "";
beforeAll(() => {
  template = makeTemplate();
  refused = refusedBubblewrap(template);
});

const none = () => ({ run: 0, read: 0, write: 0, reach: 0, process: 0 });
const totals = { bubblewrap: none(), landlock: none() };

afterAll(() => {
  rmSync(template, { recursive: true, force: true });
  const names = (rows: readonly Row[]) => [...new Set(rows.map(({ program }) => program))].toSorted().join(" ");
  const absent = ROWS.filter(({ program }) => !isOnPath(program));
  const unready = ROWS.filter(({ program, unprepared }) => unprepared !== undefined && isOnPath(program));
  const lines = [
    ...FORMS.flatMap((form) => [
      `${form}: ${COMMANDS.size} ordinary commands, ${totals[form].run} worked inside`,
      `twins that succeeded uncontained and failed inside: ${KINDS.map((kind) => `${kind} ${totals[form][kind]}`).join(", ")}`,
    ]),
    `${absent.length} not installed: ${names(absent)}`,
    `${unready.length} installed and not prepared: ${names(unready)}`,
  ];
  console.log(lines.join("\n"));
});

const inForms = FORMS.flatMap((form) => tried.map((row) => [row.id, COMMANDS.get(row.id) ?? "", form, row] as const));

test.concurrent.each(inForms)(
  "%s %s works inside by %s, and its twins do not",
  { timeout: 300_000 },
  async (_, command, form, row) => {
    const bare = await attempts(row, command);
    // A twin that does nothing even uncontained would show nothing.
    expect(bare.filter(({ happened }) => !happened)).toEqual([]);

    await using scene = await Scene.open(template);
    await using contained = await openContained({
      home: scene.home,
      workspace: scene.workspace,
      signalboxHome: join(template, ".signalbox"),
      form,
      refused,
    });
    const place = { prefix: contained.prefix, cwd: scene.workspace, env: environmentOf(scene.home) };
    if (row.before !== undefined) await runCommand(row.before, place);
    const ran = await runCommand(command, place, row.until);
    const ok = row.until !== undefined || row.exit.includes(ran.code ?? -1);
    expect({ ran, ok: ok && ran.output.includes(row.until ?? row.says ?? "") }).toEqual({ ran, ok: true });

    const inside = await attempts(row, command, { scene, prefix: contained.prefix });
    // Other processes can be seen in the weaker form.
    const held = inside.filter(({ kind }) => form === "bubblewrap" || kind !== "process");
    expect(held.filter(({ happened }) => happened)).toEqual([]);
    totals[form].run++;
    for (const { kind } of held) totals[form][kind]++;
  },
);

interface Attempt {
  readonly kind: Kind;
  readonly command: string;
  readonly happened: boolean;
  readonly output: string;
}

/** Runs every twin of a row: each in a scene of its own without a sandbox, or all in the one given. */
async function attempts(row: Row, ordinary: string, given?: { scene: Scene; prefix: Prefix }): Promise<Attempt[]> {
  const twins = KINDS.flatMap((kind) => (row.twins[kind] ?? []).map((twin): [Kind, Twin] => [kind, twin]));
  const found: Attempt[] = [];
  for (const [kind, twin] of twins) {
    if (given !== undefined) found.push(await attempt([kind, twin], ordinary, given));
    else {
      await using scene = await Scene.open(template);
      found.push(await attempt([kind, twin], ordinary, { scene, prefix: uncontained }));
    }
  }
  return found;
}

async function attempt(
  [kind, twin]: [Kind, Twin],
  ordinary: string,
  where: { scene: Scene; prefix: Prefix },
): Promise<Attempt> {
  const { scene, prefix } = where;
  const command = scene.prepare(kind, twin, ordinary);
  const place = { prefix, cwd: scene.workspace, env: environmentOf(scene.home) };
  const { output } = await runCommand(command, place);
  return { kind, command, happened: await scene.happened(kind, twin, output), output: output.slice(0, 2000) };
}
