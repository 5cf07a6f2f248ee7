import { ATTACKS } from './attacks.ts';
import type { Finding, Size } from './finding.ts';
import { mixedRequests } from './on-requests.ts';
import { startTarget, type Target } from './target.ts';
import { underWatch } from './watch.ts';

/** The result of an attack. */
export interface Outcome {
  readonly attack: string;
  readonly findings: readonly Finding[];
  /** The number of tries: it was repeated while a figure was above its bound, which may be chance. */
  readonly tries: number;
  readonly seconds: number;
}

export interface Round {
  readonly size: Size;
  readonly seed: number;
  /** Only attacks whose names contain it. */
  readonly only: string;
  /** The names of attacks to leave out. */
  readonly without?: readonly string[];
  /** URL of a PostgreSQL server; without it, the server that is attacked has a directory. */
  readonly database?: string | undefined;
  readonly onOutcome: (outcome: Outcome) => void;
}

/** Runs every attack, one after the other, most of them on one server. */
export async function attackAll({ size, seed, only, without = [], database, onOutcome }: Round): Promise<void> {
  const attacks = ATTACKS.filter(({ name }) => name.includes(only) && !without.includes(name));
  const target = attacks.some(attack => 'on' in attack) ? await startTarget(size, database) : undefined;
  try {
    if (target) await warmUp(target, size, seed);
    for (const attack of attacks) {
      const begun = performance.now();
      const done = (findings: readonly Finding[], tries = 1) =>
        onOutcome({ attack: attack.name, findings, tries, seconds: (performance.now() - begun) / 1000 });
      if ('alone' in attack) {
        done(await attack.alone(size, seed));
      } else if (target && attack.restarts) {
        done(await attack.on(target, size, seed));
      } else if (target) {
        const { isLong, growth } = attack;
        const { findings, tries } = await underWatch(target, size, () => attack.on(target, size, seed), {
          isLong,
          growth,
        });
        done(findings, tries);
      }
    }
  } finally {
    await target?.close();
  }
}

/** Brings a server into the state of longer use, as the memory of a new server grows with any requests. */
const warmUp = (target: Target, size: Size, seed: number) =>
  mixedRequests(target, { ...size, mixedRequests: size.warmUp }, seed);
