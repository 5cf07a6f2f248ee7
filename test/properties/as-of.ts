import assert from 'node:assert/strict';
import type { Entry, OpenApiDocument } from '../../src/api/http/openapi/document.ts';
import type { Delivery } from '../../src/ingest/journal/entries.ts';
import { type BuiltChain, buildChain } from '../chains/build.ts';
import { type CanonicalChain, canonicalChain } from '../chains/canonical.ts';
import { type ChainPlan, chainPlans } from '../chains/plan.ts';
import { defineProperty } from '../chains/property.ts';
import { happeningsAbove } from '../chains/requests/mentions.ts';
import { chainRequests, requestsAbout } from '../chains/requests.ts';
import type { Workbench } from '../chains/workbench.ts';
import { modelResponse, routeOf } from '../model/model.ts';
import fc from '../support/fast-check.ts';
import { apiDocument, operationFinder } from '../support/operations.ts';
import { scale } from '../support/scale.ts';
import type { ServedPage, TestIndex } from '../support/test-index.ts';

/** About anything, and about what happened above the block. At length each operation has one of the latter, too. */
const REQUESTS = scale === 'all' ? { any: 20, about: 20 } : { any: 45, about: 15 };
/** So many are also read by another process: on a replica, if there is one. */
const READ_ELSEWHERE = 30;
/** So many of the responses are compared with the naive model of the same deliveries, too. */
const MODELLED = 15;

/** Of a streamed microblock the index of its transactions tells what was seen besides the chain, and so do requests for what is pending. */
const FEATURES = { microblocks: 'accepted', themed: true } as const;
/** At length most chains are longer, as in those with many forks little is left of what happened. */
const LONG = { ...FEATURES, steady: true, minSteps: 20, maxSteps: 70 } as const;

/** Parameters that `at` may not be beside. */
const NAMES_A_STATE = /[?&](until_block|height|block_height|block_hash|unanchored=true)/;

interface Case {
  readonly plan: ChainPlan;
  /** Of the block: modulo the number of canonical ones. */
  readonly place: number;
  readonly isByHash: boolean;
  readonly paths: readonly string[];
}

async function cases(): Promise<fc.Arbitrary<Case>> {
  const document = await apiDocument();
  const short = chainPlans(FEATURES);
  const plans =
    scale === 'all' ? fc.oneof({ weight: 3, arbitrary: chainPlans(LONG) }, { weight: 1, arbitrary: short }) : short;
  const block = { place: fc.nat({ max: 1000 }), isByHash: fc.boolean() };
  return fc
    .record({ plan: plans, ...block })
    .chain(asked => pathsOf(document, asked.plan, asked.place).map(paths => ({ ...asked, paths })));
}

function pathsOf(document: OpenApiDocument, plan: ChainPlan, place: number): fc.Arbitrary<readonly string[]> {
  const chain = buildChain(plan);
  const canonical = canonicalChain(chain.sent);
  const happenings = happeningsAbove(chain, canonical, blockAt(canonical, place)?.height ?? 0);
  const any = chainRequests(chain, document, takesAt);
  const about = requestsAbout(chain, document, takesAt, happenings);
  const lists = [
    listOf(REQUESTS.any, any),
    listOf(
      REQUESTS.about,
      fc.nat({ max: about.length - 1 }).chain(i => about[i]?.() ?? any),
    ),
    ...(scale === 'all' ? [fc.tuple(...about.map(one => one().filter(isFree)))] : []),
  ];
  return fc
    .tuple(...lists)
    .map(paths => paths.flat())
    .chain(paths => fc.shuffledSubarray(paths, { minLength: paths.length }));
}

const takesAt = ({ parameters = [] }: Entry['operation']): boolean => parameters.some(({ name }) => name === 'at');
const isFree = (path: string): boolean => !NAMES_A_STATE.test(path);
const listOf = (length: number, path: fc.Arbitrary<string>): fc.Arbitrary<readonly string[]> =>
  fc.array(path.filter(isFree), { minLength: length, maxLength: length, size: 'max' });

