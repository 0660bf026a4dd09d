import { byFile, row, type Row, unprepared } from "./row.ts";
import { NODE } from "./snippets.ts";

/** Every script of the project's package.json, and every program in its node_modules/.bin, runs this file. */
const PROJECT_CODE = byFile("tools/run.mjs", NODE);
const RAN = { says: "ran " };

/** Without a dependency there is nothing to ask the registry about. */
const DEPENDENCY = {
  "package.json": '{ "name": "demo", "version": "1.0.0", "dependencies": { "ms": "2.1.3" } }\n',
  "package-lock.json": `${JSON.stringify({
    name: "demo",
    version: "1.0.0",
    lockfileVersion: 3,
    packages: {
      "": { name: "demo", version: "1.0.0", dependencies: { ms: "2.1.3" } },
      "node_modules/ms": { version: "2.1.3" },
    },
  })}\n`,
};

const GLOBAL_TOOL = "needs a project of its own";

/** Node.js, npm and what JavaScript projects run. */
export const NODE_ROWS: readonly Row[] = [
  row(["oc-005", "npm"], byFile("tools/run.mjs", NODE, "npm pack --dry-run --foreground-scripts"), {
    says: "ran prepack",
  }),
  unprepared("oc-006", "storybook", GLOBAL_TOOL),
  unprepared("oc-009", "turbo", GLOBAL_TOOL),
  row(["oc-017", "npm"], byFile("sub/run.mjs", NODE), { says: "ran sub" }),
  row(["oc-019", "rm"], { write: "rm -rf node_modules @OUTSIDE@" }),
  row(["oc-023", "pnpm"], PROJECT_CODE, RAN),
  unprepared("oc-025", "jest", GLOBAL_TOOL),
  unprepared("oc-031", "ts-node", GLOBAL_TOOL),
  row(["oc-035", "npx"], PROJECT_CODE, RAN),
  row(["oc-038", "npm"], PROJECT_CODE, RAN),
  row(["oc-039", "npm"], PROJECT_CODE, RAN),
  unprepared("oc-043", "lerna", GLOBAL_TOOL),
  unprepared("oc-044", "next", GLOBAL_TOOL),
  row(["oc-045", "npx"], PROJECT_CODE, RAN),
  row(["oc-046", "bun"], byFile("x.test.js", NODE), { exit: [0, 1] }),
  row(["oc-048", "npm"], PROJECT_CODE, RAN),
  row(["oc-059", "yarn"], byFile("tools/run.mjs", NODE, "yarn build")),
  row(["oc-065", "npm"], byFile("tools/run.mjs", NODE, "npm install --foreground-scripts")),
  unprepared("oc-079", "vite", GLOBAL_TOOL),
  row(["oc-087", "npx"], PROJECT_CODE, RAN),
  row(["oc-090", "npm"], PROJECT_CODE, RAN),
  row(["oc-092", "yarn"], PROJECT_CODE, RAN),
  row(["oc-096", "npm"], PROJECT_CODE, RAN),
  row(["oc-098", "node"], byFile("x.test.js", NODE)),
  row(["oc-100", "npx"], PROJECT_CODE, RAN),
  row(["oc-102", "pnpm"], PROJECT_CODE, { exit: [0, 1] }),
  row(
    ["oc-108", "node"],
    {
      read: 'node -e \'console.log(fs.readFileSync("@KEY@", "utf8"))\'',
      write: 'node -e \'fs.writeFileSync("@OUT@", "x")\'',
      reach: [
        "node -e 'fetch(\"@URL@\").then(() => console.log(1))'",
        'node -e \'net.connect(@PORT@, "@IP@", () => process.exit()).on("error", () => {})\'',
      ],
    },
    { says: "1" },
  ),
  row(["oc-110", "pnpm"], PROJECT_CODE, { exit: [0, 1] }),
  row(["oc-112", "npm"], byFile("server.mjs", NODE), { until: "listening" }),
  row(["oc-113", "npm"], PROJECT_CODE, RAN),
  row(["oc-114", "npm"], PROJECT_CODE, RAN),
  row(["oc-122", "yarn"], PROJECT_CODE, { exit: [0, 1] }),
  row(
    ["oc-126", "npm"],
    {
      write: "npm audit --cache=@OUT@ --registry=http://127.0.0.1:1/ --fetch-retries=0",
      reach: { command: "npm audit --registry=@URL@ --fetch-retries=0", files: DEPENDENCY },
    },
    { exit: [0, 1] },
  ),
  row(
    ["oc-130", "npm"],
    {
      ...byFile("tools/run.mjs", NODE, "PREFIX=$PWD/global npm link --foreground-scripts"),
      write: "PREFIX=@OUT@ npm link",
    },
    { exit: [0, 1, 226, 243, 254] },
  ),
  row(["oc-137", "npm"], PROJECT_CODE, RAN),
];
