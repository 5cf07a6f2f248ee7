import type { Workspace } from '../../ingest/indexer/workspace.ts';
import { TOKEN_HOLDERS } from './tables.ts';

/** What a block adds to the holders of a token. */
interface MoreHolders {
  readonly token: string;
  /** Principals that it names for the first time. */
  readonly holders: number;
  /** What it adds to the sum of all balances. */
  readonly supply: bigint;
}

/** Writes it. The row of the token must be loaded. */
export function addHolders({ token, holders, supply }: MoreHolders, workspace: Workspace): void {
  if (holders === 0 && supply === 0n) return;
  const before = workspace.get(TOKEN_HOLDERS, { token }) ?? { holders: 0, supply: '0' };
  workspace.put(TOKEN_HOLDERS, {
    token,
    holders: before.holders + holders,
    supply: String(BigInt(before.supply) + supply),
  });
}
