import { isDeepStrictEqual } from 'node:util';
import { blockRecord } from '../../test/model/records/block.ts';
import type { Block } from '../../test/model/world.ts';
import type { Json, Recorded } from '../../test/support/recording.ts';
import type { Correction } from './evidence.ts';

type Fields = { readonly [key: string]: Json };

/** A page of the list of older blocks. */
const OLDER_BLOCKS = /^\/extended\/v1\/block\/?(\?|$)/;
const OLDER_BLOCK = /^\/extended\/v1\/block/;

/**
 * Lists of older blocks whose `microblocks_streamed` are those that the block accepted: streamed on a block is what the block above accepted, as
 * the archive says; on the tip, what the recording shows of it as a single block.
 */
const streamedMicroblocks: Correction = {
  reason: 'with accepted microblocks as streamed',
  correct(recorded, { responses, blocks }) {
    if (recorded.status !== 200 || !OLDER_BLOCKS.test(recorded.path)) return undefined;
    const page = recorded.body as Fields;
    const results = (page.results as Fields[]).map(block => {
      const above = blocks[Number(block.height)];
      const streamed = above ? acceptedBy(above) : streamedOnTip(responses, block.hash);
      return { ...block, microblocks_streamed: streamed ?? block.microblocks_streamed ?? [] };
    });
    const isChanged = JSON.stringify(results) !== JSON.stringify(page.results);
    return isChanged ? { ...recorded, body: { ...page, results } } : undefined;
  },
};

/** The microblocks that a block accepted, by sequence. */
function acceptedBy({ payload }: Block): string[] {
  const streamed = (payload.transactions as { microblock_hash?: string; microblock_sequence?: number }[])
    .filter(tx => typeof tx.microblock_hash === 'string')
    .toSorted((a, b) => Number(a.microblock_sequence) - Number(b.microblock_sequence));
  return [...new Set(streamed.map(tx => String(tx.microblock_hash)))];
}

function streamedOnTip(responses: readonly Recorded[], hash: Json | undefined): Json | undefined {
  const single = responses.find(({ path, status }) => status === 200 && path === `/extended/v1/block/${hash}`);
  return (single?.body as Fields | undefined)?.microblocks_streamed;
}

/** Single older blocks that are orphaned, or the boot block, without the transactions that the archive says they have. */
const orphanedBlocks: Correction = {
  reason: 'of orphaned blocks without their transactions',
  correct(recorded, { others }) {
    if (recorded.status !== 200 || !OLDER_BLOCK.test(recorded.path) || OLDER_BLOCKS.test(recorded.path))
      return undefined;
    const body = recorded.body as Fields;
    const block = others.find(({ indexHash }) => indexHash === body.index_block_hash);
    if (body.canonical !== false || !block) return undefined;
    // What microblocks brought comes first.
    const sequence = ({ microblock_sequence }: Fields) => Number(microblock_sequence ?? Number.MAX_SAFE_INTEGER);
    const txs = (block.payload.transactions as Fields[])
      .toSorted((a, b) => sequence(a) - sequence(b))
      .map(({ txid }) => txid ?? null);
    return { ...recorded, body: { ...body, txs: txs.reverse() } };
  },
};

const TENURE = /^\/extended\/v2\/block-tenures\/(\d+)\/blocks/;

/**
 * Pages of tenures: the recorded ones begin at the tip, also in tenures without it, and are empty then; their totals count orphaned blocks;
 * and tenure 0 is every block. Compared with the true page where the recorded one is what follows from that.
 */
const tenures: Correction = {
  reason: 'of tenures, empty or with orphaned blocks in their total',
  correct(recorded, { blocks, others }) {
    const height = TENURE.exec(recorded.path)?.[1];
    if (height === undefined || recorded.status !== 200) return undefined;
    const isIn = ({ payload }: Block): boolean => payload.tenure_height === Number(height);
    const inTenure = blocks.filter(isIn);
    const recordedList = height === '0' ? blocks : inTenure;
    const total = recordedList.length + (height === '0' ? 0 : others.filter(isIn).length);
    const query = new URL(recorded.path, 'http://localhost').searchParams;
    const anchor = query.get('cursor') ?? blocks.at(-1)?.indexHash;
    const hasAnchor = recordedList.some(({ indexHash }) => indexHash === anchor);
    const expected = tenurePage(hasAnchor ? recordedList : [], query);
    const emptied = expected.results.length === 0 ? 0 : total;
    if (!isDeepStrictEqual(recorded.body, { ...expected, total: emptied })) return undefined;
    const page = tenurePage(inTenure, query);
    const newest =
      page.cursor === null || page.cursor === inTenure.at(-1)?.indexHash ? null : inTenure.at(-1)?.indexHash;
    return { ...recorded, body: { ...page, next_cursor: page.next_cursor ?? newest ?? null } as unknown as Json };
  },
};

