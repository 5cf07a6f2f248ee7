import type { TProperties, TSchema } from 'typebox';
import { TX_TYPES } from '../../../index/transactions/tables.ts';
import { address, contractId, count, hash, unixTime, whole, word } from '../../http/schema.ts';
import { Type } from '../../http/type.ts';
import { PENDING_BALANCE, STX_BALANCE } from '../addresses/schema.ts';
import { BlockSchemaV1 } from '../blocks/schema.ts';
import { MempoolTransactionSchemaV1, TransactionSchemaV1 } from '../transactions/schema.ts';
import { MISSING_TYPES } from './search.ts';

const txType = () => word(Object.keys(TX_TYPES));
const noBlock = (description: string) => `${description}; -1 while no block has the transaction`;

/** The place of a transaction in a block, or in a microblock on the tip. */
const place = {
  canonical: Type.Boolean({ description: 'False when only orphaned blocks have it' }),
  block_hash: Type.Union([hash(), Type.Literal('0x')], { description: '`0x` while only a microblock has it' }),
  burn_block_time: unixTime(noBlock('Time of the burn block')),
  block_height: count(),
};

/** @param type the value of `entity_type`, by which clients know which further members a result has */
const result = <T extends string, Id extends TSchema, P extends TProperties, Metadata extends TSchema>(
  title: string,
  type: T,
  id: Id,
  more: P,
  metadata: Metadata,
) =>
  Type.Object(
    { entity_id: id, entity_type: Type.Literal(type), ...more, metadata: Type.Optional(metadata) },
    { title },
  );

/** The balance of an address with the effect of pending transactions. Only `include_metadata` shows it. */
const AddressMetadata = Type.Object({ ...STX_BALANCE, ...PENDING_BALANCE }, { title: 'AddressMetadata' });

const results = Type.Union([
  result(
    'TransactionFound',
    'tx_id',
    hash(),
    { tx_data: Type.Object({ ...place, tx_type: txType() }) },
    TransactionSchemaV1,
  ),
  result(
    'MempoolTransactionFound',
    'mempool_tx_id',
    hash(),
    { tx_data: Type.Object({ tx_type: txType() }) },
    MempoolTransactionSchemaV1,
  ),
  result(
    'BlockFound',
    'block_hash',
    hash(),
    {
      block_data: Type.Object({
        canonical: Type.Boolean({ description: 'False when only orphaned blocks have this hash' }),
        hash: hash(),
        parent_block_hash: hash(),
        burn_block_time: unixTime(),
        height: whole(),
      }),
    },
    BlockSchemaV1,
  ),
  result('AddressFound', 'standard_address', address('As in the request'), {}, AddressMetadata),
  result(
    'ContractFound',
    'contract_address',
    contractId(),
    {
      tx_data: Type.Object(
        { tx_type: Type.Literal('smart_contract'), tx_id: hash(), ...place },
        { description: 'The transaction that deployed it' },
      ),
    },
    TransactionSchemaV1,
  ),
  result(
    'PendingContractFound',
    'contract_address',
    contractId(),
    {
      tx_data: Type.Object(
        { tx_type: Type.Literal('smart_contract'), tx_id: hash() },
        { description: 'The pending transaction that will deploy it' },
      ),
    },
    MempoolTransactionSchemaV1,
  ),
  result(
    'ContractPrincipalFound',
    'contract_address',
    contractId('Of a contract that is not deployed, but moved STX or tokens'),
    {},
    AddressMetadata,
  ),
]);

/** The entity that an id names. */
export const SearchSchemaV1 = Type.Object({ found: Type.Literal(true), result: results }, { title: 'SearchResponse' });

/** The response for an id without an entity. */
export const NothingFoundSchemaV1 = Type.Object(
  {
    found: Type.Literal(false),
    result: Type.Object({ entity_type: word(MISSING_TYPES, 'The kind of the id') }),
    error: Type.String(),
  },
  { title: 'NothingFound', description: 'No entity has this id; the body names the kind of the id' },
);
