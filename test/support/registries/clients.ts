import { cargoRegistry } from "./cargo-registry.ts";
import { goRegistry } from "./go-registry.ts";
import { npmRegistry } from "./npm-registry.ts";
import { pythonRegistry } from "./python-registry.ts";
import type { Registry } from "./serve-registry.ts";

/** A package manager, a small project, and the command that installs a package from a registry and uses it. */
export interface RegistryClient {
  readonly name: string;
  /** Prints something that matches where this client can be used. */
  readonly check: readonly [program: string, args: readonly string[], output: RegExp];
  readonly registry: Registry;
  readonly files: Readonly<Record<string, string>>;
  readonly command: (host: string, port: number) => string;
  /** What the installed package prints. */
  readonly greeting: string;
}

export const REGISTRY_CLIENTS: readonly RegistryClient[] = [
  {
    name: "npm",
    check: ["npm", ["--version"], /^\d/],
    registry: npmRegistry,
    files: {
      "package.json": '{ "name": "demo", "private": true }\n',
      "demo.js": 'console.log(require("greeting")());\n',
    },
    command: (host, port) => `npm install --registry http://${host}:${port} greeting && node demo.js`,
    greeting: "hello from a package",
  },
  {
    name: "pip",
    // `venv` is a package of its own in Debian.
    check: ["python3", ["-c", "import ensurepip, venv; print('yes')"], /^yes/],
    registry: pythonRegistry,
    files: { "demo.py": "import greeting\nprint(greeting.greet())\n" },
    command: (host, port) =>
      `python3 -m venv .venv && .venv/bin/pip install --index-url http://${host}:${port}/simple --trusted-host ${host} greeting && .venv/bin/python demo.py`,
    greeting: "hello from a wheel",
  },
  {
    name: "cargo",
    // The first with sparse registries is 1.68.
    check: ["cargo", ["--version"], /^cargo 1[.](?:6[89]|[7-9]\d|\d{3})/],
    registry: cargoRegistry,
    files: {
      "Cargo.toml": '[package]\nname = "demo"\nversion = "0.1.0"\nedition = "2021"\n\n[dependencies]\ngreeting = "1"\n',
      "src/main.rs": 'fn main() {\n    println!("{}", greeting::greet());\n}\n',
    },
    command: (host, port) =>
      `cargo run -q --config 'source.crates-io.replace-with="loopback"' --config 'source.loopback.registry="sparse+http://${host}:${port}/index/"'`,
    greeting: "hello from a crate",
  },
  {
    name: "go",
    check: ["go", ["version"], /^go version/],
    registry: goRegistry,
    files: {
      "go.mod": "module example.com/demo\n\ngo 1.16\n",
      "main.go":
        'package main\n\nimport (\n\t"fmt"\n\n\t"example.com/greeting"\n)\n\nfunc main() {\n\tfmt.Println(greeting.Greet())\n}\n',
    },
    command: (host, port) =>
      `export GOPROXY=http://${host}:${port} GOSUMDB=off GOFLAGS=-modcacherw; go get example.com/greeting@v1.0.0 && go run .`,
    greeting: "hello from a module",
  },
];
