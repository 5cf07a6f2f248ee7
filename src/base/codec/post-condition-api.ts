import { conditionCodeName } from './names.ts';
import type { AssetInfo, PostCondition, PostConditionPrincipal } from './post-condition.ts';

type ApiPostConditionPrincipal =
  | { type_id: 'principal_origin' }
  | { type_id: 'principal_standard'; address: string }
  | { type_id: 'principal_contract'; address: string; contract_name: string };

interface ApiAsset {
  asset_name: string;
  contract_address: string;
  contract_name: string;
}

interface ApiCondition {
  principal: ApiPostConditionPrincipal;
  condition_code: string;
}

export type ApiPostCondition =
  | (ApiCondition & { amount: string; type: 'stx' | 'staking' })
  | (ApiCondition & { amount: string; type: 'fungible'; asset: ApiAsset })
  | (ApiCondition & { type: 'non_fungible'; asset_value: { hex: string; repr: string }; asset: ApiAsset })
  | (ApiCondition & { type: 'pox' });

/** A post condition as the API serves it, keys in the served order (docs/spec/transactions.md#post-conditions). */
export function postConditionToApi(condition: PostCondition): ApiPostCondition {
  const principal = principalToApi(condition.principal);
  const condition_code = conditionCodeName(condition.conditionCode);
  switch (condition.kind) {
    case 'stx':
    case 'staking':
      return { principal, condition_code, amount: condition.amount.toString(), type: condition.kind };
    case 'fungible':
      return {
        principal,
        condition_code,
        amount: condition.amount.toString(),
        type: 'fungible',
        asset: assetToApi(condition.asset),
      };
    case 'non_fungible':
      return {
        principal,
        condition_code,
        type: 'non_fungible',
        asset_value: { hex: condition.assetValue.hex, repr: condition.assetValue.repr },
        asset: assetToApi(condition.asset),
      };
    case 'pox':
      return { principal, condition_code, type: 'pox' };
    default:
      return condition satisfies never;
  }
}

function principalToApi(principal: PostConditionPrincipal): ApiPostConditionPrincipal {
  switch (principal.kind) {
    case 'origin':
      return { type_id: 'principal_origin' };
    case 'standard':
      return { type_id: 'principal_standard', address: principal.address };
    case 'contract':
      return { type_id: 'principal_contract', address: principal.address, contract_name: principal.contractName };
    default:
      return principal satisfies never;
  }
}

function assetToApi(asset: AssetInfo): ApiAsset {
  return {
    asset_name: asset.assetName,
    contract_address: asset.contractAddress,
    contract_name: asset.contractName,
  };
}
