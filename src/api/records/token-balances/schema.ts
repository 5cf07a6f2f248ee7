import { amount } from '../../http/schema.ts';
import { Type } from '../../http/type.ts';

/** The balance of a principal in a fungible token. */
const FungibleTokenBalance = Type.Object(
  {
    balance: amount('In the smallest unit; below zero where the index does not know all blocks', true),
    total_sent: amount('In the smallest unit'),
    total_received: amount('In the smallest unit'),
  },
  { title: 'FungibleTokenBalance' },
);

/** The holdings of a principal in an NFT. */
const NftCount = Type.Object(
  {
    count: amount('Tokens; below zero where the index does not know all blocks', true),
    total_sent: amount('Tokens'),
    total_received: amount('Tokens'),
  },
  { title: 'NftCount' },
);

const byAsset = 'By asset identifier, also those of which nothing is left';

/** Keys of getAccountBalanceV1. */
export const TOKENS_BY_ASSET_V1 = {
  fungible_tokens: Type.Record(Type.String(), FungibleTokenBalance, { description: byAsset }),
  non_fungible_tokens: Type.Record(Type.String(), NftCount, { description: byAsset }),
};
