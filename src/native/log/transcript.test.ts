import { expect, test } from "vitest";
import type { Message } from "../../contract/message.ts";
import { transcript } from "./transcript.ts";

test("a transcript says who spoke, what was called, and what came back, in fences that the text cannot close", () => {
  const history: readonly Message[] = [
    { role: "user", source: "person", text: "go" },
    { role: "user", source: "gate", text: "not yet" },
    {
      role: "assistant",
      stop: "cut",
      parts: [
        { type: "thinking", text: "one\ntwo" },
        { type: "text", text: "I look." },
        { type: "call", id: "1", name: "bash", input: { command: "ls" } },
      ],
    },
    { role: "tool", results: [{ callId: "1", name: "bash", text: "````\nx", failed: true }] },
    { role: "tool", results: [{ callId: "2", name: "read", text: "plain", failed: false }] },
  ];
  expect(transcript(history)).toBe(`## User

go

## User (gate)

not yet

## Model

> one
> two

I look.

**bash** \`\`\`json
{
  "command": "ls"
}
\`\`\`

[interrupted]

### Result of bash (failed)

\`\`\`\`\`
\`\`\`\`
x
\`\`\`\`\`

### Result of read

\`\`\`
plain
\`\`\`
`);
});
