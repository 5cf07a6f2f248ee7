/** Functions by contract and name: `vault.deposit`, `vault::deposit`, with the address of the contract or without. */
import type { ApiClient } from '../client.ts';
import { pathTo, query, shortPrincipal } from '../format/links.ts';
import { type DeclaredFunction, fetchFunctions } from './contract.ts';
import { absent, byBeginning, MOST_SHOWN, type SearchFinding } from './findings.ts';

interface FunctionName {
  /** Empty where the text has none. */
  readonly address: string;
  readonly contract: string;
  readonly name: string;
}

const FUNCTION = /^(?:(S[0-9A-Z]{27,40})?\.)?([a-z][\w-]*)(?:\.|::)([a-z][\w\-!?+<>=/*]*)$/i;

/** The parts of the name of a function of a contract; undefined for any other text. */
export function readFunctionName(text: string): FunctionName | undefined {
  const [, address = '', contract = '', name = ''] = FUNCTION.exec(text) ?? [];
  return name === '' ? undefined : { address: address.toUpperCase(), contract, name };
}

/** Most contracts of a name whose functions a search reads: each costs a request. */
const MOST_CONTRACTS = 5;

/** The functions of exactly this name; without one, or while the reader types, those that begin with it. */
export async function functionsNamed(
  api: ApiClient,
  named: FunctionName | undefined,
  isTyping: boolean,
): Promise<readonly SearchFinding[]> {
  if (!named) return [];
  const { contract, name } = named;
  const contracts = named.address === '' ? await contractsNamed(api, contract) : [`${named.address}.${contract}`];
  const lists = await Promise.all(contracts.map(id => fetchFunctions(api, id).catch(absent)));
  const begun = lists.flatMap(list => list ?? []).filter(each => each.name.startsWith(name));
  const exact = begun.filter(each => each.name === name);
  return (exact.length > 0 && !isTyping ? exact : begun).slice(0, MOST_SHOWN).map(findingOf);
}

/** Contracts of exactly this name, the newest first. */
async function contractsNamed(api: ApiClient, name: string): Promise<readonly string[]> {
  const { found } = await byBeginning(api, name, '', 'smart_contract');
  const ids = found.map(({ path }) => decodeURIComponent(path.replace(/^contract\//, '')));
  return ids.filter(id => id.split('.')[1]?.toLowerCase() === name.toLowerCase()).slice(0, MOST_CONTRACTS);
}

const findingOf = ({ contract, name, access, args }: DeclaredFunction): SearchFinding => ({
  kind: access === 'public' ? 'Function' : 'Function, read only',
  name: `${shortPrincipal(contract)}::${name} (${args.map(arg => `${arg.name} ${arg.type}`).join(', ')})`,
  path:
    access === 'public'
      ? `${pathTo('contract', contract, 'calls')}${query({ function: name })}`
      : pathTo('contract', contract, 'call', name),
});
