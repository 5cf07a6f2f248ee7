/** Fungible tokens whose symbol or name, or whose code's names, read like those of another one (docs/spec/token-metadata.md#look-alikes). */
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

/** White space, and characters that are invisible. */
const UNSEEN = /[\s\p{Default_Ignorable_Code_Point}]/gu;

/** The texts by which tokens are compared. */
interface Keys {
  /** The looks of its symbol and of its name, which are not compared with each other; where it has neither, the name of its asset counts as both. */
  readonly shown: readonly string[];
  /** The looks of the names of its asset and its contract: two tokens of which one has neither symbol nor name are compared by them, too. */
  readonly inCode: readonly string[];
  readonly isNamed: boolean;
}

function keysOf({ token, contract: { contractId, ftAsset } }: FtEntry): Keys {
  const [symbol, name, asset] = [looksOf(token?.symbol ?? ''), looksOf(token?.name ?? ''), looksOf(ftAsset ?? '')];
  const isNamed = symbol.length + name.length > 0;
  return {
    isNamed,
    shown: [
      ...(isNamed ? symbol : asset).map(look => `symbol ${look}`),
      ...(isNamed ? name : asset).map(look => `name ${look}`),
    ],
    inCode: [
      ...asset.map(look => `asset ${look}`),
      ...looksOf(contractId.split('.')[1] ?? '').map(look => `contract ${look}`),
    ],
  };
}

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
    const { shown, inCode, isNamed } = keysOf(own);
    const found = (keys: readonly string[]) => keys.flatMap(key => byLook.get(key) ?? []);
    const inCodeAlone = found(inCode).filter(entry => !isNamed || !keysOf(entry).isNamed);
    const alike = new Set([own, ...found(shown), ...inCodeAlone]);
    const similar = entries.filter(entry => alike.has(entry));
    return { total: similar.length, records: await ftRecords(this.#metadata, similar.slice(offset, offset + limit)) };
  }

  #byLook(entries: readonly FtEntry[]): ReadonlyMap<string, readonly FtEntry[]> {
    if (this.#last?.entries === entries) return this.#last.byLook;
    const byLook = new Map<string, FtEntry[]>();
    for (const entry of entries) {
      const { shown, inCode } = keysOf(entry);
      for (const look of [...shown, ...inCode]) {
        const alike = byLook.get(look);
        if (alike) alike.push(entry);
        else byLook.set(look, [entry]);
      }
    }
    this.#last = { entries, byLook };
    return byLook;
  }
}
