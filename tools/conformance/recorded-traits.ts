import { complies } from '../../test/model/responses/contracts.ts';
import type { Json, Recorded } from '../../test/support/recording.ts';

/**
 * Recorded responses of getContractsByTraitV1, which compared interfaces as JSON: a trait did not find what implements it with shorter
 * texts or without errors. They are compared with the recorded contracts that implement it by the rule of the chain, as the model has it.
 */

interface Contract {
  readonly [key: string]: Json;
  readonly contract_id: string;
  readonly canonical: boolean;
  readonly block_height: number;
  readonly abi: string | null;
}

const BY_TRAIT = /^\/extended\/v1\/contract\/by_trait\?/;
const BY_ID = /^\/extended\/v1\/contract\/[^/?]+$/;

/** The responses, with those corrected that found other contracts. */
export function withImplementations<A extends Recorded>(responses: readonly A[]): { responses: A[]; changed: number } {
  const contracts = recordedContracts(responses);
  let changed = 0;
  const corrected = responses.map(response => {
    const page =
      BY_TRAIT.test(response.path) && response.status !== 400 ? implementations(contracts, response.path) : undefined;
    if (page === undefined) return response;
    const before = idsOf((response.body as { readonly results?: readonly Contract[] }).results ?? []);
    const isSame = before.length === page.results.length && before.every(id => idsOf(page.results).includes(id));
    if (isSame || (page.results.length === 0 && response.status === 404)) return response;
    changed++;
    return { ...response, status: 200, body: page as unknown as Json };
  });
  return { responses: corrected, changed };
}

const idsOf = (contracts: readonly Contract[]): string[] => contracts.map(({ contract_id }) => contract_id);

/** Undefined for a trait that cannot be read, or that every contract has. */
function implementations(contracts: readonly Contract[], path: string) {
  const query = new URL(path, 'http://localhost').searchParams;
  const wanted = functionsOf(query.get('trait_abi'));
  if (wanted.length === 0) return undefined;
  const found = contracts.filter(({ abi }) =>
    wanted.every(fn => functionsOf(abi).some(own => complies(own, fn as { args: Json[] }))),
  );
  const [limit, offset] = [Number(query.get('limit') ?? 0) || 20, Number(query.get('offset') ?? 0)];
  return { limit, offset, results: found.slice(offset, offset + limit) };
}

function functionsOf(text: string | null): readonly Json[] {
  try {
    return (JSON.parse(text ?? '') as { functions?: Json[] }).functions ?? [];
  } catch {
    return [];
  }
}

/** Every canonical contract that the recording shows, newest first. */
function recordedContracts(responses: readonly Recorded[]): Contract[] {
  const shown = responses
    .filter(({ path, status }) => status === 200 && (BY_TRAIT.test(path) || BY_ID.test(path)))
    .flatMap(({ body }) => (body as { results?: Contract[] }).results ?? [body as unknown as Contract]);
  const byId = new Map(shown.filter(({ canonical }) => canonical).map(contract => [contract.contract_id, contract]));
  return [...byId.values()].sort((a, b) => b.block_height - a.block_height);
}
