import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import {
  addressFromVersionHash,
  addressHashModeToVersion,
  addressToString,
  deserializeTransaction,
} from '@stacks/transactions';
import { openChainsim } from '../support/chainsim.ts';
import { openFreshOf } from '../support/engines.ts';
import { databaseWithTables } from '../support/reused-database.ts';
import { scale } from '../support/scale.ts';
import { openTestIndex, type TestIndex } from '../support/test-index.ts';

/** Few blocks of every kind of chain, and of a seed that no recording has. */
const ALL = [
  { scenario: 'rich', seed: '11', blocks: 45 },
  { scenario: 'reorg', seed: '11', blocks: 50 },
  { scenario: 'pox', seed: '11', blocks: 60 },
  { scenario: 'nft', seed: '11', blocks: 25 },
  { scenario: 'bns', seed: '11', blocks: 25 },
  { scenario: 'mempool', seed: '11', blocks: 25 },
];
/** Transactions of every kind, and forks. Made for chainsim-nft.test.ts too. */
const SHORT = [{ scenario: 'rich', seed: 'owners-1', blocks: 40 }];
const CHAINS = scale === 'short' ? SHORT : ALL;

/** What the VM holds at the end of a chain. */
interface Truth {
  readonly canonical_index_block_hashes: readonly string[];
  readonly tip: { readonly height: number; readonly index_block_hash: string };
  readonly stx: Readonly<Record<string, { readonly total: string; readonly locked: string; unlock_height: number }>>;
  /** By asset, by holder; holders of nothing are missing. */
  readonly ft: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** By asset, by number of the token: the owner. A token that was burned is missing. */
  readonly nft: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

const LIMIT = 200;

/** All records of a list. */
async function allOf<T>(index: TestIndex, path: string): Promise<T[]> {
  const records: T[] = [];
  for (;;) {
    const { body } = await index.get(`${path}${path.includes('?') ? '&' : '?'}limit=${LIMIT}&offset=${records.length}`);
    records.push(...body.results);
    assert.ok(records.length <= body.total);
    if (body.results.length < LIMIT) {
      assert.equal(records.length, body.total, `total of ${path}`);
      return records;
    }
  }
}

interface Holder {
  readonly address: string;
  readonly balance: string;
}

const holdersOf = (index: TestIndex, token: string): Promise<Holder[]> =>
  allOf(index, `/extended/v1/tokens/ft/${encodeURIComponent(token)}/holders`);

const sum = (amounts: readonly string[]): bigint => amounts.reduce((total, amount) => total + BigInt(amount), 0n);

/** What a principal has of each of these assets, where it has any. */
const partOf = (held: Truth['ft'], principal: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries(held).flatMap(([asset, holders]) => (holders[principal] ? [[asset, holders[principal]]] : [])),
  );

const chainsim = openChainsim();
const skip = 'missing' in chainsim ? chainsim.missing : false;

for (const { scenario, seed, blocks } of CHAINS) {
  test(`balances, locks, nonces, holders and owners of tokens are those of the VM, as served: ${scenario}, seed ${seed}, ${blocks} blocks`, {
    skip,
  }, async t => {
    if ('missing' in chainsim) return;
    const { archive, truth: expectation } = chainsim.chain({ scenario, seed, blocks });
    const truth: Truth = JSON.parse(readFileSync(expectation, 'utf8'));
    const index = await openTestIndex(await databaseWithTables(openFreshOf.sqlite, t));
    const { tip } = await index.replay(archive);
    assert.deepEqual([tip?.height, tip?.indexBlockHash], [truth.tip.height, truth.tip.index_block_hash]);

    const principals = Object.keys(truth.stx);
    assert.ok(principals.length > 20, `only ${principals.length} principals`);
    const stx = new Map((await holdersOf(index, 'stx')).map(({ address, balance }) => [address, balance]));
    for (const [asset, holders] of Object.entries(truth.ft)) {
      const listed = await holdersOf(index, asset);
      const held = listed.filter(({ balance }) => balance !== '0').map(({ address, balance }) => [address, balance]);
      assert.deepEqual(Object.fromEntries(held), holders, `holders of ${asset}`);
      const { body } = await index.get(`/extended/v1/tokens/ft/${encodeURIComponent(asset)}/holders?limit=1`);
      assert.equal(BigInt(body.total_supply), sum(Object.values(holders)), `supply of ${asset}`);
    }
    for (const [principal, { total, locked, unlock_height }] of Object.entries(truth.stx)) {
      const { body } = await index.get(`/extended/v1/address/${principal}/balances`);
      assert.equal(body.stx.balance, total, `balance of ${principal}`);
      assert.equal(stx.get(principal) ?? '0', total, `${principal} among the holders`);
      const lock = [body.stx.locked, body.stx.burnchain_unlock_height];
      assert.deepEqual(lock, [locked, unlock_height], `lock of ${principal}`);
      assert.deepEqual(tokensIn(body, truth), partOf(truth.ft, principal), `tokens of ${principal}`);
      assert.deepEqual(await ownedBy(index, principal, truth), idsOf(truth, principal), `NFTs of ${principal}`);
    }

    const nonces = noncesIn(archive, new Set(truth.canonical_index_block_hashes));
    assert.ok(nonces.size > 10, `only ${nonces.size} senders`);
    for (const [account, last] of nonces) {
      const { body } = await index.get(`/extended/v1/address/${account}/nonces`);
      assert.equal(body.last_executed_tx_nonce, last, `nonce of ${account}`);
    }
  });
}

/**
 * The last nonce that canonical transactions used of each account, as sender or as sponsor, read by another decoder. Coinbases and tenure changes
 * count like all others.
 */
function noncesIn(archive: string, canonical: ReadonlySet<string>): Map<string, number> {
  const last = new Map<string, number>();
  for (const line of readFileSync(archive, 'utf8').split('\n')) {
    const [, , path, payload] = line.split('\t');
    if (path !== '/new_block' || payload === undefined) continue;
    const block: { index_block_hash: string; transactions: readonly { raw_tx: string }[] } = JSON.parse(payload);
    if (!canonical.has(block.index_block_hash)) continue;
    for (const { raw_tx } of block.transactions) {
      // Burnchain operations have no bytes here, and use no nonce.
      if (raw_tx === '0x00') continue;
      const { auth } = deserializeTransaction(raw_tx.slice(2));
      const conditions =
        'sponsorSpendingCondition' in auth
          ? [auth.spendingCondition, auth.sponsorSpendingCondition]
          : [auth.spendingCondition];
      for (const { signer, hashMode, nonce } of conditions) {
        const account = addressToString(addressFromVersionHash(addressHashModeToVersion(hashMode, 'testnet'), signer));
        last.set(account, Math.max(last.get(account) ?? -1, Number(nonce)));
      }
    }
  }
  return last;
}

/** The fungible tokens of a response that were checked with the VM, and whose balance is not zero. */
function tokensIn(
  body: { fungible_tokens: Record<string, { balance: string }> },
  truth: Truth,
): Record<string, string> {
  const held = Object.entries(body.fungible_tokens).filter(
    ([asset, { balance }]) => asset in truth.ft && balance !== '0',
  );
  return Object.fromEntries(held.map(([asset, { balance }]) => [asset, balance]));
}

async function ownedBy(index: TestIndex, principal: string, truth: Truth): Promise<string[]> {
  const assets = Object.keys(truth.nft).map(encodeURIComponent);
  if (assets.length === 0) return [];
  const path = `/extended/v1/tokens/nft/holdings?principal=${principal}&asset_identifiers=${assets.join(',')}`;
  const tokens = await allOf<{ asset_identifier: string; value: { repr: string } }>(index, path);
  return tokens.map(({ asset_identifier, value }) => `${asset_identifier} ${value.repr}`).sort();
}

const idsOf = ({ nft }: Truth, principal: string): string[] =>
  Object.entries(nft)
    .flatMap(([asset, owners]) =>
      Object.entries(owners).flatMap(([id, owner]) => (owner === principal ? [`${asset} u${id}`] : [])),
    )
    .sort();
