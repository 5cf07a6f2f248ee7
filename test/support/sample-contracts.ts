import type { JsonValue } from '../../src/base/lib/json.ts';
import type { BuiltTx, TransactionBuilder } from './transaction-builder.ts';
import { bytes, longText, name } from './wire-transaction.ts';

export interface SampleFunction {
  readonly name: string;
  readonly access: string;
  readonly args: readonly { readonly name: string; readonly type: JsonValue }[];
  readonly outputs: { readonly type: JsonValue };
}

/** A public function whose arguments, named a0, a1 ..., have these types. */
export const sampleFunction = (functionName: string, ...types: readonly JsonValue[]): SampleFunction => ({
  name: functionName,
  access: 'public',
  args: types.map((type, i) => ({ name: `a${i}`, type })),
  outputs: { type: { response: { ok: 'bool', error: 'uint128' } } },
});

/** An interface as a node gives it, with these functions. */
export const sampleInterface = (functions: readonly unknown[]) => ({
  functions,
  variables: [],
  maps: [],
  fungible_tokens: [],
  non_fungible_tokens: [],
  epoch: 'Epoch30',
  clarity_version: 'Clarity3',
});

interface DeployOptions {
  /** Any byte: names an account. */
  readonly from?: number;
  /** Without it the deployment fails. */
  readonly functions?: readonly unknown[];
  /** In place of an interface with those functions. */
  readonly contractInterface?: unknown;
  readonly source?: string;
  /** Of a versioned deployment. */
  readonly clarityVersion?: number;
  readonly events?: BuiltTx['events'];
}

/** A deployment of `account.contractName`. */
export function sampleDeploy(
  chain: TransactionBuilder,
  contractName: string,
  { from = 9, functions, contractInterface, source = '(ok true)', clarityVersion, events = [] }: DeployOptions = {},
): BuiltTx {
  const type = clarityVersion === undefined ? [0x01] : [0x06, clarityVersion];
  const given = contractInterface ?? (functions ? sampleInterface(functions) : null);
  return chain.tx(bytes(...type, name(contractName), longText(source)), {
    from,
    status: given === null ? 'abort_by_response' : 'success',
    fields: { contract_interface: given },
    events,
  });
}

/** What a contract prints. @param value Clarity value, 0x hex */
export const samplePrint = (contractId: string, value: string, topic = 'print') => ({
  type: 'contract_event',
  contract_event: { contract_identifier: contractId, topic, raw_value: value },
});

/** An NFT event: a mint without a sender, a burn without a recipient. @param value the token, 0x hex */
export function sampleMove(asset: string, value: string, sender: string | null, recipient: string | null) {
  const type = sender === null ? 'nft_mint_event' : recipient === null ? 'nft_burn_event' : 'nft_transfer_event';
  return {
    type,
    [type]: { asset_identifier: asset, raw_value: value, ...(sender && { sender }), ...(recipient && { recipient }) },
  };
}