const blockAt = ({ blocks }: CanonicalChain, place: number) => blocks[place % Math.max(1, blocks.length)];

/** docs/past.md: what "as of a block" means. */
export const pastBlocks = defineProperty({
  file: 'as-of',
  rule: 'a response as of a block is that of an index that was given the canonical chain up to that block alone',
  cases,
  together: eachMoved,
  hold: async (bench, { plan, paths, place, isByHash }) => {
    const chain = buildChain(plan);
    const canonical = canonicalChain(chain.sent);
    const block = blockAt(canonical, place);
    if (!block) return;
    const { statistics } = bench;
    statistics.steps += chain.sent.length;
    const whole = await bench.openIndex();
    await whole.deliver(
      chain.sent.map(({ delivery }) => delivery),
      plan.batch,
    );
    const at = isByHash ? block.indexHash : String(block.height);
    const past = await pagesAsOf(whole.index, paths, at);
    if (scale === 'all') {
      await countMoved(bench, whole.index, paths, past);
      const some = paths.slice(0, READ_ELSEWHERE);
      statistics.compared += some.length + paths.length;
      assertSame(some, past, await bench.throughReader(reader => pagesAsOf(reader, some, at)), 'by another process');
      const rebuilt = await bench.indexOf(chain.sent.map(({ delivery }) => delivery));
      assertSame(paths, past, await pagesAsOf(rebuilt, paths, at), 'after a reindex');
    }
    const deliveries = upTo(chain, canonical, block.height);
    const given = await bench.indexOf(deliveries);
    for (const [i, path] of paths.entries()) {
      const expected = await given.page(path);
      const actual: ServedPage | undefined = past[i];
      const asked: string = `${path}, as of ${block.height}`;
      statistics.compared++;
      assert.equal(actual?.status, expected.status, asked);
      if (expected.status !== 200) continue;
      assert.equal(actual.body, expected.body, asked);
      assert.equal(actual.headers['x-stacks-tip-index-block-hash'], block.indexHash, asked);
      const route = i < MODELLED ? routeOf(path)?.route : undefined;
      if (!route) continue;
      statistics.compared++;
      const { normalise = (body: unknown) => body } = route;
      assert.deepEqual(normalise(JSON.parse(actual.body)), normalise(modelResponse(deliveries, path).body), asked);
    }
  },
});

function assertSame(
  paths: readonly string[],
  past: readonly ServedPage[],
  pages: readonly ServedPage[],
  read: string,
): void {
  for (const [i, { status, body }] of pages.entries())
    assert.deepEqual({ status, body }, { status: past[i]?.status, body: past[i]?.body }, `${paths[i]}, ${read}`);
}

/** The responses as of a block. */
async function pagesAsOf(index: TestIndex, paths: readonly string[], at: string): Promise<ServedPage[]> {
  const pages: ServedPage[] = [];
  for (const path of paths) pages.push(await index.page(`${path}${path.includes('?') ? '&' : '?'}at=${at}`));
  return pages;
}

/** A response that is the same as of every block proves nothing: each operation must have others in the long run of the property. */
async function countMoved(
  { statistics: { moved } }: Workbench,
  index: TestIndex,
  paths: readonly string[],
  past: readonly ServedPage[],
): Promise<void> {
  const operationOf = operationFinder(await apiDocument());
  for (const [i, path] of paths.entries()) {
    const name = operationOf(path)?.operation.operationId ?? '';
    const now = await index.page(path);
    const isMoved = now.status !== past[i]?.status || (now.status === 200 && now.body !== past[i]?.body);
    moved[name] = (moved[name] ?? 0) + Number(isMoved);
  }
}

/** Operations that have no others. */
const NEVER_MOVED: readonly (readonly [operations: RegExp, reason: string])[] = [
  [/^getUnanchoredTxsV1$/, 'no microblock is on the tip'],
];

