import type { PoxEventOf } from '../../../src/base/codec/index.ts';
import { poxEvents } from '../accounts.ts';
import { principalOf } from '../principals.ts';
import { type ApiResponse, failed, numberOf, ok, page, type Route } from '../route.ts';
import type { Tx, World } from '../world.ts';

/** An account delegates to a pool or revokes that. */
interface Delegation {
  readonly tx: Tx;
  readonly event: PoxEventOf<'delegate-stx'> | PoxEventOf<'revoke-delegate-stx'>;
}

/** getPoolDelegationsV1, of one version of PoX: the newest that each member of a pool did, as it counted at a height. */
function delegations(version: number, world: World, pool: string, query: URLSearchParams): ApiResponse {
  const delegateTo = principalOf(pool);
  if (delegateTo === undefined) return failed(400);
  const after = numberOf(query, 'after_block', 0);
  if (query.get('after_block') === '0' || query.get('height') === '0') return failed(400);
  const tip = world.blocks.at(-1);
  const isUnanchored = !query.has('height') && query.get('unanchored') === 'true';
  const height = numberOf(query, 'height', tip?.height ?? 0) + (isUnanchored ? 1 : 0);
  const at = isUnanchored ? tip : world.blocks.find(block => block.height === height);
  if (!at) return failed(404);
  const events = delegationsOf(world, version).filter(
    ({ tx, event }) =>
      event.data.delegateTo === delegateTo &&
      tx.block.height > after &&
      tx.block.height <= height &&
      (until(event) ?? Number.POSITIVE_INFINITY) > at.burnHeight,
  );
  const members = events
    .filter(({ event }, i) => events.findLastIndex(other => other.event.stacker === event.stacker) === i)
    .filter(({ event }) => event.name === 'delegate-stx')
    .reverse();
  return ok(page(members, numberOf(query, 'limit', 100) || 100, numberOf(query, 'offset', 0), delegationRecord));
}

const delegationsOf = (world: World, version: number): Delegation[] =>
  world.txs.flatMap(tx =>
    poxEvents(tx, version, world.network).flatMap(event =>
      event.name === 'delegate-stx' || event.name === 'revoke-delegate-stx' ? [{ tx, event }] : [],
    ),
  );

/** The burn height at which a delegation ends; undefined where it has no end. */
function until(event: Delegation['event']): number | undefined {
  if (event.name !== 'delegate-stx' || event.data.unlockBurnHeight === null) return undefined;
  return Number(event.data.unlockBurnHeight);
}

function delegationRecord({ tx, event }: Delegation) {
  const end = until(event);
  return {
    stacker: event.stacker,
    ...(event.poxAddr !== null && { pox_addr: event.poxAddr }),
    amount_ustx: event.name === 'delegate-stx' ? String(event.data.amountUstx) : '0',
    ...(end !== undefined && { burn_block_unlock_height: Math.min(end, Number.MAX_SAFE_INTEGER) }),
    block_height: tx.block.height,
    tx_id: tx.txId,
  };
}

export const delegationRoutes: readonly Route[] = [2, 3, 4].map(version => ({
  template: `/extended/v1/pox${version}/{pool}/delegations`,
  respond: (world, { pool = '' }, query) => delegations(version, world, pool, query),
}));
