/** Search of version 3 (docs/spec/search.md). Beside its records are the tests of names, addresses and types. */
import { type BuiltBlock, ChainBuilder } from '../support/chain-builder.ts';
import { sampleDeploy, sampleFunction, sampleMove } from '../support/sample-contracts.ts';
import type { ApiResponse } from '../support/test-index.ts';
import { accountAddress, type BuiltTx } from '../support/transaction-builder.ts';
import { arrives, expires, responds, type Step, type Subject, shows } from './step.ts';

const OWNER = accountAddress(9);
const OTHER = accountAddress(8);
const COIN = `${OWNER}.vault::coin`;
const CAT = `${OWNER}.art::cat`;

const url = (q: string): string => `/extended/v3/search?q=${encodeURIComponent(q)}`;

/** Of each result its type, and what identifies it. */
const hits = ({ results }: ApiResponse['body']): string[] =>
  results.map(
    ({ type, result }: ApiResponse['body']) =>
      `${type} ${result.asset_identifier ?? result.contract_id ?? result.principal ?? result.tx_id ?? result.hash}`,
  );
const finds = (rule: string, q: string, ...found: readonly string[]): Step => shows(rule, url(q), hits, found);

/** A transfer of a fungible token beside what a transaction does. */
const moving = (tx: BuiltTx, asset: string): BuiltTx => {
  const moved = { asset_identifier: asset, sender: OWNER, recipient: OTHER, amount: '5' };
  const place = { txid: tx.txId, committed: true };
  return { ...tx, events: [...tx.events, { ...place, type: 'ft_transfer_event', ft_transfer_event: moved }] };
};

const numbered = (count: number, prefix: string): string[] => Array.from({ length: count }, (_, n) => `${prefix}${n}`);

const arrivesBlock = ({ burn, delivery }: BuiltBlock): Step => arrives(burn.delivery, delivery);

const digits: Subject = {
  subject: 'digits are searched as hashes, heights and names',
  steps: () => {
    const chain = new ChainBuilder();
    const hashes = ['00000001', '00000001b'].map(start => `0x${start.padEnd(64, 'a')}`);
    const [one = '', many = ''] = hashes;
    const named = `${OWNER}.vault::${'ab'.repeat(32)}`;
    const first = chain.block({ txs: [chain.coinbase(), moving(chain.transfer(), named)] });
    const second = chain.block({ parent: first, txs: [chain.coinbase()], fields: { block_hash: one } });
    const third = chain.block({ parent: second, txs: [chain.coinbase()], fields: { block_hash: many } });
    const more = chain.burnBlock({ parent: third.burn });
    const bare = 'ab'.repeat(32);
    return [
      ...[first, second, third].map(arrivesBlock),
      responds('seven are too few for a hash', 400, url('0x1234567'), url('123456a')),
      finds('eight are a height, and the beginning of a hash', '00000001', ...[first.hash, many, one].map(block)),
      finds('an odd number of them is as good as an even one', '00000001B', block(many)),
      finds('0x before them, and their case, do not matter', '0X00000001BA', block(many)),
      finds('few are a height of either chain', '102', `bitcoin_block ${third.burn.hash}`),
      finds('a whole one is a hash of either chain', second.burn.hash, `bitcoin_block ${second.burn.hash}`),
      finds('a block has two hashes', second.indexHash.slice(0, 11), block(one)),
      finds('64 without 0x are a name, too', bare, `token ${named}`),
      finds('64 with 0x are a hash only', `0x${bare}`),
      expires('the ETag changes when a Bitcoin block alone arrives', url('103'), more.delivery),
    ];
  },
};

const block = (hash: string): string => `block ${hash}`;

const most: Subject = {
  subject: 'a search has at most twenty results',
  steps: () => {
    const chain = new ChainBuilder();
    const deploy = (name: string) => sampleDeploy(chain, name, { functions: [sampleFunction('ping')] });
    const failed = numbered(30, 'amm-a').map(name => sampleDeploy(chain, name));
    const longer = numbered(25, 'amm-b');
    const contract = (name: string) => `smart_contract ${OWNER}.${name}`;
    const newest = longer.toReversed().map(contract);
    return [
      arrivesBlock(chain.block({ txs: [chain.coinbase(), deploy('amm'), ...failed, ...longer.map(deploy)] })),
      finds('of 25 matches there are 20, the newest first', `${OWNER}.amm-b`, ...newest.slice(0, 20)),
      finds('failed deployments take no place', `${OWNER}.amm-`, ...newest.slice(0, 20)),
      finds('a whole id comes before all longer ones', `${OWNER}.amm`, contract('amm'), ...newest.slice(0, 19)),
      shows('and so does a whole name', url('amm'), body => [hits(body)[0], hits(body).length], [contract('amm'), 20]),
    ];
  },
};

const assets: Subject = {
  subject: 'an asset is found while a canonical transaction has moved it',
  steps: () => {
    const chain = new ChainBuilder();
    const next = (parent: BuiltBlock, ...txs: BuiltTx[]) => chain.block({ parent, txs: [chain.coinbase(), ...txs] });
    const root = chain.block({ txs: [chain.coinbase()] });
    const moved = moving(chain.transfer(), COIN);
    const minted = { txid: moved.txId, committed: true, ...sampleMove(CAT, '0x03', null, OWNER) };
    const losing = next(root, { ...moved, events: [...moved.events, minted] });
    const winning = [next(root)];
    const above = (branch: readonly BuiltBlock[], ...txs: BuiltTx[]) => [
      ...branch,
      next(branch.at(-1) ?? root, ...txs),
    ];
    const won = above(winning);
    const again = above(won, moving(chain.transfer(), COIN));
    const back = above(above(above([losing])));
    return [
      ...[root, losing].map(arrivesBlock),
      finds('both kinds, by a part of their names', 'coin', `token ${COIN}`),
      finds('one that is not fungible, too', 'cat', `token ${CAT}`),
      ...won.map(arrivesBlock),
      finds('it is hidden while its transaction is orphaned', 'coin'),
      finds('also from its whole identifier', CAT),
      ...again.slice(2).map(arrivesBlock),
      finds('a later transaction brings it back', 'coin', `token ${COIN}`),
      finds('and no other asset', 'cat'),
      ...back.slice(1).map(arrivesBlock),
      finds('and so does the return of its own', 'cat', `token ${CAT}`),
    ];
  },
};

export const SEARCH_SUBJECTS: readonly Subject[] = [digits, most, assets];
