/** Ids without their middle, as pages show them: `0x350063…c8c2dc`, `ST2P5B…HNG6TD.vault`. */
import type * as Api from '../../routes/records.ts';
import type { ApiClient } from '../client.ts';
import { pathTo } from '../format/links.ts';
import { absent, byBeginning, type Findings, nothing, principalFound } from './findings.ts';

interface ShortForm {
  readonly text: string;
  readonly begin: string;
  readonly end: string;
  /** The name of a contract after the address. */
  readonly contractName: string | undefined;
}

const HASH = /^(0x[0-9a-f]+)(?:…|\.{2,3})([0-9a-f]+)$/i;
const ADDRESS = /^(S[0-9A-Z]+)(?:…|\.{2,3})([0-9A-Z]+)(?:\.([a-z][\w-]*))?$/i;

/** Fewest characters of an address for a search. */
const LEAST_OF_ADDRESS = 6;

/** The parts of a shortened id; undefined for any other text. */
export function readShortForm(text: string): ShortForm | undefined {
  const [, begin, end, contractName] = HASH.exec(text) ?? ADDRESS.exec(text) ?? [];
  return begin === undefined || end === undefined ? undefined : { text, begin, end, contractName };
}

/** Entities whose id begins and ends like this. */
export async function byShortForm(api: ApiClient, { text, begin, end, contractName }: ShortForm): Promise<Findings> {
  if (begin.startsWith('0x')) {
    const isLongEnough = /^0x[0-9a-f]{6,}$/i.test(begin) && end.length >= 4 && end.length % 2 === 0;
    return isLongEnough
      ? byBeginning(api, text, 'No hash in this index begins and ends like this.')
      : nothing('Of a shortened hash, the search needs the first 6 digits or more, and the last 4 or 6.');
  }
  if (begin.length < LEAST_OF_ADDRESS)
    return nothing(`Of a shortened address, the search needs the first ${LEAST_OF_ADDRESS} characters or more.`);
  const { found } = await byBeginning(api, begin.toUpperCase(), '', 'address');
  const addresses = found.map(({ name }) => name).filter(name => name.endsWith(end.toUpperCase()));
  const understood = 'No address with transactions begins and ends like this.';
  if (contractName === undefined) return { found: addresses.map(address => principalFound(address)), understood };
  const contracts = await Promise.all(
    addresses.map(async address => {
      const id = `${address}.${contractName}`;
      return (await api.find<Api.SmartContract>(`/extended/v3/smart-contracts/${pathTo(id)}`).catch(absent))
        ? [principalFound(id)]
        : [];
    }),
  );
  return { found: contracts.flat(), understood };
}
