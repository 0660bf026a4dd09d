import { expect, test } from "vitest";
import type { Channel, DeliveryMode } from "../contract/agent.ts";
import { amplifier } from "./amplifier/program.ts";
import { claude } from "./claude/program.ts";
import { codex } from "./codex/program.ts";
import { copilot } from "./copilot/program.ts";
import { planDelivery, requestedMode } from "./deliver-prompt.ts";
import { type Agent, ARGV_LIMIT } from "./pack/agent.ts";

const ascii = (bytes: number) => ({ bytes, characters: bytes });

/** An agent with exactly these channels. The limit is 1,000,000 bytes, except for argv. */
function withChannels(...channels: Channel[]): Agent {
  const shape = (channel: Channel) => ({
    limit: channel === "argv" ? ARGV_LIMIT : ({ unit: "bytes", most: 1_000_000 } as const),
    argv: (flags: readonly string[], prompt: string) => [...flags, prompt],
    evidence: "made for this test",
  });
  return { ...claude, channels: Object.fromEntries(channels.map((channel) => [channel, shape(channel)])) };
}

const warned = (requested: string, selected: string) => [
  `requested ${requested} is unsupported by claude; using ${selected}`,
];

test.each<[DeliveryMode, number, Channel[], Channel, string[]]>([
  ["auto", 4096, ["argv", "tempfile", "stdin"], "argv", []],
  ["auto", 4097, ["argv", "tempfile", "stdin"], "tempfile", []],
  ["auto", 4097, ["argv", "stdin"], "stdin", []],
  ["auto", 4097, ["argv"], "argv", []],
  ["auto", 1, ["stdin"], "stdin", []],
  ["auto", 1, ["tempfile", "stdin"], "tempfile", []],
  ["argv", 65_536, ["argv", "stdin"], "argv", []],
  ["argv", 10, ["tempfile", "stdin"], "tempfile", warned("argv", "tempfile")],
  ["argv", 10, ["stdin"], "stdin", warned("argv", "stdin")],
  ["argv", 131_071, ["argv"], "argv", []],
  ["tempfile", 10, ["argv", "tempfile", "stdin"], "tempfile", []],
  ["tempfile", 10, ["argv", "stdin"], "stdin", warned("tempfile", "stdin")],
  ["tempfile", 10, ["argv"], "argv", warned("tempfile", "argv")],
  ["stdin", 10, ["argv", "tempfile", "stdin"], "stdin", []],
  ["stdin", 10, ["argv", "tempfile"], "argv", warned("stdin", "argv")],
])("%s with %d bytes over %j selects %s", (requested, bytes, channels, selected, warnings) => {
  expect(planDelivery(withChannels(...channels), requested, ascii(bytes))).toEqual({
    agent: "claude",
    requested,
    selected,
    warnings,
  });
});

test("in auto a prompt over one channel's limit takes the next that fits", () => {
  const small = { limit: { unit: "bytes", most: 5000 }, argv: () => [], evidence: "made for this test" } as const;
  const agent = { ...claude, channels: { ...claude.channels, tempfile: small } };
  expect(planDelivery(agent, "auto", ascii(5000)).selected).toBe("tempfile");
  expect(planDelivery(agent, "auto", ascii(5001)).selected).toBe("stdin");
});

test("what no channel carries is refused with the limits named", () => {
  expect(planDelivery(codex, "auto", ascii(1_048_577))).toEqual({
    agent: "codex",
    requested: "auto",
    selected: null,
    warnings: [],
    error:
      "no delivery mode can carry this prompt: codex accepts at most 1,048,576 characters by stdin, codex accepts at most 131,071 bytes by argv; shorten it, or put it in a file and mention that file",
  });
});

test("Codex counts characters: a prompt of 3 MB in 1,000,000 characters still goes", () => {
  expect(planDelivery(codex, "auto", { bytes: 3_000_000, characters: 1_000_000 }).selected).toBe("stdin");
});

test("an explicit argv that the system cannot pass is refused, with the way that works", () => {
  expect(planDelivery(claude, "argv", ascii(131_072))).toEqual({
    agent: "claude",
    requested: "argv",
    selected: null,
    warnings: [],
    error: "argv cannot deliver this prompt: claude accepts at most 131,071 bytes by argv; use stdin or auto",
  });
});

test.each(["tempfile", "stdin"] as const)("Amplifier refuses an explicit %s instead of degrading", (requested) => {
  expect(planDelivery(amplifier, requested, ascii(1))).toEqual({
    agent: "amplifier",
    requested,
    selected: null,
    warnings: [],
    error: `amplifier refuses ${requested} delivery: Amplifier documents only \`amplifier run [OPTIONS] [PROMPT]\`, and no other channel has been verified; use auto or argv`,
  });
});

test.each([claude, copilot, codex])("$name gets a long prompt by stdin and a short one by argv", (agent) => {
  expect(planDelivery(agent, "auto", ascii(65_536)).selected).toBe("stdin");
  expect(planDelivery(agent, "auto", ascii(100)).selected).toBe("argv");
});

test.each([
  [{}, "auto", []],
  [{ AMPLIHACK_PROMPT_DELIVERY: "  STDIN " }, "stdin", []],
  [{ SIGNALBOX_PROMPT_DELIVERY: "argv", AMPLIHACK_PROMPT_DELIVERY: "stdin" }, "argv", []],
  [{ SIGNALBOX_PROMPT_DELIVERY: "", AMPLIHACK_PROMPT_DELIVERY: "tempfile" }, "tempfile", []],
  [
    { SIGNALBOX_PROMPT_DELIVERY: "pigeon" },
    "auto",
    ["SIGNALBOX_PROMPT_DELIVERY is set to an unknown mode; using auto (known: auto, argv, tempfile, stdin)"],
  ],
])("the environment %j asks for %s", (env, mode, warnings) => {
  expect(requestedMode(env)).toEqual({ mode, warnings });
});
