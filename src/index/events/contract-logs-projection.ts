import type { BlockFacts } from '../../ingest/chain/block-facts.ts';
import type { EventFacts } from '../../ingest/chain/event-facts.ts';
import type { Projection } from '../../ingest/indexer/projection.ts';
import type { Unit } from '../../ingest/indexer/unit.ts';
import type { Workspace } from '../../ingest/indexer/workspace.ts';
import { LOGS_BY_CONTRACT } from '../contracts/tables.ts';
import { eventRecord } from '../transactions/event-record.ts';
import { firstPositionOf } from '../transactions/positions.ts';

type Log = Extract<EventFacts, { kind: 'log' }>;

/** What contracts printed, in chain order (getContractEventsById). */
export const contractLogsProjection: Projection = {
  name: 'contract_logs',
  stateTables: [],
  keptTables: [],
  lists: [LOGS_BY_CONTRACT],

  prepare(block: BlockFacts, workspace: Workspace) {
    const logs = block.txs.flatMap(({ txId, events }, at) => events.filter(isLog).map(log => ({ txId, at, log })));
    workspace.loadLists(LOGS_BY_CONTRACT, new Set(logs.map(({ log }) => log.contractId)));
    return (unit: Unit) => {
      const first = firstPositionOf(unit, workspace);
      for (const { txId, at, log } of logs) {
        const record = JSON.stringify(eventRecord(txId, log));
        workspace.append(LOGS_BY_CONTRACT, log.contractId, { tx: first + at, event_index: log.index, record });
      }
    };
  },
};

const isLog = (event: EventFacts): event is Log => event.kind === 'log';
