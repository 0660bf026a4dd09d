import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { trust } from "../../guard/policy/trust.ts";
import { packageFolder } from "../../lib/path/package-folder.ts";
import { ancestorHooks } from "./ancestor-hooks.ts";
import { findHooks, registerHooks } from "./find-hooks.ts";
import { carriedHooks, stagedHooks } from "./registration.ts";

const SCRIPT = "#!/bin/sh\necho '{}'\n";

function places() {
  const [workspace, folder, home] = [tempFolder(), tempFolder(), tempFolder()];
  mkdirSync(join(home, "bin"));
  const put = (path: string, mode = 0o755) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, SCRIPT);
    chmodSync(path, mode);
    return path;
  };
  return { workspace, folder, home, put, env: { HOME: home, PATH: join(home, "bin") } };
}

test("hooks are found by their names, the user's first, and only the user's are trusted by themselves", () => {
  const { workspace, folder, put } = places();
  put(join(folder, "hooks/tool-before-mine"));
  put(join(workspace, ".signalbox/hooks/agent-stop"));
  put(join(workspace, ".signalbox/hooks/tool-before.sh"));
  put(join(workspace, ".signalbox/hooks/README.md"));
  put(join(workspace, ".signalbox/hooks/tool-beforehand"));
  const found = findHooks({ workspace, folder });
  expect(found.map(({ event, name, origin, trusted }) => [event, name, origin, trusted])).toEqual([
    ["tool-before", "tool-before-mine", "home", true],
    ["agent-stop", "agent-stop", "repository", false],
    ["tool-before", "tool-before.sh", "repository", false],
  ]);
});

test("a hook of a repository counts when exactly its content is trusted; the others are named", () => {
  const { workspace, folder, put } = places();
  const path = put(join(workspace, ".signalbox/hooks/tool-before"));
  put(join(workspace, ".signalbox/hooks/tool-after"));
  trust(folder, { path, text: SCRIPT, time: "" });
  const warnings: string[] = [];
  const registered = registerHooks(findHooks({ workspace, folder }), (text) => void warnings.push(text));
  expect([registered.map(({ name }) => name), warnings]).toEqual([
    ["tool-before"],
    [
      "the hook tool-after of this repository (tool-after) is not trusted and will not run; review it, then: signalbox trust",
    ],
  ]);
  writeFileSync(path, `${SCRIPT}# more\n`);
  expect(registerHooks(findHooks({ workspace, folder }), () => {})).toEqual([]);
});

test("a hook that leads out of the repository or cannot be run never counts, whatever is trusted", () => {
  const { workspace, folder, home, put } = places();
  const outside = put(join(home, "hook"));
  mkdirSync(join(workspace, ".signalbox/hooks"), { recursive: true });
  symlinkSync(outside, join(workspace, ".signalbox/hooks/tool-before"));
  put(join(workspace, ".signalbox/hooks/tool-after"), 0o644);
  expect(findHooks({ workspace, folder }).map(({ name, trusted, broken }) => [name, trusted, broken])).toEqual([
    ["tool-after", false, "it is not an executable file"],
    ["tool-before", false, "it is a link out of the repository"],
  ]);
});