/** Operations that need not have others in a usual run, with the reason. */
const SELDOM_MOVED: readonly (readonly [operations: RegExp, reason: string])[] = [
  [/^getContractsByTraitV1$/, 'few contracts have the trait of a request: src/api/records/contracts/by-trait.test.ts'],
  [/^getPoolDelegationsV1$/, 'few requests are about a pool with members'],
  [/^getPrincipalMining(Rewards)?V3$/, 'few requests are about a miner with rewards'],
  [/^getSingleTransactionWithTransfersV1$/, 'few requests are about a transaction of their principal'],
  [/PoxTransactionsV2$/, 'few Bitcoin blocks have such transactions'],
  [
    /^(getPrincipal(Balances?Ft|FtTransfers)V3|getPrincipalFtBalances?V2)$/,
    'few requests are about an owner of a token: src/api/records/token-balances/token-balances.test.ts',
  ],
  [
    /^(getPoxEventsByStackerV1|getPoxCycleSignerV2|getPrincipal(Transaction)?BalanceChangesV3)$/,
    'few requests are about a stacker, or what a transaction moved',
  ],
  [/^getPrincipalBalancesNftV3$/, 'few requests are about an owner of NFTs: src/api/records/nft'],
  [
    /^(getBond|getPrincipal(StakingSummary|StakingRewards|BondPositions)V3|getStakingSigner)/,
    'few chains have bonds with stakers: src/ingest/indexer/row-versions.test.ts',
  ],
  [
    /^(fetchSubdomainsListForName|fetchZoneFile|getHistoricalZoneFile|getAllNamespaces|getNameInfo|getNamesOf|getNamesOwnedBy)/,
    'few requests are about a name that changes: src/api/records/names/names.test.ts',
  ],
];

/** Cases in which most operations have others, and in which all have. */
const ENOUGH = { most: 120, all: 250 };

/** Judges all cases of a run together: fewer prove nothing about operations whose responses seldom differ. */
async function eachMoved({ statistics: { cases, moved } }: Workbench): Promise<void> {
  if (cases < ENOUGH.most) return;
  const exempt = cases < ENOUGH.all ? [...NEVER_MOVED, ...SELDOM_MOVED] : NEVER_MOVED;
  const still = Object.keys(moved).filter(
    name => moved[name] === 0 && !exempt.some(([operations]) => operations.test(name)),
  );
  assert.deepEqual(still, [], 'operations whose responses as of a block were always those of now');
}

/**
 * The canonical blocks up to a height, the microblocks that they accepted, the attachments of their transactions, and the Bitcoin blocks that the last of
 * them has seen, as they came first. But Bitcoin blocks ascend: without those above, one that came late would look like the new tip of Bitcoin, and take Stacks
 * blocks back.
 */
function upTo({ sent }: BuiltChain, { boot, blocks, burns }: CanonicalChain, height: number): Delivery[] {
  const last = blocks[height - 1];
  const seen = burns.filter(burn => burn.height <= (last?.burn.height ?? 0));
  const ascending = seen.toSorted((a, b) => a.height - b.height);
  const shown = new Set(blocks.slice(0, height).map(({ indexHash }) => indexHash));
  const wanted = new Set([...(boot ? [boot.indexHash] : []), ...shown, ...seen.map(({ hash }) => hash)]);
  const accepted = new Set(
    blocks.slice(0, height).flatMap(block => block.microblocks.map(microblock => microblock.hash)),
  );
  return sent.flatMap(event => {
    if (event.kind === 'stream')
      return event.microblocks.some(({ hash }) => accepted.has(hash)) ? [event.delivery] : [];
    if (event.kind === 'attachment') return shown.has(event.block.indexHash) ? [event.delivery] : [];
    if (event.kind === 'burn') return wanted.delete(event.burn.hash) ? (ascending.shift()?.delivery ?? []) : [];
    return event.kind === 'block' && wanted.delete(event.block.indexHash) ? [event.delivery] : [];
  });
}
