import type { EventFacts } from '../../ingest/chain/event-facts.ts';
import type { Network } from '../../ingest/chain/network.ts';

/** The contracts that wallets send to many with: they print a memo after each transfer. */
const SEND_MANY: Readonly<Record<Network, string>> = {
  mainnet: 'SP3FBR2AGK5H9QBDH3EEN6DF8EK8JY7RX8QJ5SVTE.send-many-memo',
  testnet: 'ST3F1X4QGV2SM8XD96X45M6RTQXKA1PZJZZCQAB4B.send-many-memo',
};

type Print = Extract<EventFacts, { kind: 'log' }>;

/** Whether an event is the memo of the transfer before it (docs/spec/addresses.md#inbound-stx). */
export const isSendMany = (event: EventFacts | undefined, network: Network): event is Print =>
  event?.kind === 'log' && event.contractId === SEND_MANY[network];
