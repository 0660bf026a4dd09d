/**
 * The SHA-256 of a text in hexadecimal. Written out here because loading the crypto module costs a hook 5 ms of its 40;
 * the test compares it with that module.
 */
export function sha256(text: string): string {
  const blocks = padded(new TextEncoder().encode(text));
  const state = Uint32Array.from(START);
  const schedule = new Uint32Array(64);
  for (let offset = 0; offset < blocks.length; offset += 16) {
    stretch(schedule, blocks.subarray(offset, offset + 16));
    mix(state, schedule);
  }
  return Array.from(state, (word) => word.toString(16).padStart(8, "0")).join("");
}

/** The bytes as big-endian words, ended by one bit, zeros and the length. */
function padded(bytes: Uint8Array): Uint32Array {
  const words = new Uint32Array((((bytes.length + 8) >> 6) + 1) * 16);
  for (let index = 0; index < bytes.length; index++)
    words[index >> 2] = (words[index >> 2] ?? 0) | ((bytes[index] ?? 0) << (24 - (index % 4) * 8));
  words[bytes.length >> 2] = (words[bytes.length >> 2] ?? 0) | (0x80 << (24 - (bytes.length % 4) * 8));
  words[words.length - 2] = Math.floor(bytes.length / 0x2000_0000);
  words[words.length - 1] = bytes.length << 3;
  return words;
}

/** The 64 words that one block of 16 is stretched to. */
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

// One long loop over plain variables: a hook runs it before the engine has warmed up.
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

/** The first 32 bits of the fractions of the square and cube roots of the first primes. */
const PRIMES = firstPrimes(64);
const START = PRIMES.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)));
const CONSTANTS = PRIMES.map((prime) => fraction(Math.cbrt(prime)));

function fraction(value: number): number {
  return Math.floor((value - Math.floor(value)) * 0x1_0000_0000);
}

function firstPrimes(count: number): readonly number[] {
  const primes: number[] = [];
  for (let number = 2; primes.length < count; number++)
    if (primes.every((prime) => number % prime !== 0)) primes.push(number);
  return primes;
}