test("the ancestor's scripts are found in their order, the user's own copy before the repository's", () => {
  const { workspace, folder, home, put, env } = places();
  const python = put(join(home, "bin/python3"));
  for (const file of ["stop.py", "session_stop.py", "pre_tool_use.py", "unknown.py"])
    put(join(workspace, ".claude/tools/amplihack/hooks", file));
  put(join(workspace, ".claude/tools/xpia/hooks/pre_tool_use.py"));
  const own = put(join(home, ".amplihack/.claude/tools/amplihack/hooks/pre_tool_use.py"));
  const found = ancestorHooks({ workspace, folder }, env);
  expect(found.map(({ event, name, origin, trusted, argv }) => [event, name, origin, trusted, argv[0]])).toEqual([
    ["agent-stop", "amplihack/stop.py", "repository", false, python],
    ["session-end", "amplihack/stop.py", "repository", false, python],
    ["session-end", "amplihack/session_stop.py", "repository", false, python],
    ["tool-before", "xpia/pre_tool_use.py", "xpia", false, python],
    ["tool-before", "amplihack/pre_tool_use.py", "home", true, python],
  ]);
  expect(found.at(-1)?.argv).toEqual([python, own]);
  const carried = carriedHooks({ workspace, folder }, env);
  expect(carried.map(({ as, file }) => [as, file.startsWith(workspace)])).toEqual([
    ["amplihack/stop.py", true],
    ["amplihack/stop.py", true],
    ["amplihack/session_stop.py", true],
    ["xpia/pre_tool_use.py", true],
    ["amplihack/pre_tool_use.py", true],
  ]);
});

test("our own entry point in the ancestor's place is no hook, and an edited copy of it is one", () => {
  const { workspace, folder, home, put, env } = places();
  put(join(home, "bin/python3"));
  const below = ".claude/tools/xpia/hooks/pre_tool_use.py";
  const file = put(join(workspace, below));
  const names = () => ancestorHooks({ workspace, folder }, env).map(({ name }) => name);
  const text = readFileSync(join(packageFolder(), below), "utf8");
  writeFileSync(file, text);
  expect(names()).toEqual([]);
  writeFileSync(file, `${text}\n`);
  expect(names()).toEqual(["xpia/pre_tool_use.py"]);
});

test("the ancestor's program takes over what it knows, unless Python is asked for", () => {
  const { workspace, folder, home, put, env } = places();
  put(join(home, "bin/python3"));
  const rust = put(join(home, ".cargo/bin/amplihack-hooks"));
  put(join(workspace, ".claude/tools/amplihack/hooks/user_prompt_submit.py"));
  const reminder = put(join(workspace, ".claude/tools/amplihack/hooks/workflow_classification_reminder.py"));
  const argv = (engine: string) =>
    ancestorHooks({ workspace, folder }, { ...env, AMPLIHACK_HOOK_ENGINE: engine }).map((hook) => hook.argv);
  expect(argv("auto")).toEqual([
    [rust, "user-prompt-submit"],
    [join(home, "bin/python3"), reminder],
  ]);
  expect(argv("Rust ")).toEqual(argv(""));
  expect(argv("python").map(([program]) => program)).toEqual([join(home, "bin/python3"), join(home, "bin/python3")]);
});

test.each([
  ["rust", "AMPLIHACK_HOOK_ENGINE is rust, but amplihack-hooks is not installed"],
  ["python", "AMPLIHACK_HOOK_ENGINE is python, but python3 is not installed"],
  ["ruby", "AMPLIHACK_HOOK_ENGINE is not rust, python or auto"],
])("an engine that cannot be had is an error: %s", (engine, because) => {
  const { workspace, folder, env } = places();
  expect(() => ancestorHooks({ workspace, folder }, { ...env, AMPLIHACK_HOOK_ENGINE: engine })).toThrow(because);
});

test("a hook that was there when the repository was staged and is gone stays registered", () => {
  const { workspace, folder, put, env } = places();
  const path = put(join(workspace, ".signalbox/hooks/tool-before"));
  trust(folder, { path, text: SCRIPT, time: "" });
  const remembered = [".signalbox/hooks/tool-before", ".signalbox/hooks/tool-before-gone", "xpia/pre_tool_use.py"];
  const parts = { env, event: "tool-before", warn: () => {} } as const;
  expect(
    stagedHooks(remembered, { workspace, folder }, parts).map(({ name, origin, hash }) => [name, origin, hash !== ""]),
  ).toEqual([
    ["tool-before", "repository", true],
    [".signalbox/hooks/tool-before-gone", "repository", false],
    ["xpia/pre_tool_use.py", "xpia", false],
  ]);
});
