import fc from '../support/fast-check.ts';
import type { BuiltChain } from './build.ts';
import { ofBlocks } from './requests/blocks.ts';
import { ofContracts } from './requests/contracts.ts';
import { ofNames } from './requests/names.ts';
import { ofPrincipals } from './requests/principals.ts';
import { ofStaking } from './requests/staking.ts';
import { subjectsOf } from './requests/subjects.ts';
import { ofTokens } from './requests/tokens.ts';
import { ofTransactions } from './requests/transactions.ts';
import { ofVersion3 } from './requests/version-3.ts';

/**
 * Requests of the endpoints of the chain about what the chain has, and now and then about what it has not. Their
 * parameters are valid; test/requests.test.ts tries others.
 */
export function chainRequests(chain: BuiltChain): fc.Arbitrary<string> {
  const subjects = subjectsOf(chain);
  return fc.oneof(
    ...[ofBlocks, ofTransactions, ofPrincipals, ofTokens, ofContracts, ofStaking, ofNames, ofVersion3].flatMap(
      requestsOf => requestsOf(subjects),
    ),
  );
}
