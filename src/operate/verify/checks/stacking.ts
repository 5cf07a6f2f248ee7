import type { PoxEvent } from '../../../base/codec/index.ts';
import { amountOfRank } from '../../../base/lib/number-bytes.ts';
import type { Queries } from '../../../base/store/database.ts';
import type { OuterRowOf, RowOf } from '../../../base/store/table.ts';
import { storableHeight } from '../../../base/store/values.ts';
import { rewardSetRows } from '../../../index/pox/signers.ts';
import { readStoredPoxEvent, type Stored } from '../../../index/pox/stored.ts';
import {
  DELEGATIONS_TO_POOL,
  delegationList,
  EVENTS_OF_CONTRACT,
  EVENTS_OF_STACKER,
  type POX_CYCLE_STAKES,
  type POX_CYCLES,
  type POX_EVENTS,
  type POX_SIGNERS,
  type POX_STACKER_COUNTS,
  type POX_STACKERS,
  ROLES,
  SIGNERS_OF_CYCLE,
  stackerList,
} from '../../../index/pox/tables.ts';
import { readBlock } from '../../../ingest/chain/block-facts.ts';
import type { KNOWN_BLOCKS } from '../../../ingest/indexer/known-blocks.ts';
import { type Check, type Context, type Finding, wrong } from '../check.ts';
import { pagedRows } from '../pages.ts';
import { listsOf, type Recount, textOf, withRecount } from '../recount.ts';
import { type SpillingMap, withSpillingMap } from '../spilling-map.ts';
import { eventIfKept } from './sources.ts';

const EVENT_LISTS = [EVENTS_OF_CONTRACT, EVENTS_OF_STACKER, DELEGATIONS_TO_POOL];

export const poxEventsCheck: Check = {
  name: 'stacking operations',
  proves:
    'the operations of each PoX contract and of each stacker, and the delegations to each pool, are those of the prints',
  recounts: EVENT_LISTS,
  run: context => withRecount(lists => comparePrints(lists, context)),
};

type PrintRow = RowOf<typeof POX_EVENTS, 'seq' | 'contract' | 'height' | 'event'>;

async function* comparePrints(lists: Recount, { index }: Context): AsyncIterable<Finding> {
  for await (const { seq, contract, height, event: text } of pagedRows<PrintRow>(index, {
    sql: 'SELECT seq, contract, height, event FROM pox_events',
    key: ['seq'],
  })) {
    if (text === null) continue;
    const event = readStoredPoxEvent(text);
    const { stacker } = event;
    await lists.add(EVENTS_OF_CONTRACT, contract, { event: seq });
    await lists.add(EVENTS_OF_STACKER, stackerList(contract, stacker), { event: seq });
    const { delegateTo, unlockBurnHeight } = delegationIn(event);
    if (delegateTo === undefined) continue;
    await lists.add(DELEGATIONS_TO_POOL, delegationList(contract, delegateTo), {
      height,
      stacker,
      until_burn_height: unlockBurnHeight === null ? null : storableHeight(BigInt(unlockBurnHeight)),
      revoked: event.name === 'revoke-delegate-stx' ? 1 : 0,
      event: seq,
    });
  }
  yield* lists.compare(EVENT_LISTS, index);
}

/** The pool that an operation delegates to, or leaves; until when, if it has an end. */
function delegationIn({ name, data }: Stored<PoxEvent>): { delegateTo?: string; unlockBurnHeight: string | null } {
  switch (name) {
    case 'delegate-stx':
      return data;
    case 'revoke-delegate-stx':
      return { delegateTo: data.delegateTo, unlockBurnHeight: null };
    default:
      return { unlockBurnHeight: null };
  }
}

type Count = RowOf<typeof POX_STACKER_COUNTS, 'role' | 'represented_by' | 'stackers'>;

export const poxCountsCheck: Check = {
  name: 'stackers',
  proves:
    'the numbers of stackers of each signer and operator, and the STX of stakers, are those of the stackers, in every cycle',

  async *run({ index }) {
    const cycles = await index.all<RowOf<typeof POX_STACKER_COUNTS, 'cycle'>>(
      `SELECT cycle FROM pox_stackers UNION SELECT cycle FROM pox_stacker_counts
        UNION SELECT cycle FROM pox_cycle_stakes ORDER BY cycle`,
    );
    for (const { cycle } of cycles) {
      const counted = await index.all<Count>(
        `SELECT role, represented_by, count(*) AS stackers FROM pox_stackers WHERE cycle = ?
          GROUP BY role, represented_by`,
        [cycle],
      );
      const stored = await index.all<Count>(
        'SELECT role, represented_by, stackers FROM pox_stacker_counts WHERE cycle = ?',
        [cycle],
      );
      const expected = new Map(counted.map(count => [nameOf(count), count.stackers]));
      for (const count of stored) {
        const stackers = expected.get(nameOf(count)) ?? 0;
        expected.delete(nameOf(count));
        if (stackers !== count.stackers)
          yield wrong(
            `pox_stacker_counts: cycle ${cycle}, ${nameOf(count)}: ${count.stackers}, a recount gives ${stackers}`,
          );
      }
      for (const [name, stackers] of expected)
        yield wrong(`pox_stacker_counts: cycle ${cycle}, ${name} is missing, a recount gives ${stackers}`);
      yield* compareStakes(index, cycle);
    }
  },
};

