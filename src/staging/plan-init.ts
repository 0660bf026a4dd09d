import { lstatSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "../lib/message-of.ts";
import { EXIT, UserError } from "../lib/user-error.ts";
import { lookAt } from "./repository-file.ts";
import { NAME } from "./sources/sources.ts";
import { STAGED } from "./sources/staged-agents.ts";

/** A file that `init` would create. */
export interface NewFile {
  readonly path: string;
  readonly bytes: Buffer;
  readonly executable: boolean;
  /** The agent's file that this is a copy of. */
  readonly copyOf?: string;
}

export interface InitPlan {
  readonly files: readonly NewFile[];
  readonly folders: readonly string[];
  /** Instruction files, which stay where they are. */
  readonly instructions: readonly string[];
  readonly problems: readonly string[];
}

const FOLDERS = ["agents", "skills", "commands", "hooks"].map((name) => `.signalbox/${name}`);

const surfaces = STAGED.map((agent) => agent.surfaces);

/** Where agents keep what `init` imports. For each name, the first place that has it wins. */
const IMPORTS = (["agents", "commands"] as const).flatMap((kind) =>
  surfaces.flatMap(({ [kind]: place }) =>
    place === undefined || place.convert !== undefined ? [] : [{ ...place, to: `.signalbox/${kind}` }],
  ),
);
const SKILLS = [...new Set(surfaces.flatMap(({ skills }) => (skills ? [...skills.alsoRead, skills.folder] : [])))];
const INSTRUCTIONS = [...new Set(surfaces.flatMap(({ instructions }) => instructions.files))];

/** What `init` would create in a repository. Existing files are never overwritten. */
export function planInit(root: string): InitPlan {
  refuseOther(join(root, ".signalbox"));
  const problems: string[] = [];
  const files = new Map<string, NewFile>();
  const add = (file: NewFile) => {
    if (lstatSync(join(root, file.path), { throwIfNoEntry: false }) !== undefined) return;
    const first = files.get(file.path);
    if (first === undefined) files.set(file.path, file);
    else if (!first.bytes.equals(file.bytes))
      problems.push(`${file.copyOf}: ${first.copyOf} has the same name but different content; that one is used`);
  };
  add({ path: ".signalbox/policy.yaml", bytes: Buffer.from(POLICY), executable: false });
  add({ path: ".signalbox/README.md", bytes: Buffer.from(README), executable: false });
  const place = { root, add, problems };
  for (const { folder: from, to, ending } of IMPORTS)
    for (const name of namesIn(root, from))
      if (name.endsWith(ending) && NAME.test(name))
        copy(place, `${from}/${name}`, `${to}/${name.slice(0, -ending.length)}.md`);
  for (const from of SKILLS)
    for (const name of namesIn(root, from))
      if (NAME.test(name)) copyFolder(place, `${from}/${name}`, `.signalbox/skills/${name}`);
  const missing = (path: string) => lstatSync(join(root, path), { throwIfNoEntry: false }) === undefined;
  return {
    files: [...files.values()],
    folders: FOLDERS.filter(missing),
    instructions: INSTRUCTIONS.filter((path) => !missing(path)),
    problems,
  };
}

/** The target must be a folder, or not exist yet. */
function refuseOther(folder: string): void {
  const there = lstatSync(folder, { throwIfNoEntry: false }) !== undefined;
  if (!there || isFolder(folder)) return;
  throw new UserError(".signalbox is not a folder", {
    where: folder,
    fix: "move it away and try again",
    exitCode: EXIT.failed,
  });
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    // A broken or circular link.
    return false;
  }
}

interface Place {
  readonly root: string;
  readonly add: (file: NewFile) => void;
  readonly problems: string[];
}

function copyFolder(place: Place, from: string, to: string): void {
  for (const name of namesIn(place.root, from)) {
    const path = `${from}/${name}`;
    if (lstatSync(join(place.root, path)).isDirectory()) copyFolder(place, path, `${to}/${name}`);
    else copy(place, path, `${to}/${name}`);
  }
}

function copy({ root, add, problems }: Place, from: string, to: string): void {
  try {
    const { bytes, mode } = lookAt(root, from);
    if (bytes !== undefined) add({ path: to, bytes, executable: (mode & 0o100) !== 0, copyOf: from });
  } catch (error) {
    problems.push(`${from}: ${messageOf(error)}`);
  }
}

function namesIn(root: string, folder: string): readonly string[] {
  const stat = statSync(join(root, folder), { throwIfNoEntry: false });
  if (stat?.isDirectory() !== true) return [];
  return readdirSync(join(root, folder))
    .filter((name) => !name.startsWith("."))
    .toSorted();
}

const POLICY = `# The rules for coding agents in this repository. See docs/guard.md in signalbox.
# Until it is trusted on a machine (signalbox trust), this file can only tighten the rules there.
version: 1

# default: ask about anything no rule allows. ci: deny it. read-only: allow no changes.
extends: default

# rules:
#   - id: deploy-preview
#     argv: [./deploy.sh, [preview, staging]]
#     verdict: allow
#     because: previews need no approval
#     match: ["./deploy.sh preview"]
#     not_match: ["./deploy.sh production"]

# paths: { deny_read: ["secrets/**"], deny_write: ["migrations/**"] }
# network: { mode: allowlist, allow: ["api.example.com"] }
# tools: { deny: ["WebSearch"], require_approval_for: ["mcp:github/*"] }
`;

const README = `# .signalbox

signalbox's files for this repository. \`signalbox stage\` puts them where the agents look for them.

- \`policy.yaml\`: the rules for tool calls
- \`agents/NAME.md\`: sub-agents, with \`name\` and \`description\` between lines of \`---\`
- \`skills/NAME/SKILL.md\`: skills
- \`commands/NAME.md\`: commands; skills for agents that have no commands
- \`hooks/EVENT\`: programs that run on an event (\`tool-before\`, \`agent-stop\`, ...); JSON in, JSON out; they run only once trusted: \`signalbox trust\`
- \`instructions.md\` (optional): text for every agent
- \`mcp.json\` (optional): \`{"mcpServers": {...}}\` for every agent
- \`staged.json\`: what \`signalbox stage\` wrote; commit it
`;
