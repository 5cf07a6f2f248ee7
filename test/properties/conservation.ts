import assert from 'node:assert/strict';
import { decodeTransaction } from '../../src/base/codec/index.ts';
import { fromHex } from '../../src/base/lib/hex.ts';
import { type BuiltChain, buildChain } from '../chains/build.ts';
import { canonicalChain } from '../chains/canonical.ts';
import { chainPlans } from '../chains/plan.ts';
import { defineProperty } from '../chains/property.ts';
import type { BuiltBlock } from '../support/chain-builder.ts';
import type { TestIndex } from '../support/test-index.ts';
import type { BuiltTx } from '../support/transaction-builder.ts';

/**
 * STX come from mints and rewards, go by burns and fees, and do not change otherwise: the sum of all balances, and each
 * balance, is what the payloads of the canonical chain and of the microblocks on its tip add up to.
 */
export const conservation = defineProperty({
  file: 'conservation',
  rule: 'STX are conserved: balances are what was minted, moved, rewarded, burned and paid as fees, to the micro-STX',
  cases: chainPlans(),
  hold: async (bench, plan) => {
    const chain = buildChain(plan);
    const on = await bench.openIndex();
    await on.deliver(
      chain.sent.map(({ delivery }) => delivery),
      plan.batch,
    );
    const expected = balancesOf(await canonicalContent(on.index, chain));
    const actual = await balancesIn(on.index);
    for (const [principal, balance] of expected.balances)
      assert.equal(actual.get(principal) ?? 0n, balance, `balance of ${principal}`);
    const total = [...actual.values()].reduce((sum, balance) => sum + balance, 0n);
    assert.equal(total, expected.created - expected.destroyed, 'all balances together');
  },
});

interface Content {
  readonly blocks: readonly BuiltBlock[];
  readonly txs: readonly BuiltTx[];
}

async function canonicalContent(index: TestIndex, { sent }: BuiltChain): Promise<Content> {
  const { boot, blocks } = canonicalChain(sent);
  const microblocks = sent.flatMap(event => (event.kind === 'stream' ? event.microblocks : []));
  const { microblocks: standing } = await index.state();
  const streamed = standing.flatMap(({ hash }) => microblocks.find(microblock => microblock.hash === hash)?.txs ?? []);
  return { blocks, txs: [...(boot?.txs ?? []), ...blocks.flatMap(({ txs }) => txs), ...streamed] };
}

interface Balances {
  readonly balances: ReadonlyMap<string, bigint>;
  /** By mints and rewards. */
  readonly created: bigint;
  /** By burns and fees. */
  readonly destroyed: bigint;
}

function balancesOf({ blocks, txs }: Content): Balances {
  const balances = new Map<string, bigint>();
  let created = 0n;
  let destroyed = 0n;
  const add = (principal: unknown, amount: bigint) =>
    balances.set(String(principal), (balances.get(String(principal)) ?? 0n) + amount);
  const create = (principal: unknown, amount: bigint) => {
    created += amount;
    add(principal, amount);
  };
  const destroy = (principal: unknown, amount: bigint) => {
    destroyed += amount;
    add(principal, -amount);
  };
  for (const tx of txs) {
    const { payer, fee } = payment(tx);
    destroy(payer, fee);
    for (const event of tx.events.filter(({ committed }) => committed)) {
      const { sender, recipient, amount } = (event[String(event.type)] ?? {}) as Record<string, string>;
      if (event.type === 'stx_mint_event') create(recipient, BigInt(amount ?? 0));
      if (event.type === 'stx_burn_event') destroy(sender, BigInt(amount ?? 0));
      if (event.type !== 'stx_transfer_event') continue;
      add(sender, -BigInt(amount ?? 0));
      add(recipient, BigInt(amount ?? 0));
    }
  }
  for (const { recipient, ...reward } of blocks.flatMap(rewardsOf)) {
    const { coinbase_amount, tx_fees_anchored, tx_fees_streamed_confirmed, tx_fees_streamed_produced } = reward;
    const parts = [coinbase_amount, tx_fees_anchored, tx_fees_streamed_confirmed, tx_fees_streamed_produced];
    create(
      recipient,
      parts.reduce((sum, part) => sum + BigInt(part ?? 0), 0n),
    );
  }
  return { balances, created, destroyed };
}

const rewardsOf = ({ body }: BuiltBlock) => body.matured_miner_rewards as readonly Record<string, string>[];

function payment({ body }: BuiltTx): { payer: string; fee: bigint } {
  const decoded = decodeTransaction(fromHex(String(body.raw_tx)) ?? new Uint8Array());
  assert.ok(decoded.ok);
  const { origin, sponsor } = decoded.value;
  const payer = sponsor ?? origin;
  return { payer: payer.address, fee: payer.fee };
}

async function balancesIn(index: TestIndex): Promise<ReadonlyMap<string, bigint>> {
  const { accounts = [] } = await index.dump();
  const amount = (value: unknown) => BigInt(String(value));
  return new Map(
    accounts.map(({ principal, received, sent, fees, rewards }) => [
      String(principal),
      amount(received) - amount(sent) - amount(fees) + amount(rewards),
    ]),
  );
}
