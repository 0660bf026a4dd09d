import { expect, test } from "vitest";
import { anchored } from "./settings.ts";

const deny = (rules: readonly unknown[], folders: readonly string[]) =>
  anchored({ model: "m", permissions: { allow: ["Read(/a)"], deny: rules } }, folders);
const denied = (rules: readonly unknown[]) => ({ model: "m", permissions: { allow: ["Read(/a)"], deny: rules } });

test("a rule that begins at the folder of its settings is joined by one with the whole path", () => {
  expect(deny(["Read(/secret.txt)", "Edit(/conf/**)"], ["/top"])).toEqual(
    denied(["Read(/secret.txt)", "Read(//top/secret.txt)", "Edit(/conf/**)", "Edit(//top/conf/**)"]),
  );
  expect(anchored({ permissions: { ask: ["Glob(/x)"] } }, ["/top", "/top/sub", "/top"])).toEqual({
    permissions: { ask: ["Glob(/x)", "Glob(//top/x)", "Glob(//top/sub/x)"] },
  });
});

test("other rules stay as they are", () => {
  const rules = ["Read", "Read(x)", "Read(./x)", "Read(~/x)", "Read(//x)", "Read(!/x)", "Bash(ls /x)", "", "/x", "("];
  expect(deny(rules, ["/top"])).toEqual(denied(rules));
});

test.each([
  ["/", "Read(//x)"],
  ["/a (b)", "Read(//a??b?/x)"],
  ["/[a]{b}*?!\\\n", "Read(//?a??b??????/x)"],
  ["/né-1_2.3/ü", "Read(//né-1_2.3/ü/x)"],
])("no sign in the path of the folder %j has a meaning", (folder, expected) => {
  expect(deny(["Read(/x)"], [folder])).toEqual(denied(["Read(/x)", expected]));
});

test("a path counts in both forms of its letters", () => {
  expect(deny(["Read(/x)"], ["/e\u0301"])).toEqual(denied(["Read(/x)", "Read(//e\u0301/x)", "Read(//\u00E9/x)"]));
});

test("a rule that is no text takes no other rule with it", () => {
  expect(deny(["Bash", 5, null, ["Read"]], ["/top"])).toEqual(denied(["Bash"]));
});

test("settings without rules, or with something else in their place, stay as they are", () => {
  for (const settings of [{}, { permissions: 5 }, { permissions: { deny: "Read(/x)" } }])
    expect(anchored(settings, ["/top"])).toEqual(settings);
});
