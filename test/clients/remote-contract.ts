import { hash } from 'node:crypto';
import { decodeAddress } from '../../src/base/codec/index.ts';

/*
 * A contract as a node keeps it, which a VM that runs elsewhere reads from there: what the node knows of it, and its variable at its
 * place in the state. It is the smallest that can be called: (define-data-var total uint u7), and a function that reads it.
 */

const ISSUER = 'ST2JHG361ZXG51QTKY2NQCVBPPRRE2KZB1HR05NNC';
const NAME = 'elsewhere';
export const REMOTE = { contractId: `${ISSUER}.${NAME}`, functionName: 'get-total', total: 7 } as const;

const SOURCE = '(define-data-var total uint u7) (define-read-only (get-total) (var-get total))';
const { version = 0, hash160 = new Uint8Array() } = decodeAddress(ISSUER) ?? {};
const IDENTIFIER = { issuer: [version, [...hash160]], name: NAME };

/** As the VM of nodes writes it: what runs. */
const CONTEXT = {
  contract_identifier: IDENTIFIER,
  variables: {},
  functions: {
    'get-total': {
      identifier: { identifier: `${NAME}:get-total` },
      name: 'get-total',
      arg_types: [],
      define_type: 'ReadOnly',
      arguments: [],
      body: {
        expr: {
          List: [
            { expr: { Atom: 'var-get' }, id: 2 },
            { expr: { Atom: 'total' }, id: 3 },
          ],
        },
        id: 1,
      },
    },
  },
  defined_traits: {},
  implemented_traits: [],
  persisted_names: ['total'],
  meta_data_map: {},
  meta_data_var: { total: { value_type: 'UIntType' } },
  meta_nft: {},
  meta_ft: {},
  data_size: 0,
  clarity_version: 'Clarity2',
};

/** What it was checked to be. */
const ANALYSIS = {
  contract_identifier: IDENTIFIER,
  private_function_types: {},
  variable_types: {},
  public_function_types: {},
  read_only_function_types: { 'get-total': { Fixed: { args: [], returns: 'UIntType' } } },
  map_types: {},
  persisted_variable_types: { total: 'UIntType' },
  fungible_tokens: [],
  non_fungible_tokens: {},
  defined_traits: {},
  implemented_traits: [],
  contract_interface: null,
  is_cost_contract_eligible: false,
  epoch: 'Epoch30',
  clarity_version: 'Clarity2',
};

const METADATA: Readonly<Record<string, string>> = {
  'vm-metadata::9::contract': JSON.stringify({ contract_context: CONTEXT }),
  'vm-metadata::9::contract-size': String(SOURCE.length),
  'vm-metadata::9::contract-data-size': '0',
  'vm-metadata::9::contract-src': SOURCE,
  analysis: JSON.stringify(ANALYSIS),
};

const STATE: Readonly<Record<string, string>> = {
  [hash('sha512-256', `vm::${REMOTE.contractId}::1::total`)]: `0x01${'7'.padStart(32, '0')}`,
};

/** `/v2/clarity/metadata/ADDRESS/NAME/KEY` */
export const remoteMetadata = (contractId: string, key: string): string | undefined =>
  contractId === REMOTE.contractId ? METADATA[key] : undefined;

/** `/v2/clarity/marf/KEY` */
export const remoteState = (key: string): string | undefined => STATE[key];
