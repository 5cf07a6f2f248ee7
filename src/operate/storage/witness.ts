import { AppError } from '../../base/lib/app-error.ts';
import { type Witness, witnessIn } from '../../ingest/chain/witness.ts';
import { parseEvent } from '../../ingest/node/events/parse.ts';

/**
 * The first witness in events, in their order.
 * @param isSought only witnesses of these chains count; by default of any
 */
export async function firstWitness(
  events: AsyncIterable<{ readonly path: string; readonly body: Uint8Array }>,
  isSought?: (chainId: number) => boolean,
): Promise<Witness | undefined> {
  for await (const { path, body } of events) {
    if (path !== '/new_block') continue;
    const event = parseEvent(path, body);
    const witness = event.ok && event.value.path === '/new_block' ? witnessIn(event.value.block, isSought) : undefined;
    if (witness) return witness;
  }
  return undefined;
}

/** No stored event identifies its network. */
export class NoChainYet extends AppError {
  override readonly name = 'NoChainYet';
  override readonly kind = 'operator';

  constructor() {
    super('no event identifies its network', {
      hint: 'Name the network: --chain-id 0x00000001 for mainnet, 0x80000000 for testnet.',
    });
  }
}
