import { setTimeout as delay } from 'node:timers/promises';
import { BUSY, BUSY_CONTRACT } from '../cost/growing-chain.ts';
import { ATTACKS, type ServerAttack } from './attacks.ts';
import { type Delays, type Errands, whileOthersAsk } from './bystanders.ts';
import { type Finding, isFailure, type Size } from './finding.ts';
import { mixedRequests } from './on-requests.ts';
import { startTarget, type Target } from './target.ts';

/** What was seen of an attack. */
export interface Outcome {
  readonly attack: string;
  readonly findings: readonly Finding[];
  /** How often it was made: once, or again because something was above its bound, which may be chance. */
  readonly tries: number;
}

export interface Round {
  readonly size: Size;
  readonly seed: number;
  /** Only attacks whose names contain it. */
  readonly only: string;
  /** Without these, by name. */
  readonly without?: readonly string[];
  /** URL of a PostgreSQL server; without it, the server that is attacked has a directory. */
  readonly database?: string | undefined;
  readonly onOutcome: (outcome: Outcome) => void;
}

/** Milliseconds in which 99 of 100 probes and events are answered, whatever happens; or twice as long as without an attack. */
const PROMPT = 100;
/** Other clients may wait twice as long as without an attack, or as long as this: a response within it is not slow. */
const NOT_SLOW = 50;
/** Megabytes by which memory may grow; and by which it may go on growing in an attack that makes very many requests. */
const GROWTH = 100;
const LASTING = 20;
/** The interval of memory checks, and the time to watch the server before an attack. Milliseconds. */
const WATCH_MS = 50;
const QUIET_MS = 3_000;

/** Makes every attack, one after the other, most of them on one server. */
export async function attackAll({ size, seed, only, without = [], database, onOutcome }: Round): Promise<void> {
  const attacks = ATTACKS.filter(({ name }) => name.includes(only) && !without.includes(name));
  const target = attacks.some(attack => 'on' in attack) ? await startTarget(size.blocks, database) : undefined;
  try {
    if (target) await warmUp(target, size, seed);
    for (const attack of attacks) {
      if ('alone' in attack) {
        onOutcome({ attack: attack.name, findings: await attack.alone(size, seed), tries: 1 });
      } else if (target && attack.restarts) {
        onOutcome({ attack: attack.name, findings: await attack.on(target, size, seed), tries: 1 });
      } else if (target) {
        onOutcome({ attack: attack.name, ...(await underWatch(attack, target, size, seed)) });
      }
    }
  } finally {
    await target?.close();
  }
}

/** Where delays are not judged. */
const NO_DELAYS: Delays = { livez: 0, events: 0, others: 0, responses: 0, refused: 0 };

/** As a server is that was used for a while: at first its memory grows with whatever it does. */
const warmUp = (target: Target, size: Size, seed: number) =>
  mixedRequests(target, { ...size, mixedRequests: size.warmUp }, seed);

/** Makes an attack while others use the server; again if something is above its bound, and with the last findings if that is so each time. */
async function underWatch(
  { on, isLong }: ServerAttack,
  target: Target,
  size: Size,
  seed: number,
): Promise<Omit<Outcome, 'attack'>> {
  for (let tries = 1; ; tries++) {
    const errands = errandsFor(target, size);
    const { delays: quiet } = size.judgesDelays
      ? await whileOthersAsk(errands, () => delay(Math.min(size.floodMs, QUIET_MS)))
      : { delays: NO_DELAYS };
    const memory = [target.memory()];
    const watch = setInterval(() => memory.push(target.memory()), WATCH_MS);
    const attacking = whileOthersAsk(errands, () => on(target, size, seed));
    const { result, delays } = await attacking.finally(() => clearInterval(watch));
    const { status, body } = await target.server().get('/extended');
    const findings = [
      ...result,
      ...delayFindings(delays, quiet),
      ...memoryFindings(memory, isLong),
      { what: 'whether it is down afterwards', worst: status === 200 && body?.lag === 0 ? 0 : 1, bound: 0, unit: '' },
    ];
    if (tries === size.tries || !findings.some(finding => isFailure(finding, size))) return { findings, tries };
  }
}

/** @param samples in bytes, in order */
function memoryFindings(samples: readonly number[], isLong = false): Finding[] {
  const growth = Math.max(...samples) - (samples[0] ?? 0);
  const quarter = Math.floor(samples.length / 4);
  const lasting = median(samples.slice(-quarter)) - median(samples.slice(quarter, 2 * quarter));
  return [
    { what: 'growth of memory', worst: growth / 1e6, bound: GROWTH, unit: 'MB' },
    ...(isLong ? [{ what: 'of it after the first quarter', worst: lasting / 1e6, bound: LASTING, unit: 'MB' }] : []),
  ];
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

function delayFindings(delays: Delays, quiet: Delays): Finding[] {
  return [
    delay99('/livez', delays.livez, quiet.livez, PROMPT),
    delay99('the event port', delays.events, quiet.events, PROMPT),
    delay99('other clients', delays.others, quiet.others, NOT_SLOW),
    {
      what: 'refused of what others asked',
      worst: (100 * delays.refused) / delays.responses,
      bound: 1,
      unit: '%',
      isDelay: true,
    },
  ];
}

/**
 * @param quiet the same without the attack: on a machine that is busy with other things that alone may be above the bound, so twice of it is
 *   allowed
 */
const delay99 = (of: string, worst: number, quiet: number, bound: number): Finding => ({
  what: `p99 of ${of}`,
  worst,
  bound: Math.max(2 * quiet, bound),
  unit: 'ms',
  isDelay: true,
});

function errandsFor(target: Target, { bystanders: clients }: Size): Errands {
  const [event] = target.known();
  if (!event) throw new Error('the chain has no event');
  const { port, eventPort } = target.server();
  return { port, eventPort, clients, event: { path: event.path, body: event.body }, paths: ORDINARY };
}

/** The request of most clients. */
const ORDINARY = [
  '/extended/v2/blocks?limit=20',
  '/extended/v1/tx?limit=20',
  `/extended/v1/tx?limit=20&from_address=${BUSY}`,
  `/extended/v2/addresses/${BUSY}/transactions?limit=20`,
  `/extended/v1/contract/${BUSY_CONTRACT}/events?limit=20`,
  '/extended/v2/burn-blocks/latest',
  '/extended/v2/blocks/latest/transactions',
];
