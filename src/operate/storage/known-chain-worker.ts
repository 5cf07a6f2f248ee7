import { answerMessages } from './answering-thread.ts';
import { lookForChain, type StoredPlace } from './known-chain.ts';
import type { FromKnownChain, ToKnownChain } from './known-chain-thread.ts';

answerMessages<StoredPlace, ToKnownChain, FromKnownChain>(location => async ({ after }) => ({
  kind: 'looked',
  look: await lookForChain(location, after),
}));
