import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../support/until.ts';

/** Turns shorter than this are not recorded. CPU milliseconds. */
export const NOTED_TURN_MS = 20;

/** A line that the guard in a server writes. */
export type Guarded =
  | { readonly kind: 'turn'; readonly ms: number }
  /** In use after a collection, in bytes. */
  | { readonly kind: 'memory'; readonly heap: number; readonly external: number };

/** Reads what the guard in a server (turn-guard.ts) writes. */
export class Guard {
  readonly #file: string;

  /** @param file where the guard writes */
  constructor(file: string) {
    this.#file = file;
  }

  /** Variables with which a program loads the guard. */
  get environment(): Readonly<Record<string, string>> {
    const guard = join(import.meta.dirname, 'turn-guard.ts');
    return { NODE_OPTIONS: `--disable-warning=ExperimentalWarning --import ${guard}`, ATTACK_GUARD: this.#file };
  }

  /** A mark for `longestTurn`, which looks only at turns after it. */
  mark(): number {
    return this.#lines().length;
  }

  /** CPU milliseconds of the longest turn of the event loop since a mark. */
  longestTurn(mark: number): number {
    return this.#lines()
      .slice(mark)
      .reduce((longest, line) => (line.kind === 'turn' ? Math.max(longest, line.ms) : longest), 0);
  }

  /** Bytes of heap and external memory that the process uses after a collection. */
  async memory(pid: number): Promise<number> {
    const before = this.#memories().length;
    process.kill(pid, 'SIGUSR2');
    await until(() => this.#memories().length > before, 'the guard does not look at the memory');
    const last = this.#memories().at(-1);
    return last === undefined ? 0 : last.heap + last.external;
  }

  #memories() {
    return this.#lines().filter(line => line.kind === 'memory');
  }

  #lines(): Guarded[] {
    if (!existsSync(this.#file)) return [];
    const text = readFileSync(this.#file, 'utf8');
    return text
      .slice(0, text.lastIndexOf('\n') + 1)
      .split('\n')
      .flatMap(line => (line === '' ? [] : [JSON.parse(line) as Guarded]));
  }
}
