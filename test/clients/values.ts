import { Cl } from '@stacks/transactions';
import type { OpenApiDocument, Operation } from '../../src/api/http/openapi/document.ts';
import { ADDRESS, CONTRACT_ID, FT_CONTRACT, TX_ID } from '../../src/api/routes/examples.ts';
import { exampleBody, examplesOf } from '../support/example-requests.ts';
import { rawOf, transferOf } from '../support/pending-transactions.ts';

/**
 * Values for the requests of clients: the sample chain, and the contracts that run in the node, have results for each.
 */

export const [CONTRACT_ADDRESS = '', CONTRACT_NAME = ''] = CONTRACT_ID.split('.');
export const FUNCTION = 'get-deposit';
export const MAP = 'deposits';
export const VARIABLE = 'total';
export const BITCOIN_ADDRESS = 'mxDoj4WmnecZxmQerRekQGmhpzyinwAbQc';
export const DEPOSITOR = Cl.principal(ADDRESS);

const serialized = `0x${Cl.serialize(DEPOSITOR)}`;

/** By the names that the paths and queries of clients have. */
const VALUES: Readonly<Record<string, unknown>> = {
  principal: ADDRESS,
  address: ADDRESS,
  tx_id: TX_ID,
  height_or_hash: 'latest',
  contract_address: CONTRACT_ADDRESS,
  contract_name: CONTRACT_NAME,
  function_name: FUNCTION,
  map_name: MAP,
  var_name: VARIABLE,
  asset_identifier: `${FT_CONTRACT}::token-a`,
  signer_key: '0x03c789b21a7b3daac0',
  bond_index: 0,
};

const TRANSFER = rawOf(transferOf()).slice(2);
const FEE_QUESTION = { transaction_payload: TRANSFER.slice(-100), estimated_len: 180 };

/** Bodies of POST, by path. */
const BODIES: Readonly<Record<string, unknown>> = {
  '/extended/v1/faucets/stx': {},
  '/extended/v1/faucets/btc': {},
  '/extended/v1/faucets/sbtc': {},
  '/v2/fees/transaction': FEE_QUESTION,
  '/v2/contracts/call-read/{}/{}/{}': { sender: ADDRESS, arguments: [serialized] },
  '/v2/map_entry/{}/{}/{}': serialized,
  '/v2/transactions': Buffer.from(TRANSFER, 'hex'),
};

/** Queries that must be given although the document does not say so. */
const QUERIES: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  '/extended/v1/faucets/stx': { address: ADDRESS },
  '/extended/v1/faucets/sbtc': { address: ADDRESS },
  '/extended/v1/faucets/btc': { address: BITCOIN_ADDRESS },
  '/extended/v1/tx/events': { tx_id: TX_ID },
};

/** A path with its parameters nameless: clients of different versions name them differently. */
export const shapeOf = (path: string): string => path.replace(/\{\w+\}/g, '{}').replace(/(.)\/$/, '$1');

export interface RequestValues {
  readonly path: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

/** Values for a route of a client: the examples of the published document, and of the node the ones above. */
export function valuesFor(path: string, document: OpenApiDocument): RequestValues {
  const shape = shapeOf(path);
  const operation = operationAt(shape, document);
  const examples = operation?.parameters?.filter(({ in: place }) => place === 'path') ?? [];
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const inPath = names.map((name, i) => {
    const parameter = examples[i];
    return [name, parameter === undefined ? VALUES[name] : examplesOf(parameter)[0]] as const;
  });
  const required = operation?.parameters?.filter(({ in: place, required }) => place === 'query' && required) ?? [];
  const query = required.map(parameter => {
    const [value] = examplesOf(parameter);
    return [parameter.name, parameter.schema.type === 'array' && !Array.isArray(value) ? [value] : value] as const;
  });
  const body = operation?.requestBody === undefined ? undefined : JSON.parse(exampleBody(operation.requestBody));
  return {
    path: Object.fromEntries(inPath),
    query: { ...Object.fromEntries(query), ...QUERIES[shape] },
    body: BODIES[shape] ?? body,
  };
}

function operationAt(shape: string, { paths }: OpenApiDocument): Operation | undefined {
  const item = Object.entries(paths).find(([path]) => shapeOf(path) === shape)?.[1];
  return item?.get ?? item?.post;
}
