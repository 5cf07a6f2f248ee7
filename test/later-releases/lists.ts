/** Batches of transactions, transfers of a token, events of a bond, and what a miner earned. */
import {
  encodeClarityBool,
  encodeClarityNone,
  encodeClarityPrincipal,
  encodeClaritySome,
  encodeClarityUint,
} from '../../src/base/codec/index.ts';
import { ChainBuilder } from '../support/chain-builder.ts';
import { announced } from '../support/pending-transactions.ts';
import {
  allowedStaker,
  BOND_SET_UP,
  clarityUints,
  registeredStaker,
  stakerOf,
  stakingPrint,
} from '../support/staking-prints.ts';
import type { ApiResponse } from '../support/test-index.ts';
import { accountAddress, type BuiltTx } from '../support/transaction-builder.ts';
import { arrives, responds, type Subject, shows, walks } from './step.ts';

const [ANNE, BEN, MINER] = [accountAddress(41), accountAddress(42), accountAddress(20)];
const MANAGER = `${accountAddress(30)}.manager`;
const OTHER = `${accountAddress(31)}.manager`;
const GOLD = `${accountAddress(9)}.mint::gold`;
const BEHIND_ALL = 2_147_483_648;

const idsOf = ({ results }: ApiResponse['body']) => results.map(({ tx_id }: { readonly tx_id: string }) => tx_id);
const rewardIds = ({ results }: ApiResponse['body']) => results.map(({ id }: { readonly id: string }) => id);

const withEvents = (tx: BuiltTx, ...events: Readonly<Record<string, unknown>>[]): BuiltTx => ({
  ...tx,
  events: events.map((event, event_index) => ({ ...event, txid: tx.txId, event_index, committed: true })),
});

export const BATCHES: Subject = {
  subject: 'a batch has confirmed transactions by their ids',
  steps: () => {
    const chain = new ChainBuilder();
    const blocks = chain.chain(11);
    const all = blocks.flatMap(({ txs }) => txs.map(({ txId }) => txId));
    const [first = '', second = ''] = all;
    const bare = second.slice(2).toUpperCase();
    const pending = chain.transfer();
    const batch = (query: string) => `/extended/v3/transactions/batch?${query}`;
    return [
      arrives(...blocks.map(({ delivery }) => delivery), announced(pending)),
      shows('one id', batch(`tx_id=${first}`), idsOf, [first]),
      shows('twenty, the newest first', batch(`tx_id=${all.slice(0, 20)}`), idsOf, all.slice(0, 20).reverse()),
      responds('21 are too many', 400, batch(`tx_id=${all.slice(0, 21)}`)),
      responds('an id twice is refused', 400, batch(`tx_id=${first},${first}`), batch(`tx_id=${first}&tx_id=${first}`)),
      responds('also in another spelling', 400, batch(`tx_id=${first}&tx_id=${first.slice(2)}`)),
      responds('no id, and what is none, is refused', 400, ...['', 'tx_id=', `tx_id=${first},0x12`].map(batch)),
      shows('a pending transaction is left out', batch(`tx_id=${first},${pending.txId}`), idsOf, [first]),
      shows('also where it is the only one', batch(`tx_id=${pending.txId}`), body => body, { results: [] }),
      shows('ids with commas', batch(`tx_id=${first},${bare}`), idsOf, [second, first]),
      shows('ids one by one', batch(`tx_id=${first}&tx_id=${bare}`), idsOf, [second, first]),
    ];
  },
};

const moved = (amount: number, sender: string | null, recipient: string | null) => {
  const type = sender === null ? 'ft_mint_event' : recipient === null ? 'ft_burn_event' : 'ft_transfer_event';
  const parties = { ...(sender && { sender }), ...(recipient && { recipient }) };
  return { type, [type]: { asset_identifier: GOLD, amount: String(amount), ...parties } };
};

