import { expect, test } from "vitest";
import type { Effect } from "../model/effect.ts";
import { word } from "../model/word.ts";
import { reachesRemote } from "./git-remotes.ts";

const CONFIG = `
[core]
	bare = false
[remote "origin"]
	url = https://github.com/x/y.git
	fetch = +refs/heads/*:refs/remotes/origin/*
[remote "mine"]
	url = git@github.com:me/y.git
[remote "split"]
	url = https://github.com/x/y.git
	pushurl = ssh://git@git.example.com:2222/x/y.git
[remote "short"]
	url = gh:x/y
[remote "disk"]
	url = /srv/other.git
[remote "daemon"]
	url = git://git.example.com/x
[branch "topic"]
	remote = mine
[url "https://github.com/"]
	insteadOf = gh:
`;

function need(verb: string, remote?: string, branch = "main"): Effect | undefined {
  const files: Record<string, string> = {
    "/srv/repo/.git/config": CONFIG,
    "/srv/repo/.git/HEAD": `ref: refs/heads/${branch}\n`,
  };
  const effect = reachesRemote(verb, remote === undefined ? undefined : word(remote));
  if (effect.kind !== "check") throw new Error("the remote is looked up when the command is judged");
  return effect.objection({
    cwd: "/srv/repo/src",
    workspaceRoot: "/srv/repo",
    home: "/home/dev",
    machine: {
      readLink: () => undefined,
      addresses: () => undefined,
      now: () => 0,
      kind: (path) => (path === "/srv/repo/.git" ? "folder" : files[path] === undefined ? undefined : "file"),
      readText: (path) => files[path],
    },
  });
}

const shown = (effect: Effect | undefined) => {
  if (effect?.kind === "doubt") return `${effect.need?.kind} ${effect.because}`;
  return effect === undefined || !("word" in effect) ? "nothing" : `${effect.kind} ${effect.word?.text}`;
};

test.each([
  ["fetch", undefined, "network https://github.com/"],
  ["pull", "origin", "network https://github.com/"],
  ["fetch", "short", "network https://github.com/"],
  ["fetch", "mine", "outside needs your ssh keys and github.com to fetch"],
  ["push", "mine", "outside needs your ssh keys and github.com to push"],
  ["push", "split", "outside needs your ssh keys and git.example.com to push"],
  ["fetch", "split", "network https://github.com/"],
  ["push", "origin", "outside needs your git login for github.com to push, and sends commits there"],
  ["clone", "https://user:secret@git.example.com/x", "network https://git.example.com/"],
  ["clone", "git@host.example:x", "outside needs your ssh keys and host.example to clone"],
  ["clone", "ssh://git@host.example:2222/x", "outside needs your ssh keys and host.example to clone"],
  ["fetch", "daemon", "outside needs git access to git.example.com to fetch"],
  ["fetch", "disk", "nothing"],
  ["push", "disk", "write /srv/other.git"],
  ["clone", "../x", "nothing"],
  ["push", "nowhere", "outside needs your git login for the remote to push, and sends commits there"],
  ["fetch", "nowhere", "nothing"],
])("git %s %s needs: %s %s", (verb, remote, expected) => {
  expect(shown(need(verb, remote))).toBe(expected);
});

test("without a name, the branch's own remote counts", () => {
  expect(shown(need("pull", undefined, "topic"))).toBe("outside needs your ssh keys and github.com to pull");
});
