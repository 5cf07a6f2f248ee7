import { encodeClarityUint } from '../../../../../base/codec/index.ts';
import { hexBytes } from '../../../../../base/lib/hex.ts';
import { badRequest } from '../../../../http/errors.ts';
import { assetIdentifier } from '../../../../http/params.ts';
import type { Api } from '../../../../http/server.ts';
import { Type } from '../../../../http/type.ts';
import { textForm } from '../../../../http/validation.ts';
import { cursorPageOf, cursorPageOfRecords } from '../../../../paging/cursor-page.ts';
import { pageOfTokenHistory, tokenHistoryV3 } from '../../../../records/nft/history.ts';
import { TokenHistorySchemaV3 } from '../../../../records/nft/schema.ts';
import type { ApiContext } from '../../../context.ts';
import { NFT_CONTRACT } from '../../../examples.ts';
import { eventQuery, readList } from '../list.ts';

/** `/extended/v3/tokens/nft` (docs/spec/nft.md#history) */
export function addNftRoutesV3(api: Api, { db }: ApiContext): void {
  api.get(
    '/extended/v3/tokens/nft/:asset_identifier/:value/history',
    {
      config: { cache: 'tip' },
      schema: {
        operationId: 'getNftInstanceHistoryV3',
        summary: 'List the history of a non-fungible token by cursor',
        description: 'Newest first: mints, transfers and burns, also those of a microblock on the tip.',
        tags: ['Tokens'],
        params: Type.Object({
          asset_identifier: assetIdentifier('`<contract id>::<asset name>`', `${NFT_CONTRACT}::ape`),
          value: Type.String({
            ...textForm('^([0-9]{1,39}|0x([0-9a-fA-F]{2})+)$', 'a number, or the hex of a Clarity value with 0x'),
            description: 'The identifier of the token: a number for a `uint`, or any Clarity value, serialised.',
            examples: ['1'],
          }),
        }),
        querystring: eventQuery('22:2147483647:0:1', { maximum: 200, default: 50 }),
        response: { 200: cursorPageOf(TokenHistorySchemaV3, 'NftInstanceHistoryPage') },
      },
    },
    ({ params, query }, reply) => {
      const token = tokenOf(params.value);
      return readList(db, query, reply, async queries => {
        const key = { asset: params.asset_identifier, token };
        const page = await pageOfTokenHistory(queries, key, query);
        return cursorPageOfRecords(page, await tokenHistoryV3(queries, page.rows));
      });
    },
  );
}

const ABOVE_UINT = 1n << 128n;

/** The serialised value. @throws ApiError 400 for a number that no `uint` is */
function tokenOf(value: string): Uint8Array {
  if (value.startsWith('0x')) return hexBytes(value.toLowerCase());
  if (BigInt(value) >= ABOVE_UINT) throw badRequest('Token id is larger than the maximum Clarity uint');
  return encodeClarityUint(BigInt(value));
}
