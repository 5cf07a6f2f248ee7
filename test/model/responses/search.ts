import { accountOf } from '../accounts.ts';
import { everMined, everSeen, isCanonical, preferred } from '../everything.ts';
import { principalOf } from '../principals.ts';
import { blockV1Record } from '../records/block.ts';
import { mempoolRecord, transactionRecord } from '../records/transaction.ts';
import { type ApiResponse, ok, type Route } from '../route.ts';
import type { Block, MempoolTx, Tx, World } from '../world.ts';
import { tokensOf } from './balances.ts';
import { highest } from './blocks.ts';

type Entity = Readonly<Record<string, unknown>>;

/** What was found, and how its metadata are made. */
interface Found {
  readonly entity: Entity;
  readonly metadata: () => unknown;
}

/** searchByIdV1 (docs/spec/search.md). */
function search(world: World, params: Readonly<Record<string, string>>, query: URLSearchParams): ApiResponse {
  const term = (params.term ?? '').trim();
  const withMetadata = query.get('include_metadata') === 'true';
  const { kind, found } = look(world, term);
  if (!found) return { status: 404, body: { found: false, result: { entity_type: kind }, error: 'some text' } };
  return ok({ found: true, result: { ...found.entity, ...(withMetadata && { metadata: found.metadata() }) } });
}

function look(world: World, term: string): { kind: string; found: Found | undefined } {
  const digits = /^0x/i.test(term) && term.length === 66 ? term.slice(2) : term;
  if (/^[0-9a-fA-F]{64}$/.test(digits))
    return { kind: 'unknown_hash', found: byHash(world, `0x${digits.toLowerCase()}`) };
  if (/^[0-9]+$/.test(term))
    return {
      kind: 'invalid_term',
      found: block(
        world,
        world.blocks.find(({ height }) => height === Number(term)),
      ),
    };
  const principal = principalOf(term);
  if (principal === undefined) return { kind: 'invalid_term', found: undefined };
  return principal.includes('.')
    ? { kind: 'contract_address', found: contract(world, principal) }
    : { kind: 'standard_address', found: account(world, principal) };
}

/**
 * A canonical transaction, a pending one, one of a lost block, a dropped one, a block, which has two hashes
 * (docs/spec/search.md#search-by-hash).
 */
function byHash(world: World, hash: string): Found | undefined {
  const known = (of: (block: Block) => string): Block | undefined =>
    world.blocks.find(found => of(found) === hash) ?? highest(world.others.filter(found => of(found) === hash));
  const rows = everMined(world).filter(tx => tx.txId === hash);
  const waiting = world.mempool.find(tx => tx.txId === hash);
  return (
    transaction(
      world,
      rows.filter(tx => isCanonical(world, tx)),
    ) ??
    (waiting?.status === 'pending' ? pending(world, waiting) : undefined) ??
    transaction(world, rows) ??
    pending(world, waiting) ??
    block(world, known(found => found.hash) ?? known(found => found.indexHash))
  );
}

function transaction(world: World, rows: readonly Tx[]): Found | undefined {
  const tx = preferred(world, rows);
  if (!tx) return undefined;
  return {
    entity: {
      entity_id: tx.txId,
      entity_type: 'tx_id',
      tx_data: {
        canonical: isCanonical(world, tx),
        block_hash: tx.block.hash,
        burn_block_time: tx.block.burnTime,
        block_height: tx.block.height,
        tx_type: tx.decoded.payload.kind,
      },
    },
    metadata: () => ({ ...transactionRecord(world, tx), canonical: isCanonical(world, tx) }),
  };
}

function pending(world: World, tx: MempoolTx | undefined): Found | undefined {
  return (
    tx && {
      entity: { entity_id: tx.txId, entity_type: 'mempool_tx_id', tx_data: { tx_type: tx.decoded.payload.kind } },
      metadata: () => mempoolRecord(world, tx),
    }
  );
}

function block(world: World, found: Block | undefined): Found | undefined {
  return (
    found && {
      entity: {
        entity_id: found.hash,
        entity_type: 'block_hash',
        block_data: {
          canonical: world.blocks.includes(found),
          hash: found.hash,
          parent_block_hash: found.payload.parent_block_hash,
          burn_block_time: found.burnTime,
          height: found.height,
        },
      },
      metadata: () => blockV1Record(world, found),
    }
  );
}

const newer = (best: MempoolTx | undefined, next: MempoolTx): MempoolTx =>
  best && best.receiptTime > next.receiptTime ? best : next;

/** A pending deployment before a mined one, of several the one received last (docs/spec/search.md#search-by-principal). */
function contract(world: World, id: string): Found | undefined {
  const deploys = ({ decoded: { origin, payload } }: Tx | MempoolTx): boolean =>
    payload.kind === 'smart_contract' && `${origin.address}.${payload.name}` === id;
  const waiting = world.pending.filter(deploys).reduce<MempoolTx | undefined>(newer, undefined);
  if (waiting) {
    const { txId } = waiting;
    return {
      entity: { entity_id: id, entity_type: 'contract_address', tx_data: { tx_type: 'smart_contract', tx_id: txId } },
      metadata: () => mempoolRecord(world, waiting),
    };
  }
  const tx = preferred(world, everMined(world).filter(deploys));
  if (!tx) return undeployed(world, id);
  return (
    tx && {
      entity: {
        entity_id: id,
        entity_type: 'contract_address',
        tx_data: {
          tx_type: 'smart_contract',
          tx_id: tx.txId,
          canonical: isCanonical(world, tx),
          block_hash: tx.block.hash,
          burn_block_time: tx.block.burnTime,
          block_height: tx.block.height,
        },
      },
      metadata: () => ({ ...transactionRecord(world, tx), canonical: isCanonical(world, tx) }),
    }
  );
}

/** A contract without a deployment, if it ever moved STX or a token. */
function undeployed(world: World, id: string): Found | undefined {
  const account = accountOf(world, id);
  const { total_received, total_sent, total_miner_rewards_received } = account;
  const tokens = (['ft', 'nft'] as const).map(kind => tokensOf(world, id, Number.MAX_SAFE_INTEGER, kind).size);
  if ([total_received, total_sent, total_miner_rewards_received, ...tokens].every(sum => Number(sum) === 0))
    return undefined;
  return { entity: { entity_id: id, entity_type: 'contract_address' }, metadata: () => account };
}

const ASSETS = /^(stx|ft|nft)_(transfer|mint|burn)_event$/;

/** Who takes part in these: as sender, recipient, or in an event about assets. */
export function namedIn(txs: readonly Tx[]): Set<string> {
  const names = txs.flatMap(({ decoded: { origin, payload }, events }) => [
    origin.address,
    ...(payload.kind === 'token_transfer' ? [payload.recipient] : []),
    ...events
      .filter(({ type }) => ASSETS.test(type))
      .flatMap(event => [event[event.type].sender, event[event.type].recipient]),
  ]);
  return new Set(names.filter(name => typeof name === 'string'));
}

/** Found when it takes part in any transaction, canonical or not. */
function account(world: World, address: string): Found | undefined {
  if (!namedIn(everSeen(world)).has(address)) return undefined;
  return {
    entity: { entity_id: address, entity_type: 'standard_address' },
    metadata: () => accountOf(world, address),
  };
}

export const searchRoutes: readonly Route[] = [{ template: '/extended/v1/search/{term}', respond: search }];
