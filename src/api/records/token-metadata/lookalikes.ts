/** Fungible tokens whose symbol or name reads like that of another one (docs/spec/token-metadata.md#look-alikes). */
import unhomoglyph from 'unhomoglyph';
import type { MetadataSource } from '../../../metadata/source.ts';
import { type FtDirectory, type FtEntry, ftRecords } from './ft-list.ts';

/**
 * The looks of a text, with one character for all letters and digits that look alike: as it is written, and in lower
 * case. Small and capital letters have different doubles, so two texts look alike if they share one of these.
 */
export function looksOf(text: string): readonly string[] {
  const shown = text.normalize('NFKC').replace(UNSEEN, '');
  return [...new Set([shown, shown.toLowerCase()].map(written => unhomoglyph(written).toLowerCase()))].filter(Boolean);
}

/** White space, and characters that nothing shows. */
const UNSEEN = /[\s\p{Default_Ignorable_Code_Point}]/gu;

/** The looks of the symbol and of the name of a token: the two are not compared with each other. */
const keysOf = ({ token }: FtEntry): string[] => [
  ...looksOf(token?.symbol ?? '').map(look => `symbol ${look}`),
  ...looksOf(token?.name ?? '').map(look => `name ${look}`),
];

/**
 * Finds tokens that look alike. The first request after a reading of the directory computes the result for all later
 * ones.
 */
export class Lookalikes {
  readonly #directory: FtDirectory;
  readonly #metadata: MetadataSource;
  #last: { readonly entries: readonly FtEntry[]; readonly byLook: ReadonlyMap<string, readonly FtEntry[]> } | undefined;

  constructor(directory: FtDirectory, metadata: MetadataSource) {
    this.#directory = directory;
    this.#metadata = metadata;
  }

  /**
   * The tokens that look like that of a contract, itself included, in the order of deployment; undefined if the
   * contract is not a fungible token.
   */
  async of(
    contractId: string,
    { offset, limit }: { readonly offset: number; readonly limit: number },
  ): Promise<{ total: number; records: string[] } | undefined> {
    const entries = await this.#directory.entries();
    const own = entries.find(({ contract }) => contract.contractId === contractId);
    if (!own) return undefined;
    const byLook = this.#byLook(entries);
    const alike = new Set([own, ...keysOf(own).flatMap(look => byLook.get(look) ?? [])]);
    const similar = entries.filter(entry => alike.has(entry));
    return { total: similar.length, records: await ftRecords(this.#metadata, similar.slice(offset, offset + limit)) };
  }

  #byLook(entries: readonly FtEntry[]): ReadonlyMap<string, readonly FtEntry[]> {
    if (this.#last?.entries === entries) return this.#last.byLook;
    const byLook = new Map<string, FtEntry[]>();
    for (const entry of entries)
      for (const look of keysOf(entry)) {
        const alike = byLook.get(look);
        if (alike) alike.push(entry);
        else byLook.set(look, [entry]);
      }
    this.#last = { entries, byLook };
    return byLook;
  }
}
