import { encodeClarityPrincipal, encodeClarityUint } from '../../../src/base/codec/index.ts';
import type { BuiltChain } from '../build.ts';
import type { CanonicalChain } from '../canonical.ts';
import { FT_ASSET, NFT_ASSET } from '../transactions.ts';

/** Something that happened on a chain: its events as JSON, in which the values of requests are looked for. */
export type Happening = string;

/** What happened above a height: transactions that have events, and zone files. */
export function happeningsAbove({ sent }: BuiltChain, { blocks }: CanonicalChain, height: number): Happening[] {
  const above = blocks.slice(height);
  const hashes = new Set(above.map(({ indexHash }) => indexHash));
  const zoneFiles = sent.flatMap(event =>
    event.kind === 'attachment' && hashes.has(event.block.indexHash) ? [event.delivery.body] : [],
  );
  return [
    ...above.flatMap(({ hash, indexHash, txs, microblocks }) =>
      [...txs, ...microblocks.flatMap(microblock => microblock.txs)]
        .filter(({ events }) => events.length > 0)
        .map(tx => JSON.stringify([hash, indexHash, tx]).replaceAll(FILLING, '')),
    ),
    ...zoneFiles.map(body => Buffer.from(body).toString().replaceAll(FILLING, '')),
  ];
}

/** Those of some values that a happening names; all of them where it names none, or where there is none. */
export function mentioned(values: readonly string[], happening: Happening | undefined): readonly string[] {
  if (happening === undefined) return values;
  const named = values.filter(value => formsOf(value).some(form => happening.includes(form)));
  return named.length > 0 ? named : values;
}

/** What requests below some paths are best about: happenings with such a text. */
const SUBJECTS: readonly (readonly [paths: RegExp, text: string])[] = [
  [/\/(zonefile|subdomains)/, 'attachment_index'],
  [/\/allowlist/, inHex('add-to-allowlist')],
  [/\/registrations|staking\/bonds$/, inHex('register-for-bond')],
  [/\{principal\}\/staking\/rewards/, inHex('claim-staker-rewards')],
  [/\/delegations/, inHex('delegate-stx')],
  [/\/staking/, '.pox-5'],
  [/\{pox\}|\/pox\//, '.pox-4'],
  [/\/names|^\/v1\//, '.bns'],
  [/\/ft\b/, FT_ASSET],
  [/\/nft\b/, NFT_ASSET],
];

/** The happenings that requests of a path are best about: all of them where there are no such. */
export function fitting(happenings: readonly Happening[], path: string): readonly Happening[] {
  const text = SUBJECTS.find(([paths]) => paths.test(path))?.[1] ?? '';
  const found = happenings.filter(happening => happening.includes(text));
  return found.length > 0 ? found : happenings;
}

/** In every signature and zone file, where it says nothing. */
const FILLING = '01'.repeat(20);

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}

function inHex(text: string): string {
  return hex(Buffer.from(text));
}

/** Texts of which a happening that names a value has one: itself, or bytes of it, as transactions and Clarity values have them. */
function formsOf(value: string): string[] {
  if (/^\d{1,9}$/.test(value)) return [hex(encodeClarityUint(BigInt(value)))];
  if (value.startsWith('0x')) return [value.slice(2)];
  if (/^S[0-9A-Z]+$/.test(value)) return [value, hex(encodeClarityPrincipal(value)).slice(-40)];
  if (/^S[0-9A-Z]+\.[\w-]+$/.test(value)) return [value, hex(encodeClarityPrincipal(value)).slice(2)];
  const [label = value] = value.split('.');
  return [value, inHex(label)];
}
