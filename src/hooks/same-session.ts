import type { HookOutput } from "./hook-answer.ts";
import type { HookRequest } from "./server.ts";

type Answer = (request: HookRequest) => Promise<HookOutput>;

const SESSION = /"session_?[iI]d": ?"([A-Za-z0-9_-]{1,100})"/;

/**
 * A staged wrapper is answered only about sessions of which the launch's own hooks have told: another agent that is
 * started inside this one has its variables, but may work elsewhere. Not answered, it asks as if there were no launch.
 */
export function sameSession(answer: Answer): Answer {
  const heard = new Set<string>();
  return async (request) => {
    const session = SESSION.exec(request.text)?.[1];
    if (request.via !== "staged") {
      if (session !== undefined) heard.add(session);
    } else if (session === undefined || !heard.has(session)) throw new Error("this is no session of this launch");
    return await answer(request);
  };
}
