import Type, { type TProperties } from 'typebox';
import { address, amount, ClarityValue, word, wordOrUnknown } from '../../http/schema.ts';

const contractName = () => Type.String({ examples: ['my-contract'] });

const PostConditionPrincipal = Type.Union(
  [
    Type.Object({ type_id: Type.Literal('principal_origin') }, { title: 'OriginPrincipal' }),
    Type.Object({ type_id: Type.Literal('principal_standard'), address: address() }, { title: 'StandardPrincipal' }),
    Type.Object(
      { type_id: Type.Literal('principal_contract'), address: address(), contract_name: contractName() },
      { title: 'ContractPrincipal' },
    ),
  ],
  { title: 'PostConditionPrincipal', description: 'Whose assets the condition is about' },
);

const Asset = Type.Object(
  {
    asset_name: Type.String({ examples: ['my-token'] }),
    contract_address: address(),
    contract_name: contractName(),
  },
  { title: 'Asset' },
);

const comparison = () =>
  word([
    'sent_equal_to',
    'sent_greater_than',
    'sent_greater_than_or_equal_to',
    'sent_less_than',
    'sent_less_than_or_equal_to',
  ]);
const custody = () => wordOrUnknown(['sent', 'not_sent', 'maybe_sent']);
const performance = () => wordOrUnknown(['not_performed', 'maybe_performed', 'performed']);

const condition = (
  title: string,
  type: string,
  condition_code: TProperties[string],
  properties: TProperties,
  description: string,
) =>
  Type.Object(
    { principal: PostConditionPrincipal, condition_code, type: Type.Literal(type), ...properties },
    { title, description },
  );

/** What a transaction may move, by its sender's will (docs/spec/transactions.md#post-conditions). */
export const PostConditionSchema = Type.Union(
  [
    condition('StxPostCondition', 'stx', comparison(), { amount: amount() }, 'STX sent'),
    condition(
      'FungiblePostCondition',
      'fungible',
      comparison(),
      { amount: amount('In the smallest unit of the token'), asset: Asset },
      'Fungible tokens sent',
    ),
    condition(
      'NonFungiblePostCondition',
      'non_fungible',
      custody(),
      { asset_value: ClarityValue, asset: Asset },
      'A non-fungible token sent or not',
    ),
    condition('StakingPostCondition', 'staking', comparison(), { amount: amount() }, 'STX staked (SIP-040)'),
    condition('PoxPostCondition', 'pox', performance(), {}, 'Stacking performed or not (SIP-040)'),
  ],
  { title: 'PostCondition' },
);
