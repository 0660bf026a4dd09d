/** Loading the crypto module takes as long as hashing this many characters here (docs/decisions/own-sha256.md). */
const MAX_OWN = 4000;

/** The SHA-256 in hexadecimal. Short texts are hashed here, because a cold hook cannot spare 5 ms. */
export function sha256(content: string | Uint8Array): string {
  return typeof content === "string" && content.length <= MAX_OWN
    ? hashShort(content)
    : process.getBuiltinModule("node:crypto").hash("sha256", content);
}

function hashShort(text: string): string {
  const blocks = padded(new TextEncoder().encode(text));
  const state = Uint32Array.from(START);
  const schedule = new Uint32Array(64);
  for (let offset = 0; offset < blocks.length; offset += 16) {
    stretch(schedule, blocks.subarray(offset, offset + 16));
    mix(state, schedule);
  }
  return Array.from(state, (word) => word.toString(16).padStart(8, "0")).join("");
}

/** The bytes as big-endian words, padded with a one bit, zeros and the length. */
function padded(bytes: Uint8Array): Uint32Array {
  const words = new Uint32Array((((bytes.length + 8) >> 6) + 1) * 16);
  for (let index = 0; index < bytes.length; index++)
    words[index >> 2] = (words[index >> 2] ?? 0) | ((bytes[index] ?? 0) << (24 - (index % 4) * 8));
  words[bytes.length >> 2] = (words[bytes.length >> 2] ?? 0) | (0x80 << (24 - (bytes.length % 4) * 8));
  words[words.length - 2] = Math.floor(bytes.length / 0x2000_0000);
  words[words.length - 1] = bytes.length << 3;
  return words;
}

/** Expands a block of 16 words to 64. */
function stretch(schedule: Uint32Array, block: Uint32Array): void {
  schedule.set(block);
  for (let index = 16; index < 64; index++) {
    const late = schedule[index - 2] ?? 0;
    const early = schedule[index - 15] ?? 0;
    const one = turn(late, 17) ^ turn(late, 19) ^ (late >>> 10);
    const zero = turn(early, 7) ^ turn(early, 18) ^ (early >>> 3);
    schedule[index] = one + (schedule[index - 7] ?? 0) + zero + (schedule[index - 16] ?? 0);
  }
}

// One long loop over plain variables, because a hook runs it before the JavaScript engine has warmed up.
function mix(state: Uint32Array, schedule: Uint32Array): void {
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let index = 0; index < 64; index++) {
    const choice = (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g));
    const upper = (h + choice + (CONSTANTS[index] ?? 0) + (schedule[index] ?? 0)) | 0;
    const lower = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + upper) | 0;
    d = c;
    c = b;
    b = a;
    a = (upper + lower) | 0;
  }
  state.set([a, b, c, d, e, f, g, h].map((value, index) => (state[index] ?? 0) + value));
}

function turn(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits));
}

/** The first 32 bits of the fractional parts of the square and cube roots of the first primes, eight digits each. */
const START = words("6a09e667bb67ae853c6ef372a54ff53a510e527f9b05688c1f83d9ab5be0cd19");
const CONSTANTS = words(
  "428a2f9871374491b5c0fbcfe9b5dba53956c25b59f111f1923f82a4ab1c5ed5d807aa9812835b01243185be550c7dc3" +
    "72be5d7480deb1fe9bdc06a7c19bf174e49b69c1efbe47860fc19dc6240ca1cc2de92c6f4a7484aa5cb0a9dc76f988da" +
    "983e5152a831c66db00327c8bf597fc7c6e00bf3d5a7914706ca63511429296727b70a852e1b21384d2c6dfc53380d13" +
    "650a7354766a0abb81c2c92e92722c85a2bfe8a1a81a664bc24b8b70c76c51a3d192e819d6990624f40e3585106aa070" +
    "19a4c1161e376c082748774c34b0bcb5391c0cb34ed8aa4a5b9cca4f682e6ff3748f82ee78a5636f84c878148cc70208" +
    "90befffaa4506cebbef9a3f7c67178f2",
);

function words(digits: string): Uint32Array {
  return Uint32Array.from({ length: digits.length / 8 }, (_, index) =>
    parseInt(digits.slice(index * 8, index * 8 + 8), 16),
  );
}
