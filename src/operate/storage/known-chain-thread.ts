import { moduleBeside } from '../../base/lib/module-beside.ts';
import { AnsweringThread } from './answering-thread.ts';
import type { ChainLook, StoredPlace } from './known-chain.ts';

/** `look`: for a witness in entries after a position. */
export interface ToKnownChain {
  readonly kind: 'look';
  readonly after: number;
}

export interface FromKnownChain {
  readonly kind: 'looked';
  readonly look: ChainLook;
}

interface ChainLooks {
  /** As `lookForChain`, one at a time. */
  look(after: number): Promise<ChainLook>;
  close(): Promise<void>;
}

/**
 * Finds the chain of the stored events in a thread: the first block may have 80 MB, and takes seconds to decompress and parse, in which
 * neither probes nor events would get a response.
 */
export function lookForChainInThread(location: StoredPlace): ChainLooks {
  const { data, database } = location;
  const hint = 'The process looks again when it starts.';
  const url = moduleBeside('known-chain-worker', import.meta.url);
  const thread = new AnsweringThread<ToKnownChain, FromKnownChain>(url, { data, database }, hint);
  return {
    look: async after => (await thread.ask('looked', { kind: 'look', after })).look,
    close: () => thread.close(),
  };
}
