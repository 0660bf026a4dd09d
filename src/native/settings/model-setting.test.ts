import { lstatSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { settingsPath, withModel, writeModel } from "./settings-files.ts";

const TEXT = `# My settings. Keep this.
version: 1

model: openai/gpt-5-mini # cheap
effort: high   # I like it

engine:
  # never too long, and this comment is longer than eighty columns so that it would be folded by a careless writer
  turns: 50
`;

test("the rest of the file stays, comments included", () => {
  const { text } = withModel(TEXT, { model: "anthropic/claude-haiku-4-5" }, "s.yaml");
  const lines = text.split("\n");
  expect(lines.find((line) => line.startsWith("model:"))).toBe("model: anthropic/claude-haiku-4-5 # cheap");
  for (const kept of ["# My settings. Keep this.", "version: 1", "engine:", "  turns: 50"])
    expect(lines).toContain(kept);
  expect(text).toMatch(/^effort: high +# I like it$/m);
  expect(text).toContain("would be folded by a careless writer\n");
});

test.each(["", "version: 1\n", "{}\n", "# only a comment\n"])("%j gets a model", (before) => {
  expect(withModel(before, { model: "openai/m" }, "s.yaml").text).toMatch(/^(?:\{ )?model: openai\/m/m);
});

test("an address goes with its provider, and only with it", () => {
  const before = "model: compatible/a\nbase_url: http://127.0.0.1:1/v1\n";
  const made = (model: string, baseUrl?: string) => withModel(before, { model, baseUrl }, "s.yaml");
  expect(made("compatible/b")).toEqual({
    text: "model: compatible/b\nbase_url: http://127.0.0.1:1/v1\n",
    droppedUrl: false,
  });
  expect(made("anthropic/m")).toEqual({ text: "model: anthropic/m\n", droppedUrl: true });
  expect(made("vllm/m", "http://127.0.0.1:2/v1").text).toBe("model: vllm/m\nbase_url: http://127.0.0.1:2/v1\n");
});

test("a broken file is not touched", () => {
  const home = tempFolder();
  writeFileSync(settingsPath(home), "model: [\n");
  expect(() => writeModel(home, { model: "openai/m" })).toThrow(/invalid YAML/);
  expect(readFileSync(settingsPath(home), "utf8")).toBe("model: [\n");
});

test("a new file is private, nothing is left beside it, and its folder is made", () => {
  const home = join(tempFolder(), "deep", "home");
  const { path } = writeModel(home, { model: "openai/m" });
  expect(readFileSync(path, "utf8")).toBe("version: 1\nmodel: openai/m\n");
  expect([statSync(path).mode & 0o777, readdirSync(home)]).toEqual([0o600, ["settings.yaml"]]);
});

test("a file that is a link stays one", () => {
  const home = tempFolder();
  const dotfiles = join(tempFolder(), "settings.yaml");
  writeFileSync(dotfiles, "effort: low\n");
  symlinkSync(dotfiles, settingsPath(home));
  writeModel(home, { model: "openai/m" });
  expect(lstatSync(settingsPath(home)).isSymbolicLink()).toBe(true);
  expect(readFileSync(dotfiles, "utf8")).toBe("effort: low\nmodel: openai/m\n");
});
