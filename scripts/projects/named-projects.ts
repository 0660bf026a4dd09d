/** Where the sources of a project come from. They are fetched outside the sandbox, before anything is measured. */
type Origin =
  | { readonly from: "npm"; readonly package: string }
  | { readonly from: "debian source"; readonly package: string }
  /** A binary package that holds sources: Debian ships the crates of Rust this way. */
  | { readonly from: "debian package"; readonly package: string; readonly folder: string };

export const STEPS = ["install", "build", "test", "commit"] as const;
export type Step = (typeof STEPS)[number];

export interface NamedProject {
  readonly name: string;
  readonly language: "npm" | "Python" | "C" | "Go" | "Rust";
  readonly origin: Origin;
  /** Programs without which the project is skipped by name. */
  readonly needs: readonly string[];
  /** What git ignores, as in the project's own repository. Archives of sources often leave that file out. */
  readonly ignored: readonly string[];
  /** Run in this order, each by a bash of its own in the project's folder. */
  readonly commands: readonly (readonly [step: Step, command: string])[];
}

/** Real projects with their own tests. Only those of npm download anything inside: what they depend on. */
export const NAMED_PROJECTS: readonly NamedProject[] = [
  npm("minimist", "1.2.8", [
    ["install", "npm install"],
    ["test", "npm test"],
  ]),
  npm("fastq", "1.20.3", [
    ["install", "npm install"],
    ["build", "npm run typescript"],
    ["test", "npm test"],
  ]),
  npm("through2", "5.0.12", [
    ["install", "npm install"],
    ["build", "npm run build"],
    ["test", "npm test"],
  ]),
  python("sortedcontainers", "tests"),
  python("toolz", "toolz"),
  c("zlib", "./configure && make -j2"),
  c("hello", "./configure --quiet && make -j2", ["help2man"]),
  go("toml", "golang-toml", 'go build ./... && GOBIN="$PWD/out" go install ./cmd/...'),
  go("uuid", "golang-github-google-uuid", "go build ./..."),
  rust("strsim"),
  rust("itoa"),
];

type Commands = NamedProject["commands"];

function npm(name: string, version: string, commands: Commands): NamedProject {
  const origin = { from: "npm", package: `${name}@${version}` } as const;
  const ignored = ["node_modules", "package-lock.json", ".nyc_output", "coverage", "types"];
  return { name, language: "npm", origin, needs: ["npm"], ignored, commands: withCommit(name, commands) };
}

/** With Debian's own modules: the virtual environment sees those of the system, and nothing is downloaded. */
function python(name: string, tests: string): NamedProject {
  const commands: Commands = [
    [
      "install",
      "/usr/bin/python3 -m venv --system-site-packages .venv && .venv/bin/pip install --no-index --no-build-isolation .",
    ],
    ["build", ".venv/bin/python setup.py -q bdist_wheel"],
    ["test", `.venv/bin/python -m pytest -q ${tests}`],
  ];
  return {
    name,
    language: "Python",
    origin: { from: "debian source", package: name },
    needs: ["dpkg-source", "pytest-3"],
    ignored: [".venv", "build", "dist", "*.egg-info", "__pycache__", ".pytest_cache"],
    commands: withCommit(name, commands),
  };
}

function c(name: string, build: string, needs: readonly string[] = []): NamedProject {
  const commands: Commands = [
    ["build", build],
    ["test", "make check"],
    ["install", 'make install prefix="$PWD/out"'],
  ];
  return {
    name,
    language: "C",
    origin: { from: "debian source", package: name },
    needs: ["dpkg-source", "gcc", "make", ...needs],
    ignored: ["out", "*.o", "*.lo"],
    commands: withCommit(name, commands),
  };
}

/** With the standard library alone: GOPROXY=off makes every download an error. */
function go(name: string, source: string, build: string): NamedProject {
  const commands: Commands = [
    ["install", "GOPROXY=off go mod download"],
    ["build", build],
    ["test", "go vet ./... && go test ./..."],
  ];
  return {
    name,
    language: "Go",
    origin: { from: "debian source", package: source },
    needs: ["dpkg-source", "go"],
    ignored: ["out"],
    commands: withCommit(name, commands),
  };
}

function rust(name: string): NamedProject {
  const origin = {
    from: "debian package",
    package: `librust-${name}-dev`,
    folder: "usr/share/cargo/registry",
  } as const;
  const commands: Commands = [
    ["install", "cargo fetch --offline"],
    ["build", "cargo build --offline"],
    ["test", "cargo test --offline"],
  ];
  return {
    name,
    language: "Rust",
    origin,
    needs: ["dpkg-deb", "cargo"],
    ignored: ["target", "Cargo.lock"],
    commands: withCommit(name, commands),
  };
}

function withCommit(name: string, commands: Commands): Commands {
  return [...commands, ["commit", `git add -A && git commit -q -m "Import ${name}" && git status --short`]];
}
