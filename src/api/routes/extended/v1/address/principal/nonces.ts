import { quoted } from '../../../../../../base/lib/app-error.ts';
import type { Queries } from '../../../../../../base/store/database.ts';
import { endOfBlock } from '../../../../../../index/blocks/canonical-chain.ts';
import { badRequest, notFound } from '../../../../../http/errors.ts';
import { addressOrContract, integer, MAX_INTEGER, text } from '../../../../../http/params.ts';
import { count, failure, nullable } from '../../../../../http/schema.ts';
import type { Api } from '../../../../../http/server.ts';
import { Type } from '../../../../../http/type.ts';
import { at, readLongAsOf } from '../../../../../paging/as-of.ts';
import { heightOfBlockHash } from '../../../../../records/blocks/queries.ts';
import { accountNonces, accountNoncesUntil } from '../../../../../records/mempool/nonces.ts';
import type { ApiContext } from '../../../../context.ts';
import { ADDRESS, BLOCK_HASH } from '../../../../examples.ts';

const nonces = (description: string) => Type.Array(count(), { description });

const AccountNoncesSchema = Type.Object(
  {
    last_mempool_tx_nonce: nullable(count(), 'The highest that a pending transaction uses; null at a block'),
    last_executed_tx_nonce: nullable(count(), 'The highest that a mined transaction used, as sender or as sponsor'),
    possible_next_nonce: count('One more than both'),
    detected_missing_nonces: nonces('Those between the two that nothing pending uses, the highest first'),
    detected_mempool_nonces: nonces('Those between the two that something pending uses'),
  },
  { title: 'AccountNonces' },
);

/** `/extended/v1/address/:principal/nonces` (docs/spec/addresses.md#nonces) */
export function addNonceRoutesV1(api: Api, { longReads }: ApiContext): void {
  api.get(
    '/extended/v1/address/:principal/nonces',
    {
      config: { cache: 'mempool' },
      schema: {
        operationId: 'getAccountNoncesV1',
        deprecated: true,
        summary: 'Get the nonces of an account',
        description: 'The next nonce to use, and nonces that are missing before a pending transaction can be mined.',
        tags: ['Addresses'],
        params: Type.Object({ principal: addressOrContract(ADDRESS) }),
        querystring: Type.Object({
          block_height: Type.Optional(
            integer('As it was after the block of this height.', { minimum: 1, maximum: MAX_INTEGER }, 100),
          ),
          block_hash: Type.Optional(
            text('As it was after the block of this hash (`0x` required); not beside a height.', BLOCK_HASH),
          ),
          at: at(),
        }),
        response: {
          200: AccountNoncesSchema,
          404: failure('There is no such block'),
        },
      },
    },
    async request => {
      const { principal } = request.params;
      const block = blockOf(request.query);
      return JSON.stringify(
        await readLongAsOf(longReads, request, async (queries, budget) =>
          block === undefined
            ? accountNonces(queries, principal, budget)
            : accountNoncesUntil(queries, principal, await endOf(queries, block)),
        ),
      );
    },
  );
}

/** The block named in a request; undefined for the current state. */
type RequestedBlock = { readonly height: number } | { readonly hash: string } | undefined;

function blockOf({
  block_height: height,
  block_hash: hash,
}: {
  block_height?: number;
  block_hash?: string;
}): RequestedBlock {
  if (height !== undefined && hash !== undefined) {
    throw badRequest('querystring/block_height must not be given together with block_hash');
  }
  if (height !== undefined) return { height };
  if (hash === undefined) return undefined;
  if (!/^0x[0-9a-f]*$/i.test(hash)) {
    throw badRequest(`querystring/block_hash must be a hash (0x and 64 hex digits), not ${quoted(hash)}`);
  }
  return { hash };
}

/** For an orphaned block, its height on the canonical chain counts. */
async function endOf(queries: Queries, block: NonNullable<RequestedBlock>): Promise<number> {
  const height = 'height' in block ? block.height : await heightOfBlockHash(queries, block.hash.toLowerCase());
  const end = height === undefined ? undefined : await endOfBlock(queries, height);
  if (end === undefined) {
    throw notFound(
      'height' in block ? `No block found at height ${block.height}` : 'No block found with this block_hash',
    );
  }
  return end;
}
