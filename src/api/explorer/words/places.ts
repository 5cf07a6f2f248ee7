/** Lists of the explorer with their search words: the navigation shows some, and the search finds all. */
import { plainWords } from './help.ts';

interface Place {
  readonly title: string;
  /** Below `/explorer/`. */
  readonly path: string;
  /** Further words for it; without case, blanks, `-` and `_`. */
  readonly also: readonly string[];
}

/** In the order of the navigation. */
export const SECTIONS: readonly Place[] = [
  { title: 'Blocks', path: 'blocks', also: ['block', 'newest blocks', 'latest blocks'] },
  {
    title: 'Bitcoin blocks',
    path: 'btc',
    also: ['bitcoin', 'bitcoin block', 'btc', 'burn blocks', 'anchor blocks', 'miners'],
  },
  { title: 'Mempool', path: 'mempool', also: ['pending', 'pending transactions', 'unconfirmed', 'waiting'] },
  { title: 'Tokens', path: 'tokens', also: ['token', 'fungible tokens', 'ft', 'coins', 'SIP-010'] },
  { title: 'Names', path: 'names', also: ['name', 'BNS', 'domains', 'namespaces'] },
  {
    title: 'Stacking',
    path: 'stacking',
    also: [
      'stack',
      'staking',
      'PoX',
      'cycle',
      'cycles',
      'next cycle',
      'reward cycle',
      'reward cycles',
      'signers',
      'bonds',
    ],
  },
  { title: 'Forks', path: 'forks', also: ['fork', 'orphans', 'orphaned blocks', 'reorg', 'reorgs'] },
  { title: 'Status', path: 'status', also: ['server status', 'health', 'sync', 'version'] },
];

const FURTHER: readonly Place[] = [
  { title: 'Fees now', path: 'mempool', also: ['fee', 'fees', 'gas', 'transaction fee', 'fee rate', 'fee rates'] },
  { title: 'NFT collections', path: 'nfts', also: ['NFT', 'collections', 'non-fungible tokens', 'SIP-009'] },
  { title: 'Help', path: 'help', also: ['FAQ', 'glossary', 'terms', 'errors'] },
  { title: 'The chain now', path: '../explorer', also: ['home', 'overview', 'start'] },
];

const BY_WORDS: readonly (readonly [words: string, place: Place])[] = [...SECTIONS, ...FURTHER].flatMap(place =>
  [place.title, ...place.also].map(words => [plainWords(words), place] as const),
);

/** Fewest letters of a beginning that matches a longer word. */
const LEAST_TYPED = 3;

/** The lists that a text names. @param isTyping the text may be the beginning of the word */
export function placesFor(text: string, isTyping: boolean): readonly Pick<Place, 'title' | 'path'>[] {
  const typed = plainWords(text);
  const isMeant = (words: string): boolean =>
    words === typed || (isTyping && typed.length >= LEAST_TYPED && words.startsWith(typed));
  return [...new Set(BY_WORDS.filter(([words]) => isMeant(words)).map(([, place]) => place))];
}
