import { type ApiResponse, failed, numberOf, ok, page, type Route } from '../route.ts';
import type { Payload, World } from '../world.ts';
import { bitcoinAddress } from './slot-holders.ts';

/** What canonical burn blocks paid, the newest first; of one block the last payment first (docs/spec/burnchain.md#rewards). */
const rewardsIn = ({ burnBlocks }: World) =>
  burnBlocks
    .flatMap(({ payload, hash, height }) =>
      payload.reward_recipients.map(({ recipient, amt }: Payload, reward_index: number) => ({
        canonical: true,
        burn_block_hash: hash,
        burn_block_height: height,
        burn_amount: String(payload.burn_amount),
        reward_recipient: recipient,
        reward_amount: String(amt),
        reward_index,
      })),
    )
    .reverse();

function rewardPage(rewards: readonly unknown[], query: URLSearchParams): ApiResponse {
  const limit = numberOf(query, 'limit', 96) || 96;
  const { total: _, ...body } = page(rewards, limit, numberOf(query, 'offset', 0), reward => reward) as Payload;
  return ok(body);
}

/** Answers for the address that a parameter names, 400 where it names none. */
const ofAddress =
  (name: string, respond: (world: World, address: string, query: URLSearchParams) => ApiResponse): Route['respond'] =>
  (world, params, query) => {
    const address = bitcoinAddress((params[name] ?? '').trim());
    return address === undefined ? failed(400) : respond(world, address, query);
  };

/** Outputs of canonical burn blocks, the newest first; of one block by id and output (docs/spec/burnchain.md#transactions-of-rewards). */
const outputsIn = ({ burnBlocks }: World): Payload[] =>
  burnBlocks.toReversed().flatMap(({ payload, hash, height }) =>
    (payload.pox_transactions ?? [])
      .flatMap(({ txid, reward_recipients }: Payload) =>
        reward_recipients.map(({ recipient, amt, utxo_idx }: Payload) => ({
          burn_block_height: height,
          burn_block_hash: hash,
          tx_id: txid,
          recipient,
          utxo_idx,
          amount: String(amt),
        })),
      )
      .sort((a: Payload, b: Payload) => a.tx_id.localeCompare(b.tx_id) || a.utxo_idx - b.utxo_idx),
  );

const outputPage = (outputs: readonly Payload[], query: URLSearchParams): ApiResponse =>
  ok(page(outputs, numberOf(query, 'limit', 20), numberOf(query, 'offset', 0), output => output));

/** getBurnBlockPoxTransactionsV2. */
const outputsOfBlock: Route['respond'] = (world, { id = '' }, query) => {
  const all = outputsIn(world);
  const isHash = /^(0x)?[0-9a-f]{64}$/i.test(id);
  const hash = id === 'latest' ? all[0]?.burn_block_hash : `0x${id.replace(/^0x/, '').toLowerCase()}`;
  return outputPage(
    all.filter(output =>
      isHash || id === 'latest' ? output.burn_block_hash === hash : output.burn_block_height === Number(id),
    ),
    query,
  );
};

export const rewardRoutes: readonly Route[] = [
  {
    template: '/extended/v1/burnchain/rewards',
    respond: (world, _params, query) => rewardPage(rewardsIn(world), query),
  },
  {
    template: '/extended/v1/burnchain/rewards/{address}',
    respond: ofAddress('address', (world, address, query) =>
      rewardPage(
        rewardsIn(world).filter(({ reward_recipient }) => reward_recipient === address),
        query,
      ),
    ),
  },
  {
    template: '/extended/v1/burnchain/rewards/{address}/total',
    respond: ofAddress('address', (world, address) => {
      const paid = rewardsIn(world).filter(({ reward_recipient }) => reward_recipient === address);
      const sum = paid.reduce((total, { reward_amount }) => total + BigInt(reward_amount), 0n);
      return ok({ reward_recipient: address, reward_amount: String(sum) });
    }),
  },
  { template: '/extended/v2/burn-blocks/{id}/pox-transactions', respond: outputsOfBlock },
  {
    template: '/extended/v2/addresses/{address}/pox-transactions',
    respond: ofAddress('address', (world, address, query) =>
      outputPage(
        outputsIn(world).filter(({ recipient }) => recipient === address),
        query,
      ),
    ),
  },
];