export const TRANSFERS: Subject = {
  subject: 'transfers of a token are those of a principal',
  steps: () => {
    const chain = new ChainBuilder();
    const events = [moved(10, null, ANNE), moved(3, ANNE, ANNE), moved(2, ANNE, BEN), moved(1, ANNE, null)];
    const first = chain.block({ txs: [withEvents(chain.transfer(), ...events)] });
    const second = chain.block({ parent: first, txs: [withEvents(chain.transfer(), moved(1, BEN, ANNE))] });
    const of = (asset: string) => `/extended/v3/principals/${ANNE}/transfers/ft/${encodeURIComponent(asset)}`;
    const parties = ({ results }: ApiResponse['body']) =>
      results.map(({ sender, recipient, amount }: ApiResponse['body']) => [sender, recipient, amount]);
    const lengthOf = ({ total, results }: ApiResponse['body']) => [total, results.length];
    return [
      arrives(first.delivery, second.delivery),
      shows('a mint has no sender, a burn no recipient, and one to its sender is one row', of(GOLD), parties, [
        [BEN, ANNE, '1'],
        [ANNE, null, '1'],
        [ANNE, BEN, '2'],
        [ANNE, ANNE, '3'],
        [null, ANNE, '10'],
      ]),
      shows('the total is their number', of(GOLD), lengthOf, [5, 5]),
      walks(of(GOLD)),
      shows('height:0:0:0 is the beginning of the block', `${of(GOLD)}?cursor=1:0:0:0`, parties, [
        [ANNE, null, '1'],
        [ANNE, BEN, '2'],
        [ANNE, ANNE, '3'],
        [null, ANNE, '10'],
      ]),
      responds('a cursor with a number that no place has is refused', 400, `${of(GOLD)}?cursor=${BEHIND_ALL}:0:0:0`),
      shows('a token without transfers has none', of(GOLD.replace('gold', 'tin')), lengthOf, [0, 0]),
      responds('STX is no token here', 400, of('stx')),
    ];
  },
};

/** A claim of rewards for a cycle: of a bond, or of STX that are staked alone. */
const claimed = (bond: number | null) =>
  stakingPrint('claim-staker-rewards-for-signer', {
    'signer-manager': encodeClarityPrincipal(MANAGER),
    staker: encodeClarityPrincipal(ANNE),
    'bond-index': bond === null ? encodeClarityNone() : encodeClaritySome(encodeClarityUint(bond)),
    ...clarityUints({ 'reward-cycle': 7, 'rewards-claimed': 1500 }),
  });

const BOND = { 'bond-index': 1 };

/** Every kind of event of bond 1. */
const OF_BOND = [
  BOND_SET_UP,
  allowedStaker(ANNE, 900),
  registeredStaker(ANNE, MANAGER, 500),
  stakingPrint('update-bond-registration', {
    ...stakerOf(ANNE, OTHER),
    'old-signer': encodeClarityPrincipal(MANAGER),
    'is-l1-lock': encodeClarityBool(false),
    ...clarityUints({ ...BOND, 'amount-ustx': 60, 'amount-sats': 500 }),
  }),
  stakingPrint('announce-l1-early-exit', {
    ...stakerOf(BEN, MANAGER),
    ...clarityUints({ ...BOND, 'amount-sats-released': 40 }),
  }),
  stakingPrint('unstake-sbtc', {
    ...stakerOf(ANNE, OTHER),
    ...clarityUints({ ...BOND, 'amount-withdrawn-sats': 100, 'new-amount-sats': 400 }),
  }),
  stakingPrint(
    'bond-distribution',
    clarityUints({
      ...{ ...BOND, 'target-yield': 10, 'bond-rewards': 20, 'bond-staked-sats': 500 },
      ...{ 'accrued-rewards-per-sat': 3, 'cumulative-rewards-per-sat': 5 },
    }),
  ),
  claimed(1),
];
const CALCULATED = stakingPrint('calculate-rewards', clarityUints({ 'calculation-height': 104, 'stx-cycle': 7 }));

