import type { TSchema } from 'typebox';
import {
  address,
  assetId,
  contractId,
  count,
  hash,
  isoTimestamp,
  nullable,
  unixTime,
  whole,
  word,
} from '../../http/schema.ts';
import { Type } from '../../http/type.ts';
import {
  MempoolTransactionSummarySchemaV3,
  TransactionPositionSchemaV3,
  TransactionSummarySchemaV3,
} from '../transactions/schema-v3.ts';
import { MOST_HITS } from './hits.ts';
import type { SearchType } from './terms-v3.ts';

/** A found entity. */
const hit = <T extends SearchType, R extends TSchema>(type: T, title: string, result: R) =>
  Type.Object({ type: Type.Literal(type), result }, { title });

/** The response of the search (docs/spec/search.md#results-of-version-3). */
export const SearchResultsSchemaV3 = Type.Object(
  {
    results: Type.Array(
      Type.Union(
        [
          hit(
            'block',
            'BlockHit',
            Type.Object({
              height: whole(),
              hash: hash(),
              index_hash: hash(),
              time: unixTime(),
              time_iso: isoTimestamp(),
            }),
          ),
          hit('bitcoin_block', 'BitcoinBlockHit', Type.Object({ height: whole(), hash: hash() })),
          hit('transaction', 'TransactionHit', TransactionSummarySchemaV3),
          hit('address', 'AddressHit', Type.Object({ principal: address() })),
          hit(
            'smart_contract',
            'SmartContractHit',
            Type.Object({
              contract_id: contractId(),
              clarity_version: nullable(Type.Integer({ minimum: 1 }), 'Null where the deployment did not name one'),
              ...TransactionPositionSchemaV3.properties,
            }),
          ),
          hit(
            'token',
            'TokenHit',
            Type.Object({
              asset_identifier: assetId(),
              asset_type: word(['ft', 'nft']),
              contract_id: contractId(),
              asset_name: Type.String({ examples: ['my-token'] }),
            }),
          ),
          hit('pending_transaction', 'PendingTransactionHit', MempoolTransactionSummarySchemaV3),
          hit('name', 'NameHit', Type.Object({ name: Type.String({ examples: ['alice.btc'] }) })),
          hit('namespace', 'NamespaceHit', Type.Object({ namespace: Type.String({ examples: ['btc'] }) })),
          hit(
            'bitcoin_address',
            'BitcoinAddressHit',
            Type.Object({ address: Type.String({ examples: ['1Hs1Pjv2bBK4xwVa2r5XbYfVHG3eNLZuJG'] }) }),
          ),
          hit(
            'function',
            'FunctionHit',
            Type.Object({
              function_name: Type.String({ examples: ['transfer'] }),
              contracts: count('Canonical contracts that have a function of this name'),
            }),
          ),
        ],
        { title: 'SearchHit' },
      ),
      { description: `At most ${MOST_HITS}` },
    ),
  },
  { title: 'SearchResults' },
);
