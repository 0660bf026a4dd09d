type Given = NonNullable<RequestInit["headers"]> | Iterable<readonly [string, string]>;

/**
 * The Headers of a request to a model or of its response. The first use of Node's own Headers loads its whole fetch,
 * which takes 25 ms; the release substitutes this class wherever a provider package uses them.
 */
export class SmallHeaders implements Headers {
  readonly #values = new Map<string, string>();

  constructor(given: Given = {}) {
    const pairs: Iterable<readonly [string, string | undefined]> = isIterable(given) ? given : Object.entries(given);
    for (const [name, value] of pairs) if (value !== undefined) this.append(name, value);
  }

  append(name: string, value: string): void {
    const before = this.get(name);
    this.set(name, before === null ? value : `${before}, ${value.trim()}`);
  }

  set(name: string, value: string): void {
    this.#values.set(name.toLowerCase(), String(value).trim());
  }

  get(name: string): string | null {
    return this.#values.get(name.toLowerCase()) ?? null;
  }

  has(name: string): boolean {
    return this.#values.has(name.toLowerCase());
  }

  delete(name: string): void {
    this.#values.delete(name.toLowerCase());
  }

  getSetCookie(): string[] {
    const value = this.get("set-cookie");
    return value === null ? [] : [value];
  }

  forEach(each: (value: string, name: string, headers: Headers) => void): void {
    for (const [name, value] of this) each(value, name, this);
  }

  keys() {
    return this.#sorted()
      .map(([name]) => name)
      .values();
  }

  values() {
    return this.#sorted()
      .map(([, value]) => value)
      .values();
  }

  entries() {
    return this.#sorted().values();
  }

  [Symbol.iterator]() {
    return this.entries();
  }

  #sorted(): [string, string][] {
    return [...this.#values].toSorted(([one], [other]) => (one < other ? -1 : 1));
  }
}

const isIterable = (given: Given): given is Iterable<readonly [string, string]> => Symbol.iterator in given;
