import type { Page } from '../page.ts';
import { addressPage } from './address.ts';
import { blockPage } from './block.ts';
import { blocksPage } from './blocks.ts';
import { burnBlockPage } from './burn-block.ts';
import { homePage } from './home.ts';
import { searchPage } from './search.ts';
import { transactionPage } from './transaction.ts';

/** Every page by its path below `/explorer`. */
export const PAGES: readonly (readonly [path: string, page: Page])[] = [
  ['', homePage],
  ['/blocks', blocksPage],
  ['/block/:block', blockPage],
  ['/btc/:block', burnBlockPage],
  ['/tx/:id', transactionPage],
  ['/address/:principal', addressPage],
  ['/search', searchPage],
];