export const BOND_EVENTS: Subject = {
  subject: 'a bond has a list of its events',
  steps: () => {
    const chain = new ChainBuilder();
    const first = chain.block();
    const txs = OF_BOND.map(print => withEvents(chain.transfer(), claimed(null), print, CALCULATED));
    const second = chain.block({ parent: first, txs });
    const other = chain.block({ parent: first });
    const third = chain.block({ parent: second });
    const url = '/extended/v3/staking/bonds/1/events';
    const dataOf = (kind: string) => (body: ApiResponse['body']) =>
      body.results.find(({ name }: { readonly name: string }) => name === kind)?.data;
    const kinds = ({ results }: ApiResponse['body']) =>
      results.map(({ name }: { readonly name: string }) => name).reverse();
    const totalOf = ({ total }: ApiResponse['body']) => total;
    const parties = { staker: ANNE, signer: OTHER };
    return [
      arrives(first.delivery, second.delivery),
      shows('of all eight kinds, without claims for STX that are staked alone', url, kinds, [
        ...['setup-bond', 'add-to-allowlist', 'register-for-bond', 'update-bond-registration'],
        ...['announce-l1-early-exit', 'unstake-sbtc', 'bond-distribution', 'claim-staker-rewards-for-signer'],
      ]),
      walks(url),
      shows('a set-up has its parameters', url, body => dataOf('setup-bond')(body).parameters, {
        ...{ target_rate_bps: 500, stx_value_ratio: 100, minimum_stx_ratio: 1000 },
      }),
      shows('an allowance has its limit', url, dataOf('add-to-allowlist'), { staker: ANNE, max_sats: '900' }),
      shows('a registration has its balances', url, dataOf('register-for-bond'), {
        ...{ staker: ANNE, signer: MANAGER, type: 'l2', balances: { btc: '500', stx: '50' } },
      }),
      shows('another registration has the signer before it', url, dataOf('update-bond-registration'), {
        ...{ ...parties, old_signer: MANAGER, type: 'l2', balances: { btc: '500', stx: '60' } },
      }),
      shows('an early exit has what it releases', url, dataOf('announce-l1-early-exit'), {
        ...{ staker: BEN, signer: MANAGER, released: { btc: '40' } },
      }),
      shows('a withdrawal has what remains', url, dataOf('unstake-sbtc'), {
        ...{ ...parties, withdrawn: { btc: '100' }, remaining: { btc: '400' } },
      }),
      shows('a distribution has the calculation of its transaction', url, dataOf('bond-distribution'), {
        ...{ calculation: { bitcoin_height: 104, reward_cycle: 7 }, target_yield: '10', rewards: { btc: '20' } },
        ...{ staked: { btc: '500' }, accrued_rewards_per_sat: '3', cumulative_rewards_per_sat: '5' },
      }),
      shows('a claim has its cycle', url, dataOf('claim-staker-rewards-for-signer'), {
        ...{ signer_manager: MANAGER, staker: ANNE, reward_cycle: 7, claimed: { btc: '1500' } },
      }),
      shows(
        'a bond that does not exist has none',
        url.replace('1', '9'),
        ({ cursor, ...page }) => [page, cursor.current],
        [{ total: 0, limit: 20, results: [] }, null],
      ),
      arrives(other.delivery, chain.block({ parent: other }).delivery),
      shows('a fork takes them back', url, totalOf, 0),
      arrives(third.delivery, chain.block({ parent: third }).delivery),
      shows('and brings them again', url, totalOf, OF_BOND.length),
    ];
  },
};

export const MINING: Subject = {
  subject: 'a miner has rewards, and their sum',
  steps: () => {
    const chain = new ChainBuilder();
    const first = chain.block();
    const reward = (coinbase_amount: string, tx_fees_anchored: string) => ({
      ...{ recipient: MINER, miner_address: null, coinbase_amount, tx_fees_anchored },
      ...{ tx_fees_streamed_confirmed: '0', tx_fees_streamed_produced: '0' },
      ...{ from_stacks_block_hash: first.hash, from_index_consensus_hash: first.indexHash },
    });
    const matured_miner_rewards = [reward('1000', '5'), reward('0', '0'), reward('0', '7')];
    const second = chain.block({ parent: first, fields: { matured_miner_rewards } });
    const other = chain.block({ parent: first });
    const third = chain.block({ parent: second });
    const url = `/extended/v3/principals/${MINER}/mining`;
    const both = [`${second.indexHash}:2`, `${second.indexHash}:0`];
    return [
      arrives(first.delivery, second.delivery),
      shows('two rewards of one block are two rows, one of nothing is none', `${url}/rewards`, rewardIds, both),
      shows('the sums are those of the rows', url, ({ rewards }) => rewards, {
        ...{ count: 2, coinbase: '1000', fees: '12', total: '1012' },
      }),
      responds('a cursor of a place that cannot be is refused', 400, `${url}/rewards?cursor=${BEHIND_ALL}:0`),
      arrives(other.delivery, chain.block({ parent: other }).delivery),
      shows('a fork takes them back', `${url}/rewards`, rewardIds, []),
      arrives(third.delivery, chain.block({ parent: third }).delivery),
      shows('and brings them again, with the same ids', `${url}/rewards`, rewardIds, both),
    ];
  },
};
