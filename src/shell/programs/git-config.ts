import { doubt, type Effect } from "../model/effect.ts";
import type { Arguments } from "./options.ts";
import { type Word, word } from "../model/word.ts";

const RUNS_SOMETHING =
  /^(?:alias\.|core\.(?:pager|editor|fsmonitor|hookspath|sshcommand|gitproxy|askpass|attributesfile|excludesfile|worktree|alternaterefscommand)|credential\.|diff\.(?:external|.*\.(?:command|textconv))|filter\.|merge\..*\.driver|mergetool\.|difftool\.|gpg\.|pager\.|sequence\.editor|include\.|includeif\.|url\.|remote\..*\.(?:url|pushurl|proxy|uploadpack|receivepack|vcs)|http\.|https\.|protocol\.|ssh\.|sendemail\.|uploadpack\.|receive\.|init\.templatedir|submodule\.|interactive\.difffilter|browser\.|man\.|web\.|instaweb\.|trailer\.|tar\.|extensions\.|safe\.)/i;

/** Settings that only change how git prints or names things. */
const HARMLESS =
  /^(?:color\.[\w.]+|core\.(?:quotepath|abbrev|autocrlf|ignorecase|commentchar|precomposeunicode|longpaths)|advice\.\w+|user\.(?:name|email)|author\.(?:name|email)|committer\.(?:name|email)|diff\.(?:algorithm|renames|context|mnemonicprefix|noprefix|colormoved|renamelimit)|log\.\w+|init\.defaultbranch|commit\.gpgsign|tag\.(?:gpgsign|sort)|merge\.conflictstyle|rerere\.enabled|pull\.(?:rebase|ff)|push\.(?:default|autosetupremote)|rebase\.(?:autosquash|autostash)|column\.\w+|status\.\w+|branch\.sort|grep\.(?:linenumber|patterntype)|blame\.\w+|gc\.auto)$/i;

/** `git -c key=value`: harmless keys are allowed; pagers only if they disable paging. */
export function settingEffects(setting: Word): readonly Effect[] {
  const [key = "", ...rest] = setting.text.split("=");
  const value = rest.join("=");
  if (/^(?:core\.pager|pager\.\w+)$/i.test(key) && /^(?:cat|false|)$/.test(value) && rest.length > 0) return [];
  return HARMLESS.test(key) ? [] : [doubt("git-option", `the setting ${key} can change what git runs or connects to`)];
}

/** `git config`: reading is allowed, `user.name` and similar need approval, settings that run something are denied. */
export function configEffects(given: Arguments): readonly Effect[] {
  const has = (...names: readonly string[]) => given.options.some(({ name }) => names.includes(name));
  const [first = word("")] = given.operands;
  const verb = ["get", "list", "set", "unset", "edit", "rename-section", "remove-section"].includes(first.text)
    ? first.text
    : undefined;
  const key = verb === undefined ? first.text : (given.operands[1]?.text ?? "");
  const reads =
    verb === undefined
      ? has("--get", "--get-all", "--get-regexp", "--list", "-l") ||
        (given.operands.length < 2 && !has("--unset", "--unset-all", "-e", "--edit"))
      : verb === "get" || verb === "list";
  if (reads) return [];
  if (has("--global", "--system")) return [{ kind: "write", word: word("~/.gitconfig") }];
  const runs = RUNS_SOMETHING.test(key);
  return [
    { kind: "repository" },
    doubt(
      "git-setting",
      runs ? `the setting ${key} makes git run or connect to something` : "changes the repository's settings",
      runs ? "deny" : "ask",
    ),
  ];
}