async function* compareStakes(index: Queries, cycle: number): AsyncIterable<Finding> {
  for (const in_bond of [0, 1]) {
    const stakers = await index.all<RowOf<typeof POX_STACKERS, 'rank'>>(
      'SELECT rank FROM pox_stackers WHERE cycle = ? AND role = ? AND in_bond = ?',
      [cycle, ROLES.staker, in_bond],
    );
    const stored = await index.get<RowOf<typeof POX_CYCLE_STAKES, 'stakers' | 'ustx'>>(
      'SELECT stakers, ustx FROM pox_cycle_stakes WHERE cycle = ? AND in_bond = ?',
      [cycle, in_bond],
    );
    const { stakers: count, ustx } = stored ?? { stakers: 0, ustx: '0' };
    const sum = stakers.reduce((total, { rank }) => total + amountOfRank(rank), 0n);
    if (count !== stakers.length || ustx !== String(sum))
      yield wrong(
        `pox_cycle_stakes: cycle ${cycle}, in_bond ${in_bond}: ${count} with ${ustx}, a recount gives ${stakers.length} with ${sum}`,
      );
  }
}

const nameOf = ({ role, represented_by: by }: Count): string => `role ${role} "${by}"`;

export const signersCheck: Check = {
  name: 'signers',
  proves: 'each cycle has the reward sets that its blocks brought, and the signers of that are in its list',
  recounts: [SIGNERS_OF_CYCLE],
  run: context => withSpillingMap(lengths => compareCycles(lengths, context)),
};

type CycleRow = RowOf<typeof POX_CYCLES> & OuterRowOf<typeof KNOWN_BLOCKS, 'journal_seq'>;

/** @param lengths by cycle: how many signers its list has */
async function* compareCycles(lengths: SpillingMap, context: Context): AsyncIterable<Finding> {
  for await (const { first_signer, signers, ...cycle } of pagedRows<CycleRow>(context.index, {
    sql: `SELECT c.cycle, c.height, c.first_signer, c.signers, c.pox5, c.record, k.journal_seq
      FROM pox_cycles c LEFT JOIN blocks b ON b.seq = c.height - 1 LEFT JOIN known_blocks k ON k.arrival = b.known`,
    key: ['cycle', 'height'],
    alias: 'c',
  })) {
    if (first_signer + signers > 0) await lengths.set(String(cycle.cycle), String(first_signer + signers));
    const expected = await rewardSetIn(cycle.journal_seq, context);
    if (expected === 'dropped') continue;
    const name = `pox_cycles: cycle ${cycle.cycle}`;
    if (!expected) {
      yield wrong(`${name} is of height ${cycle.height}, whose block brings no reward set`);
      continue;
    }
    for (const column of ['cycle', 'pox5', 'height', 'record'] as const)
      if (cycle[column] !== expected[column])
        yield wrong(`${name} has the ${column} ${cycle[column]}, its block ${expected[column]}`);
    const found = await context.index.all<RowOf<typeof POX_SIGNERS, 'signing_key' | 'record'>>(
      `SELECT e.signing_key, e.record FROM lists l JOIN pox_signers e ON e.list = l.id AND e.seq >= ? AND e.seq < ?
        WHERE l.kind = ${SIGNERS_OF_CYCLE.code} AND l.name = ? ORDER BY e.seq`,
      [first_signer, first_signer + signers, String(cycle.cycle)],
    );
    if (signers !== expected.signers.length || textOfSigners(found) !== textOfSigners(expected.signers))
      yield wrong(`pox_signers: the signers of cycle ${cycle.cycle} are not those of its block`);
  }
  for await (const { name, length } of listsOf(SIGNERS_OF_CYCLE, context.index)) {
    const expected = Number((await lengths.take(name)) ?? 0);
    if (length !== expected)
      yield wrong(`lists: kind ${SIGNERS_OF_CYCLE.code} "${name}" has length ${length}, its cycle ${expected}`);
  }
  for await (const [cycle, length] of lengths.entries())
    yield wrong(`lists: kind ${SIGNERS_OF_CYCLE.code} ${cycle} is not in the directory, its cycle has ${length}`);
}

/** The reward set of the block that this journal entry has. */
async function rewardSetIn(seq: number | null, context: Context) {
  const event = await eventIfKept(context, seq, '/new_block');
  if (event === 'dropped') return event;
  const { network } = context;
  return event && rewardSetRows(readBlock(event.block, network).facts, network);
}

const textOfSigners = (signers: readonly RowOf<typeof POX_SIGNERS, 'signing_key' | 'record'>[]): string =>
  signers.map(({ signing_key, record }) => `${textOf(signing_key)} ${record}`).join();
