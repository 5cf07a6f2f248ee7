import { isDeepStrictEqual } from 'node:util';
import { burnBlockRecord } from '../../test/model/responses/burn-blocks.ts';
import { slotsOf } from '../../test/model/responses/slot-holders.ts';
import type { Block, BurnBlock } from '../../test/model/world.ts';
import type { Json, Recorded } from '../../test/support/recording.ts';
import type { Correction } from './evidence.ts';

const BURN_BLOCKS = /^\/extended\/v2\/burn-blocks\/?(?:\?|$)/;
const REWARDS = /^\/extended\/v1\/burnchain\/rewards\/?(?:\?|$)/;
const REWARDS_OF = /^\/extended\/v1\/burnchain\/rewards\/([^/?]+)\/?(?:\?|$)/;
const SLOTS_OF = /^\/extended\/v1\/burnchain\/reward_slot_holders\/([^/?]+)\/?(?:\?|$)/;
const TOTAL_OF = /^\/extended\/v1\/burnchain\/rewards\/([^/?]+)\/total/;

/**
 * Rewards that the recording has lost: where a fork of the Stacks chain left a block, all payments of its burn block are missing, though
 * no Bitcoin block was undone and other routes still list its reward slots. Compared with what the archive says, if the recorded response
 * is just that without those burn blocks.
 */
const lostRewards: Correction = {
  reason: 'without the rewards of burn blocks that a fork of the Stacks chain left',
  correct(recorded, { burnBlocks, others }) {
    if (recorded.status !== 200) return undefined;
    const forsaken = new Set(others.map(({ burnHash }) => burnHash));
    const left = burnBlocks.filter(({ hash }) => !forsaken.has(hash));
    if (!isDeepStrictEqual(recorded.body, responseOf(recorded, left))) return undefined;
    const body = responseOf(recorded, burnBlocks);
    return isDeepStrictEqual(recorded.body, body) ? undefined : { ...recorded, body };
  },
};

/** The response of a route of rewards for these burn blocks; undefined for other routes. */
function responseOf({ path, body }: Recorded, burnBlocks: readonly BurnBlock[]): Json {
  const all = burnBlocks.flatMap(rewardsOf).reverse();
  const total = TOTAL_OF.exec(path);
  const { limit, offset, reward_recipient } = body as { limit: number; offset: number; reward_recipient: string };
  if (total) {
    const amounts = all.filter(reward => reward.reward_recipient === reward_recipient);
    const sum = amounts.reduce((amount, reward) => amount + BigInt(reward.reward_amount), 0n);
    return { reward_recipient, reward_amount: String(sum) };
  }
  const address = REWARDS_OF.exec(path)?.[1];
  if (address === undefined && !REWARDS.test(path)) return null;
  const listed = address === undefined ? all : all.filter(reward => reward.reward_recipient === address);
  return { limit, offset, results: listed.slice(offset, offset + limit) };
}

const rewardsOf = ({ payload, hash, height }: BurnBlock) =>
  payload.reward_recipients.map(({ recipient, amt }: { recipient: string; amt: number }, reward_index: number) => ({
    canonical: true,
    burn_block_hash: hash,
    burn_block_height: height,
    burn_amount: String(payload.burn_amount),
    reward_recipient: recipient,
    reward_amount: String(amt),
    reward_index,
  })) as { readonly [key: string]: Json; readonly reward_recipient: string; readonly reward_amount: string }[];

/**
 * Lists of burn blocks that tell how many Stacks blocks there are, and show two burn blocks of one height as one: compared with a page of the
 * burn blocks of the archive's chain, if the recorded one is just that.
 */
const burnBlockLists: Correction = {
  reason: 'with the number of Stacks blocks as that of burn blocks, or burn blocks of one height as one',
  correct(recorded, { blocks }) {
    if (recorded.status !== 200 || !BURN_BLOCKS.test(recorded.path)) return undefined;
    const { limit, offset } = recorded.body as { limit: number; offset: number };
    const pageBy = (key: (block: Block) => unknown, among = blocks) => {
      const groups = [...Map.groupBy(among, key).values()].reverse();
      const results = groups.slice(offset, offset + limit).map(burnBlockRecord);
      return { limit, offset, total: groups.length, results };
    };
    const byBurnHeight = blocks.toSorted((a, b) => a.burnHeight - b.burnHeight || a.height - b.height);
    const merged = pageBy(({ burnHeight }) => burnHeight, byBurnHeight);
    const total = merged.results.length === 0 ? 0 : blocks.length;
    if (!isDeepStrictEqual(recorded.body, { ...merged, total })) return undefined;
    return { ...recorded, body: pageBy(({ burnHash }) => burnHash) };
  },
};

/**
 * Addresses that a recording refuses although a burn block of the archive names them: taproot addresses whose 32 bytes are no point of the
 * curve. Compared with the rewards or slots of the archive's burn blocks.
 */
const refusedHolders: Correction = {
  reason: 'that refuse a holder named by a burn block',
  correct(recorded, { burnBlocks }) {
    const { message } = recorded.body as { message?: Json };
    if (recorded.status !== 400 || !String(message).endsWith('is not a valid Bitcoin or STX address.'))
      return undefined;
    const [path = '', query] = recorded.path.split('?');
    const { limit, offset } = Object.fromEntries(new URLSearchParams(query));
    const page = { limit: Number(limit ?? 96), offset: Number(offset ?? 0) };
    const listed = (rows: readonly Json[]) => rows.slice(page.offset, page.offset + page.limit);
    const holder = SLOTS_OF.exec(path)?.[1];
    if (holder !== undefined) {
      const slots = slotsOf({ burnBlocks }).filter(({ address }) => address === holder);
      const body = { ...page, total: slots.length, results: listed(slots.map(slot => ({ ...slot }))) };
      return slots.length > 0 ? { ...recorded, status: 200, body } : undefined;
    }
    const recipient = (TOTAL_OF.exec(path) ?? REWARDS_OF.exec(path))?.[1];
    const isNamed = burnBlocks.flatMap(rewardsOf).some(({ reward_recipient }) => reward_recipient === recipient);
    if (recipient === undefined || !isNamed) return undefined;
    const body = responseOf({ ...recorded, body: { ...page, reward_recipient: recipient } }, burnBlocks);
    return { ...recorded, status: 200, body };
  },
};

/** What the recordings of the burn chain have wrong. */
export const burnchainCorrections: readonly Correction[] = [lostRewards, burnBlockLists, refusedHolders];
