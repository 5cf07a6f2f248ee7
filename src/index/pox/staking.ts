import { hexBytes } from '../../base/lib/hex.ts';
import { rankOf } from '../../base/lib/number-bytes.ts';
import { type PoxPrint, StakingPrint } from './prints.ts';
import type { Choice, Departure, StackingRows } from './stackers.ts';
import { POX_SIGNER_KEYS, ROLES } from './tables.ts';

/** The contract holds 96 cycles of a staker; a window beyond this cannot be one of its prints. */
const MOST_CYCLES = 96n;

/** One change that a print of PoX 5 makes to stakers and their managers (docs/spec/pox.md#stakers-of-pox-5). */
type StakingFact =
  | {
      readonly kind: 'term';
      readonly staker: string;
      /** A signer manager: a contract. */
      readonly manager: string;
      readonly amount: bigint;
      /** First cycle; `end` is exclusive. */
      readonly first: bigint;
      readonly end: bigint;
      /** Whether the STX belong to a bond: they earn with the bond, and nothing as STX. */
      readonly isInBond: boolean;
    }
  /** The staker stops staking with this cycle. */
  | { readonly kind: 'end'; readonly staker: string; readonly from: bigint }
  | { readonly kind: 'signer'; readonly manager: string; readonly key: string; readonly txId: string };

/** The facts of the prints of pox-5 among these, in order; malformed prints yield none. */
export const stakingFacts = (prints: readonly Pick<PoxPrint, 'contract' | 'txId' | 'value'>[]): StakingFact[] =>
  prints.flatMap(({ contract, txId, value }) => (contract === 'pox-5' ? (stakingFact(txId, value) ?? []) : []));

function stakingFact(txId: string, value: Uint8Array): StakingFact | undefined {
  const print = StakingPrint.read(value);
  if (!print) return undefined;
  const [first, end, cycles] = ['first-reward-cycle', 'unlock-cycle', 'num-cycles'].map(name => print.uint(name));
  switch (print.topic) {
    case 'stake':
      return term(print, first, end, false);
    case 'register-for-bond':
      return term(print, first, end, true);
    case 'stake-update':
      return term(print, end !== undefined && cycles !== undefined ? end - cycles : undefined, end, false);
    case 'update-bond-registration':
      return term(print, first, first !== undefined && cycles !== undefined ? first + cycles : undefined, true);
    case 'unstake': {
      const staker = print.principal('staker');
      return staker !== undefined && end !== undefined ? { kind: 'end', staker, from: end } : undefined;
    }
    case 'register-signer': {
      const [manager, key] = [print.principal('signer'), print.buffer('signer-key')];
      return manager !== undefined && key !== undefined ? { kind: 'signer', manager, key, txId } : undefined;
    }
    default:
      return undefined;
  }
}

function term(
  print: StakingPrint,
  first: bigint | undefined,
  end: bigint | undefined,
  isInBond: boolean,
): StakingFact | undefined {
  const [staker, manager] = [print.principal('staker'), print.principal('signer')];
  const amount = print.uint('amount-ustx');
  if (staker === undefined || manager === undefined || amount === undefined) return undefined;
  if (first === undefined || end === undefined) return undefined;
  return { kind: 'term', staker, manager, amount, first, end, isInBond };
}

/** The changes that these facts make to the stakers of each cycle, in order. */
export const choicesOfStakers = (facts: readonly StakingFact[]): (Choice | Departure)[] =>
  facts.flatMap((fact): (Choice | Departure)[] => {
    switch (fact.kind) {
      case 'term': {
        const { staker: stacker, manager: represented_by, amount, first, end } = fact;
        const in_bond = fact.isInBond ? 1 : 0;
        const chosen = {
          role: ROLES.staker,
          stacker,
          represented_by,
          rank: rankOf(amount),
          pox_address: null,
          in_bond,
        };
        return cyclesBetween(first, end).map(cycle => ({ cycle, ...chosen, changesSignerOnly: false }));
      }
      case 'end':
        return cyclesBetween(fact.from, fact.from + MOST_CYCLES).map(cycle => ({
          cycle,
          role: ROLES.staker,
          stacker: fact.staker,
          represented_by: null,
        }));
      case 'signer':
        return [];
      default:
        return fact satisfies never;
    }
  });

function cyclesBetween(first: bigint, end: bigint): number[] {
  if (first < 0n || end <= first || end - first > MOST_CYCLES || end > BigInt(Number.MAX_SAFE_INTEGER)) return [];
  return Array.from({ length: Number(end - first) }, (_, i) => Number(first) + i);
}

/** Writes the keys of signer managers from this block on. */
export async function addSignerKeys(
  facts: readonly StakingFact[],
  height: number,
  workspace: StackingRows,
): Promise<void> {
  const rows = facts.flatMap(fact =>
    fact.kind === 'signer'
      ? [{ manager: fact.manager, height, signing_key: fact.key, tx_id: hexBytes(fact.txId) }]
      : [],
  );
  await workspace.load(POX_SIGNER_KEYS, rows);
  for (const row of rows) workspace.put(POX_SIGNER_KEYS, row);
}
