import { oneOf } from '../../../http/params.ts';
import { count } from '../../../http/schema.ts';
import type { Api } from '../../../http/server.ts';
import { Type } from '../../../http/type.ts';

/** Seconds between burn blocks that each network aims at. */
const TARGET_BLOCK_TIMES = { mainnet: 600, testnet: 120 } as const;

const BlockTimeSchema = Type.Object(
  { target_block_time: count('Seconds between burn blocks that the network aims at') },
  { title: 'NetworkBlockTime', examples: [{ target_block_time: 600 }] },
);

/** `/extended/v1/info`: constants, the same on every chain. */
export function addInfoRoutesV1(api: Api): void {
  api.get(
    '/extended/v1/info/network_block_times',
    {
      config: { cache: 'tip' },
      schema: {
        operationId: 'getNetworkBlockTimesV1',
        deprecated: true,
        summary: 'Get the target block times of the networks',
        tags: ['Status'],
        response: {
          200: Type.Object({ mainnet: BlockTimeSchema, testnet: BlockTimeSchema }, { title: 'NetworkBlockTimes' }),
        },
      },
    },
    async () => JSON.stringify({ mainnet: blockTime('mainnet'), testnet: blockTime('testnet') }),
  );

  api.get(
    '/extended/v1/info/network_block_time/:network',
    {
      config: { cache: 'tip' },
      schema: {
        operationId: 'getNetworkBlockTimeByNetworkV1',
        deprecated: true,
        summary: 'Get the target block time of a network',
        tags: ['Status'],
        params: Type.Object({ network: oneOf('The network.', ['mainnet', 'testnet']) }),
        response: { 200: BlockTimeSchema },
      },
    },
    async ({ params }) => JSON.stringify(blockTime(params.network)),
  );
}

const blockTime = (network: keyof typeof TARGET_BLOCK_TIMES) => ({ target_block_time: TARGET_BLOCK_TIMES[network] });
