import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rawHex, toHex } from '../../src/base/lib/hex.ts';
import { Workbench } from '../chains/workbench.ts';
import { onSqliteAtLeast } from '../support/engines.ts';
import fc from '../support/fast-check.ts';
import { BNS } from '../support/sample-names.ts';
import { casesOf } from '../support/scale.ts';
import { withTraitInBody } from '../support/trait-body.ts';
import { accountAddress } from '../support/transaction-builder.ts';
import { filled } from '../support/wire-transaction.ts';
import {
  ACCOUNTS,
  asset,
  busyChains,
  CONTRACTS,
  CYCLES,
  deliveriesOf,
  KEYS,
  SLOT_HOLDERS,
  trait,
} from './busy-chains.ts';
import { modelResponse, routeOf } from './model.ts';

const addresses = ACCOUNTS.map(accountAddress);
const contracts = [...CONTRACTS.map(contract => `${accountAddress(9)}.${contract}`), BNS];

/** Requests of every kind about everything that busy chains are about. */
const REQUESTS = [
  ...addresses.map(address => `/v1/addresses/stacks/${address}`),
  ...[...addresses, ...contracts].map(address => `/extended/v2/addresses/${address}/transactions?limit=50`),
  ...addresses.map(address => `/extended/v2/addresses/${address}/transactions?limit=2&offset=1`),
  ...contracts.flatMap(id => [`/extended/v1/contract/${id}`, `/extended/v1/contract/${id}/events?limit=50`]),
  ...['', '&tx_metadata=true', '&limit=1&offset=1'].flatMap(query =>
    [`${BNS}::names`, ...CONTRACTS.map(asset)].map(
      name => `/extended/v1/tokens/nft/mints?asset_identifier=${encodeURIComponent(name)}${query}`,
    ),
  ),
  ...CYCLES.flatMap(cycle => [
    `/extended/v2/pox/cycles/${cycle}/signers`,
    ...KEYS.map(key => `/extended/v2/pox/cycles/${cycle}/signers/${toHex(key)}`),
    `/extended/v2/pox/cycles/${cycle}/signers/${rawHex(filled(33, 2))}`,
  ]),
  ...['', '?height=1', '?height=2', '?after_block=2', '?unanchored=true', '?limit=1&offset=1'].flatMap(query =>
    [...addresses, `${accountAddress(7)}.pool`, accountAddress(8).toLowerCase()].map(
      pool => `/extended/v1/pox4/${pool}/delegations${query}`,
    ),
  ),
  ...addresses.flatMap(pool => [2, 3].map(version => `/extended/v1/pox${version}/${pool}/delegations`)),
  '/extended/v1/burnchain/reward_slot_holders',
  ...[...SLOT_HOLDERS, ...addresses, (SLOT_HOLDERS.at(-1) ?? '').toUpperCase()].map(
    address => `/extended/v1/burnchain/reward_slot_holders/${address}`,
  ),
  '/extended/v1/burnchain/rewards',
  '/extended/v2/burn-blocks/latest/pox-transactions',
  ...[...SLOT_HOLDERS, ...addresses].flatMap(address => [
    `/extended/v1/burnchain/rewards/${address}`,
    `/extended/v1/burnchain/rewards/${address}/total`,
    `/extended/v2/addresses/${address}/pox-transactions?limit=3`,
  ]),
];

const cases = fc.record({ plan: busyChains, traits: fc.array(trait, { minLength: 5, maxLength: 5 }) });

onSqliteAtLeast((engine, openFresh) => {
  test(`addresses, contracts, stacking, NFTs, names and slots are answered as the naive model does (${engine})`, async t => {
    const bench = await Workbench.open(engine, openFresh);
    t.after(() => bench.close());
    const property = fc.asyncProperty(cases, async ({ plan, traits }) => {
      const { deliveries, txIds } = deliveriesOf(plan);
      const { index } = await bench.openIndex();
      await index.deliver(...deliveries);
      const events = txIds.map(
        (id, i) => `/extended/v2/addresses/${addresses[i % addresses.length]}/transactions/${id}/events?limit=50`,
      );
      const byTrait = traits.map(
        wanted => `/extended/v1/contract/by_trait?trait_abi=${encodeURIComponent(JSON.stringify(wanted))}`,
      );
      for (const path of [...REQUESTS, ...events, ...byTrait]) {
        const expected = modelResponse(deliveries, path);
        const posted = withTraitInBody(path);
        for (const actual of [await index.get(path), ...(posted ? [await index.ask(posted)] : [])]) {
          assert.equal(actual.status, expected.status, path);
          if (actual.status !== 200) continue;
          const { normalise = (body: unknown) => body } = routeOf(path)?.route ?? {};
          assert.deepEqual(normalise(actual.body), normalise(JSON.parse(JSON.stringify(expected.body))), path);
        }
      }
    });
    await fc.assert(property, {
      numRuns: casesOf('MODEL_RUNS', engine),
      interruptAfterTimeLimit: 45_000,
    });
  });
});
