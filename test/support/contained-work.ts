import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import type { ScriptInput } from "../../src/models/scripted/script.ts";
import { npmRegistry } from "./registries/npm-registry.ts";
import { serveRegistry } from "./registries/serve-registry.ts";

type Turns = NonNullable<ScriptInput["turns"]>;
type Files = Readonly<Record<string, string>>;

/** A small project: a server, a test that needs a package, and a script that tries what nothing may do. */
const PROJECT: Files = {
  "package.json": '{ "name": "demo", "private": true, "scripts": { "test": "node test.cjs" } }\n',
  ".gitignore": "node_modules\nport\n",
  "server.cjs": `const server = require("node:http").createServer((_, response) => response.end("hello from the server"));
server.listen(0, "127.0.0.1", () => require("node:fs").writeFileSync("port", String(server.address().port)));
`,
  "test.cjs": 'require("node:fs").writeFileSync("tested", require("greeting")());\n',
  "sub/probe.sh": `home=\${USERS_HOME:-$HOME}
cat "$home/.ssh/id_ed25519" > stolen
echo written > "$home/outside"
(exec 3<>"/dev/tcp/127.0.0.1/$1")
curl -sS -m 20 "http://host:$1/"
echo planted > ../.git/hooks/pre-commit
mkdir -p ../.github/workflows && echo planted > ../.github/workflows/x.yml
touch probed
`,
};

const KEY = "planted-key-of-a-user";

const TEXT_OF = (path: string) => (existsSync(path) ? readFileSync(path, "utf8") : undefined);

/** Writes files below a folder. */
export function writeFiles(folder: string, files: Files): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

/** Counts the connections to a port of this machine that no policy lists. */
async function unlisted() {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.end("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  return { port: address.port, connections: () => connections };
}

/** A day's work for a model, whose commands a policy of the user's lets reach one registry on this machine. */
export async function containedWork() {
  const registry = await serveRegistry(npmRegistry);
  const other = await unlisted();
  const turns: Turns = [
    { shell: "node server.cjs > /dev/null 2>&1 & until test -s port; do sleep 0.1; done" },
    { shell: 'curl -sS "http://127.0.0.1:$(cat port)/" > page' },
    { shell: `npm install greeting --no-audit --no-fund --registry=http://host:${registry.port}/` },
    { shell: "npm test" },
    { shell: "git add -A && git commit -qm 'work done'" },
    { shell: `cd sub && bash probe.sh ${other.port}` },
  ];
  return {
    turns,
    registry,
    other,
    /** Prepares a repository and a home for it. */
    prepare(cwd: string, home: string): void {
      writeFiles(cwd, PROJECT);
      execFileSync("git", ["add", "-A"], { cwd });
      execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@example.com", "commit", "-qm", "start"], { cwd });
      writeFiles(home, {
        ".ssh/id_ed25519": KEY,
        ".gitconfig": "[user]\n\tname = A Person\n\temail = person@example.com\n",
        ".signalbox/policy.yaml": `version: 1\nextends: default\nnetwork: { allow: ["host:${registry.port}"] }\n`,
      });
    },
    /** What came of it; `DONE` if the work was done and nothing got out. */
    result: (cwd: string, home: string) => ({
      page: TEXT_OF(join(cwd, "page")),
      tested: TEXT_OF(join(cwd, "tested")),
      commit: execFileSync("git", ["log", "-1", "--format=%s by %an"], { cwd, encoding: "utf8" }).trim(),
      probed: existsSync(join(cwd, "sub/probed")),
      stolen: TEXT_OF(join(cwd, "sub/stolen")) ?? "",
      outside: existsSync(join(home, "outside")),
      reached: other.connections(),
      floors: [".git/hooks/pre-commit", ".github/workflows/x.yml"].filter((path) => existsSync(join(cwd, path))),
    }),
  };
}

export const DONE = {
  page: "hello from the server",
  tested: "hello from a package",
  commit: "work done by A Person",
  probed: true,
  stolen: "",
  outside: false,
  reached: 0,
  floors: [],
};
