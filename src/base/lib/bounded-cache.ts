/**
 * A map that remembers at least the last `generationSize` keys used and never more than twice as many: when the young
 * generation is full it becomes the old one, and the old one is dropped.
 */
export class BoundedCache<K, V> {
  readonly #generationSize: number;
  #young = new Map<K, V>();
  #old = new Map<K, V>();

  constructor(generationSize: number) {
    this.#generationSize = generationSize;
  }

  get(key: K): V | undefined {
    const value = this.#young.get(key);
    if (value !== undefined) return value;
    const aged = this.#old.get(key);
    if (aged !== undefined) this.set(key, aged);
    return aged;
  }

  set(key: K, value: V): void {
    if (this.#young.size >= this.#generationSize) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, value);
  }
}
