import { join } from "node:path";
import { namesIn } from "../../lib/files/folder-tree.ts";
import { MAX_SETTINGS, readBoundedText } from "../../lib/files/read-file.ts";
import { isRecord } from "../../lib/json/json-value.ts";
import { parseJson } from "../../lib/json/parse-json.ts";
import { findProgram } from "../../lib/path/find-program.ts";
import { matchesSegment } from "../../lib/path/glob.ts";
import { safePath } from "../../lib/path/inside.ts";

/** A language server that can be started for a project. */
export interface FoundServer {
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
  readonly options?: KnownServer["options"] | undefined;
  /** By file name ending, without those that another server answers for. */
  readonly languages: ReadonlyMap<string, string>;
}

interface Project {
  readonly workspace: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/**
 * The language servers of a project: those on PATH, and those in its `node_modules`. Every session does this at its
 * start, so it reads one folder and looks only for the programs of languages that the project uses.
 */
export function findServers({ workspace, environment }: Project): readonly FoundServer[] {
  const names = namesIn(workspace);
  const wanted = KNOWN_SERVERS.filter(({ markers }) =>
    markers.some((marker) =>
      marker.includes("*") ? names.some((name) => matchesSegment(marker, name)) : names.includes(marker),
    ),
  );
  if (wanted.length === 0) return [];
  const path = safePath(environment, workspace);
  const taken = new Set<string>();
  return wanted.flatMap((server) => {
    const languages = new Map(Object.entries(server.languages).filter(([ending]) => !taken.has(ending)));
    const program =
      languages.size === 0
        ? undefined
        : findServer(server, path, names.includes("node_modules") ? workspace : undefined);
    if (program === undefined) return [];
    for (const ending of languages.keys()) taken.add(ending);
    return [{ name: server.program, program, args: server.args, options: server.options, languages }];
  });
}

/** The project's own comes first, since it fits the project's compiler. */
function findServer(
  { program, fromPackage, onlyFromPackage }: KnownServer,
  path: string,
  workspace: string | undefined,
): string | undefined {
  if (
    workspace !== undefined &&
    fromPackage !== undefined &&
    majorVersion(workspace, fromPackage.name) >= fromPackage.since
  ) {
    const own = findProgram(program, join(workspace, "node_modules", ".bin"));
    if (own !== undefined) return own;
  }
  return onlyFromPackage === true ? undefined : findProgram(program, path);
}

/** -1 if it is not installed. */
function majorVersion(workspace: string, name: string): number {
  try {
    const file = join(workspace, "node_modules", name, "package.json");
    const manifest = parseJson(readBoundedText(file, MAX_SETTINGS));
    const version = isRecord(manifest) ? manifest["version"] : undefined;
    return typeof version === "string" && /^\d/.test(version) ? Number.parseInt(version, 10) : -1;
  } catch {
    return -1;
  }
}

/** A language server that we know how to start. */
interface KnownServer {
  readonly program: string;
  readonly args: readonly string[];
  /** File name endings, and the names that the protocol has for their languages. */
  readonly languages: Readonly<Record<string, string>>;
  /** Files at the top of a project that uses the language; `*` stands for any characters. */
  readonly markers: readonly string[];
  /** What it is given with the greeting. */
  readonly options?: Readonly<Record<string, unknown>>;
  /** Set where the program of a package can be used from `node_modules`, and since which major version. */
  readonly fromPackage?: { readonly name: string; readonly since: number };
  /** Set where a program of this name on PATH need not be a language server. */
  readonly onlyFromPackage?: true;
}

const TYPESCRIPT = {
  ".ts": "typescript",
  ".mts": "typescript",
  ".cts": "typescript",
  ".tsx": "typescriptreact",
  ".js": "javascript",
  ".mjs": "javascript",
  ".cjs": "javascript",
  ".jsx": "javascriptreact",
};

const PYTHON = { ".py": "python", ".pyi": "python" };

const C = {
  ".c": "c",
  ".h": "c",
  ".cc": "cpp",
  ".cpp": "cpp",
  ".cxx": "cpp",
  ".hh": "cpp",
  ".hpp": "cpp",
  ".m": "objective-c",
};

const JAVASCRIPT_PROJECT = ["tsconfig.json", "jsconfig.json", "package.json"];

const PYTHON_PROJECT = ["pyproject.toml", "setup.py", "setup.cfg", "requirements.txt", "Pipfile", "pyrightconfig.json"];

const C_PROJECT = [
  "compile_commands.json",
  "compile_flags.txt",
  ".clangd",
  "CMakeLists.txt",
  "meson.build",
  "Makefile",
];

const STDIO = ["--stdio"];

/** In order of preference: the first that is found answers for a file name ending. */
const KNOWN_SERVERS: readonly KnownServer[] = [
  // The compiler is a language server itself since version 7, which the other two cannot use.
  {
    program: "tsc",
    args: ["--lsp", ...STDIO],
    languages: TYPESCRIPT,
    markers: JAVASCRIPT_PROJECT,
    fromPackage: { name: "typescript", since: 7 },
    onlyFromPackage: true,
  },
  {
    program: "typescript-language-server",
    args: STDIO,
    // Its second compiler answers before the project is loaded, with less than it should.
    options: { tsserver: { useSyntaxServer: "never" } },
    languages: TYPESCRIPT,
    markers: JAVASCRIPT_PROJECT,
    fromPackage: { name: "typescript-language-server", since: 3 },
  },
  {
    program: "vtsls",
    args: STDIO,
    languages: TYPESCRIPT,
    markers: JAVASCRIPT_PROJECT,
    fromPackage: { name: "@vtsls/language-server", since: 0 },
  },
  { program: "gopls", args: [], languages: { ".go": "go" }, markers: ["go.mod", "go.work"] },
  { program: "rust-analyzer", args: [], languages: { ".rs": "rust" }, markers: ["Cargo.toml"] },
  {
    program: "pyright-langserver",
    args: STDIO,
    languages: PYTHON,
    markers: PYTHON_PROJECT,
    fromPackage: { name: "pyright", since: 1 },
  },
  { program: "basedpyright-langserver", args: STDIO, languages: PYTHON, markers: PYTHON_PROJECT },
  { program: "pylsp", args: [], languages: PYTHON, markers: PYTHON_PROJECT },
  { program: "clangd", args: ["--log=error"], languages: C, markers: C_PROJECT },
  { program: "ruby-lsp", args: [], languages: { ".rb": "ruby" }, markers: ["Gemfile", "*.gemspec"] },
  { program: "zls", args: [], languages: { ".zig": "zig" }, markers: ["build.zig"] },
  { program: "lua-language-server", args: [], languages: { ".lua": "lua" }, markers: [".luarc.json", "*.rockspec"] },
];
