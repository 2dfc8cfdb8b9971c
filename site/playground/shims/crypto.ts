// SHA-1 and SHA-256 (FIPS 180-4). Those of browsers are asynchronous, but a script's hash is needed at once.

/** 32 bits of the fraction of the cube (or square) roots of the first primes. */
function fractions(count: number, root: number): number[] {
  const primes: number[] = [];
  for (let n = 2; primes.length < count; n++)
    if (primes.every((prime) => n % prime > 0)) primes.push(n);
  return primes.map((prime) => Math.floor((prime ** (1 / root) % 1) * 2 ** 32) | 0);
}

const K256 = fractions(64, 3);
const H256 = fractions(8, 2);
const K1 = [0x5a827999, 0x6ed9eba1, 0x8f1bbcdc | 0, 0xca62c1d6 | 0] as const;
const H1 = [0x67452301, 0xefcdab89 | 0, 0x98badcfe | 0, 0x10325476, 0xc3d2e1f0 | 0];

const left = (word: number, by: number): number => (word << by) | (word >>> (32 - by));
const right = (word: number, by: number): number => left(word, 32 - by);

/** In blocks of 16 words, with the length at the end. */
function blocksOf(bytes: Uint8Array): number[][] {
  const words = Array.from({ length: ((bytes.length + 8) >> 6) * 16 + 16 }, () => 0);
  bytes.forEach((byte, at) => {
    words[at >> 2] = (words[at >> 2] ?? 0) | (byte << (24 - (at % 4) * 8));
  });
  const end = bytes.length >> 2;
  words[end] = (words[end] ?? 0) | (0x80 << (24 - (bytes.length % 4) * 8));
  words[words.length - 1] = bytes.length * 8;
  return Array.from({ length: words.length / 16 }, (_, at) => words.slice(at * 16, at * 16 + 16));
}

const at = (words: readonly number[], index: number): number => words[index] ?? 0;

function sha1(bytes: Uint8Array): number[] {
  let state = H1;
  for (const w of blocksOf(bytes)) {
    for (let t = 16; t < 80; t++) {
      w.push(left(at(w, t - 3) ^ at(w, t - 8) ^ at(w, t - 14) ^ at(w, t - 16), 1));
    }
    let [a = 0, b = 0, c = 0, d = 0, e = 0] = state;
    for (let t = 0; t < 80; t++) {
      const stage = Math.floor(t / 20);
      const choice = stage === 0 ? (b & c) | (~b & d) : (b & c) | (b & d) | (c & d);
      const f = stage === 0 || stage === 2 ? choice : b ^ c ^ d;
      const next = (left(a, 5) + f + e + at(K1, stage) + at(w, t)) | 0;
      [a, b, c, d, e] = [next, a, left(b, 30), c, d];
    }
    state = [a, b, c, d, e].map((word, index) => (word + at(state, index)) | 0);
  }
  return state;
}

function sha256(bytes: Uint8Array): number[] {
  let state = H256;
  for (const w of blocksOf(bytes)) {
    for (let t = 16; t < 64; t++) {
      const [x, y] = [at(w, t - 15), at(w, t - 2)];
      const s0 = right(x, 7) ^ right(x, 18) ^ (x >>> 3);
      const s1 = right(y, 17) ^ right(y, 19) ^ (y >>> 10);
      w.push((at(w, t - 16) + s0 + at(w, t - 7) + s1) | 0);
    }
    let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
    for (let t = 0; t < 64; t++) {
      const s1 = right(e, 6) ^ right(e, 11) ^ right(e, 25);
      const first = (h + s1 + ((e & f) ^ (~e & g)) + at(K256, t) + at(w, t)) | 0;
      const s0 = right(a, 2) ^ right(a, 13) ^ right(a, 22);
      const second = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      [a, b, c, d, e, f, g, h] = [(first + second) | 0, a, b, c, (d + first) | 0, e, f, g];
    }
    state = [a, b, c, d, e, f, g, h].map((word, index) => (word + at(state, index)) | 0);
  }
  return state;
}

interface Hash {
  update(text: string, encoding?: "latin1"): Hash;
  digest(encoding: "hex"): string;
}

export function createHash(algorithm: "sha1" | "sha256"): Hash {
  let bytes = new Uint8Array();
  const hash: Hash = {
    update(text, encoding) {
      const more =
        encoding === "latin1"
          ? Uint8Array.from(text, (letter) => letter.charCodeAt(0))
          : new TextEncoder().encode(text);
      bytes = Uint8Array.from([...bytes, ...more]);
      return hash;
    },
    digest: () =>
      (algorithm === "sha1" ? sha1 : sha256)(bytes)
        .map((word) => (word >>> 0).toString(16).padStart(8, "0"))
        .join(""),
  };
  return hash;
}

export function randomFillSync<T extends Uint8Array<ArrayBuffer>>(bytes: T): T {
  return crypto.getRandomValues(bytes);
}
