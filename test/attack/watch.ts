import { setTimeout as delay } from 'node:timers/promises';
import { BUSY, BUSY_CONTRACT } from '../cost/growing-chain.ts';
import { type Delays, type Errands, whileOthersAsk } from './bystanders.ts';
import { type Finding, isFailure, type Size } from './finding.ts';
import type { Target } from './target.ts';

/** The parts of a target that are watched. */
export type Watched = Pick<Target, 'server' | 'guard' | 'memory' | 'known'>;

interface Watch {
  /** Megabytes by which its memory may grow; by default GROWTH. */
  readonly growth?: number | undefined;
  /** The attack sends very many requests: memory must not grow with their number. */
  readonly isLong?: boolean | undefined;
  /** Pages that other clients request. */
  readonly paths?: readonly string[];
}

/** Milliseconds within which 99 of 100 probes and events must get a response in any attack; or twice as long as without an attack. */
const PROMPT = 100;
/** Other clients may wait twice as long as without an attack, and this much longer. */
const NOT_SLOW = 50;
/** CPU milliseconds of one turn of the event loop. */
const TURN = 100;
/** Megabytes by which memory may grow, and by which it may keep growing in an attack with very many requests. */
const GROWTH = 100;
const LASTING = 20;
/** Megabytes of heap and external memory that may remain in use after an attack. */
const LEFT = 50;
/** The interval of memory checks, and the time to watch the server before an attack. Milliseconds. */
const WATCH_MS = 50;
const QUIET_MS = 3_000;

/** Used where delays are not judged. */
const NO_DELAYS: Delays = { livez: 0, events: 0, others: 0, responses: 0, refused: 0 };

/**
 * Runs an attack while others use the server. It is repeated if a figure is above its bound, which may be chance.
 * @returns the findings of the last try
 */
export async function underWatch(
  target: Watched,
  size: Size,
  attack: () => Promise<Finding[]>,
  watch: Watch = {},
): Promise<{ readonly findings: Finding[]; readonly tries: number }> {
  for (let tries = 1; ; tries++) {
    const findings = await watchOnce(target, size, attack, watch);
    if (tries === size.tries || !findings.some(finding => isFailure(finding, size))) return { findings, tries };
  }
}

async function watchOnce(
  target: Watched,
  size: Size,
  attack: () => Promise<Finding[]>,
  { growth, isLong, paths = ORDINARY }: Watch,
): Promise<Finding[]> {
  const { guard } = target;
  const errands = errandsFor(target, size, paths);
  const { delays: quiet } = size.judgesDelays
    ? await whileOthersAsk(errands, () => delay(Math.min(size.floodMs, QUIET_MS)))
    : { delays: NO_DELAYS };
  const looksAtHeap = size.settleMs > 0 || growth !== undefined; // a collection takes CPU time
  const before = looksAtHeap ? await collected(target) : 0;
  const memory = [target.memory()];
  const sampling = setInterval(() => memory.push(target.memory()), WATCH_MS);
  const mark = guard.mark();
  const attacking = whileOthersAsk(errands, attack);
  const { result, delays } = await attacking.finally(() => clearInterval(sampling));
  const turn = guard.longestTurn(mark);
  const { status, body } = await target.server().get('/extended');
  await delay(size.settleMs);
  const left = looksAtHeap ? (await collected(target)) - before : 0;
  return [
    ...result,
    ...delayFindings(delays, quiet),
    { what: 'the longest turn', worst: turn, bound: TURN, unit: 'ms of CPU' },
    ...memoryFindings(memory, growth, isLong),
    { what: 'heap and buffers left', worst: left / 1e6, bound: LEFT, unit: 'MB' },
    { what: 'whether it is down afterwards', worst: status === 200 && body?.lag === 0 ? 0 : 1, bound: 0, unit: '' },
  ];
}

const collected = ({ guard, server }: Watched): Promise<number> => guard.memory(server().pid ?? 0);

/** @param samples in bytes, in order */
function memoryFindings(samples: readonly number[], growth = GROWTH, isLong = false): Finding[] {
  const grown = Math.max(...samples) - (samples[0] ?? 0);
  const quarter = Math.floor(samples.length / 4);
  const lasting = median(samples.slice(-quarter)) - median(samples.slice(quarter, 2 * quarter));
  return [
    { what: 'growth of memory', worst: grown / 1e6, bound: growth, unit: 'MB' },
    ...(isLong ? [{ what: 'of it after the first quarter', worst: lasting / 1e6, bound: LASTING, unit: 'MB' }] : []),
  ];
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

/** On a busy machine `quiet` may already be above the bound, so twice its value is allowed. */
function delayFindings(delays: Delays, quiet: Delays): Finding[] {
  return [
    delay99('/livez', delays.livez, Math.max(2 * quiet.livez, PROMPT)),
    delay99('the event port', delays.events, Math.max(2 * quiet.events, PROMPT)),
    delay99('other clients', delays.others, 2 * quiet.others + NOT_SLOW),
    {
      what: 'refused of what others asked',
      worst: (100 * delays.refused) / delays.responses,
      bound: 1,
      unit: '%',
      isDelay: true,
    },
  ];
}

const delay99 = (of: string, worst: number, bound: number): Finding => ({
  what: `p99 of ${of}`,
  worst,
  bound,
  unit: 'ms',
  isDelay: true,
});

function errandsFor(target: Watched, { bystanders: clients }: Size, paths: readonly string[]): Errands {
  const [event] = target.known();
  if (!event) throw new Error('the chain has no event');
  const { port, eventPort } = target.server();
  return { port, eventPort, clients, event: { path: event.path, body: event.body }, paths };
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