/** A page of these blocks, ascending (docs/spec/blocks.md#list-of-blocks). */
function tenurePage(ascending: readonly Block[], query: URLSearchParams) {
  const [limit, offset] = [Number(query.get('limit') ?? 0) || 20, Number(query.get('offset') ?? 0)];
  const newestFirst = ascending.toReversed();
  const cursor = query.get('cursor');
  const first = (cursor === null ? 0 : newestFirst.findIndex(({ indexHash }) => indexHash === cursor)) + offset;
  const results = first < 0 ? [] : newestFirst.slice(first, first + limit);
  const at = (i: number) => (results.length > 0 ? (newestFirst[i]?.indexHash ?? null) : null);
  return {
    limit,
    offset,
    total: ascending.length,
    next_cursor: at(first - limit),
    prev_cursor: at(first + limit),
    cursor: at(first),
    results: results.map(blockRecord),
  };
}

const MICROBLOCKS = /^\/extended\/v1\/microblock\/?(\?|$)/;

/**
 * Lists of microblocks whose `total` counts those that were ever streamed: compared with those that canonical blocks accepted, as the archive
 * says, and those on the tip, as the recording says.
 */
const microblockTotals: Correction = {
  reason: 'with streamed microblocks as the total',
  correct(recorded, { responses, blocks }) {
    if (recorded.status !== 200 || !MICROBLOCKS.test(recorded.path)) return undefined;
    const unanchored = responses.find(({ path }) => path === '/extended/v1/microblock/unanchored/txs');
    const onTip = ((unanchored?.body as Fields | undefined)?.results as Fields[] | undefined) ?? [];
    const accepted = blocks.reduce((sum, block) => sum + acceptedBy(block).length, 0);
    const total = accepted + new Set(onTip.map(({ microblock_hash }) => microblock_hash)).size;
    const body = recorded.body as Fields;
    return body.total === total ? undefined : { ...recorded, body: { ...body, total } };
  },
};

/**
 * Microblocks whose burn block is the one that their message names, which in the edited archive of mocknet is not that of the block they stand
 * on: compared with that of the block, as the archive says.
 */
const microblockBurns: Correction = {
  reason: 'with the burn block of a message as that of a block',
  correct(recorded, { blocks, others }) {
    if (recorded.status !== 200 || !/^\/extended\/v1\/microblock\/?(0x|\?|$)/.test(recorded.path)) return undefined;
    const body = recorded.body as Fields;
    const ofBlock = (microblock: Fields): Fields => {
      const parent = [...blocks, ...others].find(({ hash }) => hash === microblock.parent_block_hash);
      if (!parent) return microblock;
      return {
        ...microblock,
        parent_burn_block_hash: parent.burnHash,
        parent_burn_block_time: parent.burnTime,
        parent_burn_block_time_iso: new Date(parent.burnTime * 1000).toISOString(),
        parent_burn_block_height: parent.burnHeight,
      };
    };
    const better = body.results ? { ...body, results: (body.results as Fields[]).map(ofBlock) } : ofBlock(body);
    return isDeepStrictEqual(better, body) ? undefined : { ...recorded, body: better };
  },
};

/**
 * A status also says how far the index is behind: compared with one that is not. Its burn height is recorded as the last event told it, which
 * is lower than the newest burn block where a Stacks block of an earlier one came after it.
 */
const status: Correction = {
  reason: 'of a status without what the index adds',
  correct(recorded, { burnBlocks }) {
    if (recorded.status !== 200 || !/^\/extended\/?$/.test(recorded.path)) return undefined;
    const body = recorded.body as Fields;
    const tip = body.chain_tip as Fields | undefined;
    const burn_block_height = Math.max(Number(tip?.burn_block_height), burnBlocks.at(-1)?.height ?? 0);
    const added = { lag: 0, gaps: [], set_aside: { count: 0, newest: null } };
    return { ...recorded, body: { ...body, ...(tip && { chain_tip: { ...tip, burn_block_height } }), ...added } };
  },
};

/** What the recordings of blocks, burn blocks, rewards and supply have wrong. */
export const blockCorrections: readonly Correction[] = [
  streamedMicroblocks,
  microblockTotals,
  microblockBurns,
  orphanedBlocks,
  tenures,
  status,
];
