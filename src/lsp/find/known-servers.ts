/** A language server that we know how to start. */
export interface KnownServer {
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
export const KNOWN_SERVERS: readonly KnownServer[] = [
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
