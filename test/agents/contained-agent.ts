import { startScriptedModel } from "../../src/models/scripted/server.ts";
import { tempFolder, tempRepository } from "../support/temp-folder.ts";
import { PINNED, PROVABLE, realAgent } from "./real-agent.ts";

/** Every agent whose commands run in the session's sandbox. */
export const CONTAINED = [...PROVABLE, "native"] as const;
export type ContainedName = (typeof CONTAINED)[number];

type Script = Parameters<typeof realAgent>[1];

/** A pinned agent, or native, in a throw-away home and repository, with a model that plays the script. */
export async function containedAgent(name: ContainedName, script: Script) {
  const agent = name === "native" ? await nativeAgent(script) : await realAgent(name, script);
  // As for a person: the home is not in the folder for temporary files, where Codex's own sandbox would not work.
  const env: NodeJS.ProcessEnv = { ...agent.env, TMPDIR: tempFolder() };
  return { ...agent, home: agent.env["HOME"] ?? "", env };
}

async function nativeAgent(script: Script) {
  const model = await startScriptedModel({ script });
  const env: NodeJS.ProcessEnv = {
    PATH: PINNED,
    HOME: tempFolder(),
    TERM: "xterm-256color",
    SIGNALBOX_MODEL: "openai-chat/m",
    OPENAI_BASE_URL: `${model.url}/v1`,
  };
  return { model, cwd: tempRepository(), env, [Symbol.asyncDispose]: () => model.close() };
}
