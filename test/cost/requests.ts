import type { GrowingChain } from './growing-chain.ts';
import { ofChain } from './requests/chain.ts';
import { ofContracts } from './requests/contracts.ts';
import { ofMempool } from './requests/mempool.ts';
import { ofNames } from './requests/names.ts';
import { ofPrincipals } from './requests/principals.ts';
import type { Request } from './requests/request.ts';
import { ofStaking } from './requests/staking.ts';
import { ofTokens } from './requests/tokens.ts';
import { ofVersion3 } from './requests/version-3.ts';

/** Every endpoint with lists that grow with the chain ("busy") and with lists that do not ("quiet"). */
export const requestsOf = (chain: GrowingChain): Request[] => [
  ...ofChain(chain),
  ...ofMempool(),
  ...ofPrincipals(chain),
  ...ofTokens(chain),
  ...ofContracts(chain),
  ...ofNames(),
  ...ofStaking(chain),
  ...ofVersion3(chain),
];
