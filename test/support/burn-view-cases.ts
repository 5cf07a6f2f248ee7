/**
 * Small histories of burn blocks and Stacks blocks that the rule of the tip must get right (docs/spec/fork-choice.md#cases). Names stand
 * for blocks: B2 is a burn block, s2 a Stacks block of height 2.
 */

export interface BurnEvent {
  readonly kind: 'burn';
  readonly name: string;
  readonly on: string | undefined;
}

export interface BlockEvent {
  readonly kind: 'block';
  readonly name: string;
  readonly on: string | undefined;
  readonly election: string;
  /** Which burn block its tenure change names; undefined without one. */
  readonly view: string | undefined;
}

export type HistoryEvent = BurnEvent | BlockEvent;

const burn = (name: string, on?: string): BurnEvent => ({ kind: 'burn', name, on });
const block = (name: string, on: string | undefined, election: string, view?: string): BlockEvent => ({
  kind: 'block',
  name,
  on,
  election,
  view,
});

/** An event, and the tip after it where all come in this order. */
type Told = readonly [event: HistoryEvent, tip: string | undefined];

/** A Bitcoin reorg below a tenure extend: B2 elects nobody, and is replaced by B2' and B3'. */
export const REORG_BELOW_EXTEND: readonly Told[] = [
  [burn('B1'), undefined],
  [block('s1', undefined, 'B1', 'B1'), 's1'],
  [burn('B2', 'B1'), 's1'],
  [block('s2', 's1', 'B1', 'B2'), 's2'],
  [block('s3', 's2', 'B1'), 's3'],
  [burn("B2'", 'B1'), 's1'],
  [burn("B3'", "B2'"), 's1'],
  [block('n2', 's1', 'B1', "B3'"), 'n2'],
  [block('n3', 'n2', 'B1'), 'n3'],
  [block('n4', 'n3', 'B1'), 'n4'],
];

/** As before; then the first branch of the burn chain wins again. */
export const REORG_AND_BACK: readonly Told[] = [
  ...REORG_BELOW_EXTEND,
  [burn('B3', 'B2'), 's3'],
  [burn('B4', 'B3'), 's3'],
];

/** As the first, of a node that does not say consensus hashes: all have an election that is canonical. */
export const REORG_NOT_NAMED: readonly Told[] = REORG_BELOW_EXTEND.map(([event], i) => [
  event,
  [undefined, 's1', 's1', 's2', 's3', 's3', 's3', 's3', 's3', 'n4'][i],
]);

/** Two tenures, the same height. */
export const TWO_TENURES: readonly Told[] = [
  [burn('B1'), undefined],
  [block('s1', undefined, 'B1', 'B1'), 's1'],
  [burn('B2', 'B1'), 's1'],
  [burn('B3', 'B2'), 's1'],
  [block('t2', 's1', 'B2', 'B2'), 't2'],
  [block('u2', 's1', 'B3', 'B3'), 'u2'],
];

/** Two blocks of the same tenure and height; then a child of the second. */
export const SAME_TENURE: readonly Told[] = [
  [burn('B1'), undefined],
  [block('s1', undefined, 'B1', 'B1'), 's1'],
  [block('x2', 's1', 'B1'), 'x2'],
  [block('y2', 's1', 'B1'), 'x2'],
  [block('y3', 'y2', 'B1'), 'y3'],
];

/** A tenure extend without a new burn block. */
export const EXTEND_ONLY: readonly Told[] = [
  [burn('B1'), undefined],
  [block('s1', undefined, 'B1', 'B1'), 's1'],
  [block('s2', 's1', 'B1', 'B1'), 's2'],
  [block('x3', 's2', 'B1'), 'x3'],
  [block('y2', 's1', 'B1', 'B1'), 'x3'],
];

/** A block of an earlier view that is one lower than the tip. */
export const LATE_SIBLING: readonly Told[] = [
  [burn('B1'), undefined],
  [block('s1', undefined, 'B1', 'B1'), 's1'],
  [block('s2', 's1', 'B1'), 's2'],
  [burn('B2', 'B1'), 's2'],
  [block('t3', 's2', 'B2', 'B2'), 't3'],
  [block('x2', 's1', 'B1'), 't3'],
];

/** A higher block of an earlier view is hidden by the tip that a later view remembers. */
export const HIDDEN: readonly Told[] = [
  ...LATE_SIBLING,
  [block('x3', 'x2', 'B1'), 't3'],
  [block('x4', 'x3', 'B1'), 't3'],
  [burn("B2'", 'B1'), 'x4'],
];

export const eventsOf = (told: readonly Told[]): HistoryEvent[] => told.map(([event]) => event);

/**
 * Every order in which burn blocks come in their own order and Stacks blocks after their parents.
 * @param strict Stacks blocks come after the burn blocks too that they name
 */
export function* ordersOf(events: readonly HistoryEvent[], strict: boolean): Generator<HistoryEvent[]> {
  if (events.length === 0) yield [];
  for (const next of events) {
    const rest = events.filter(event => event !== next);
    if (mayBeFirst(next, rest, strict)) for (const order of ordersOf(rest, strict)) yield [next, ...order];
  }
}

function mayBeFirst(next: HistoryEvent, rest: readonly HistoryEvent[], strict: boolean): boolean {
  const waits = (name: string | undefined): boolean => rest.some(event => event.name === name);
  // `rest` keeps the order of the history: an earlier burn block that is left stands before.
  if (next.kind === 'burn')
    return !waits(next.on) && !rest.some(event => event.kind === 'burn' && isBefore(event, next));
  return !waits(next.on) && !(strict && (waits(next.election) || waits(next.view)));
}

/** Of two burn blocks of one history. */
const isBefore = (a: BurnEvent, b: BurnEvent): boolean => BURN_ORDER.indexOf(a.name) < BURN_ORDER.indexOf(b.name);

/** In which order burn blocks are announced in all of these histories. */
const BURN_ORDER = ['B1', 'B2', "B2'", "B3'", 'B3', 'B4'];
