import type { BlockFacts } from '../../ingest/chain/block-facts.ts';
import type { EventFacts } from '../../ingest/chain/event-facts.ts';
import type { Projection } from '../../ingest/indexer/projection.ts';
import type { Unit } from '../../ingest/indexer/unit.ts';
import type { Workspace } from '../../ingest/indexer/workspace.ts';
import { LOGS_BY_CONTRACT } from '../contracts/tables.ts';
import { eventV1 } from '../transactions/event-v1.ts';
import { logFieldsOf, principalListName, topicListName } from '../transactions/log-fields.ts';
import { firstPositionOf } from '../transactions/positions.ts';
import { packPrint } from '../transactions/stored.ts';
import { LOGS_BY_PRINCIPAL, LOGS_BY_TOPIC, TOPICS_OF_CONTRACT } from './tables.ts';

type Log = Extract<EventFacts, { kind: 'log' }>;

const isLog = (event: EventFacts): event is Log => event.kind === 'log';

/** Prints of contracts in chain order (getContractEventsByIdV1), and by topic and principal (getSmartContractLogsV3). */
export const contractLogsProjection: Projection = {
  name: 'contract_logs',
  stateTables: [],
  keptTables: [],
  lists: [LOGS_BY_CONTRACT, LOGS_BY_TOPIC, LOGS_BY_PRINCIPAL, TOPICS_OF_CONTRACT],

  prepare(block: BlockFacts, workspace: Workspace) {
    const logs = block.txs.flatMap(({ txId, events }, at) => events.filter(isLog).map(log => listed(txId, at, log)));
    if (logs.length === 0) return undefined;
    const contracts = new Set(logs.map(({ log }) => log.contractId));
    workspace.loadLists(LOGS_BY_CONTRACT, contracts);
    workspace.loadLists(
      TOPICS_OF_CONTRACT,
      new Set(logs.flatMap(({ topic, log }) => (topic === null ? [] : log.contractId))),
    );
    workspace.loadLists(LOGS_BY_TOPIC, new Set(logs.flatMap(({ topicList }) => topicList ?? [])));
    workspace.loadLists(LOGS_BY_PRINCIPAL, new Set(logs.flatMap(({ principalLists }) => principalLists)));
    return (unit: Unit) => {
      const first = firstPositionOf(unit, workspace);
      for (const { txId, at, log, topic, topicList, principalLists } of logs) {
        const tx = first + at;
        const place = { tx, event_index: log.index };
        workspace.append(LOGS_BY_CONTRACT, log.contractId, {
          ...place,
          record: packPrint(JSON.stringify(eventV1(txId, log))),
        });
        for (const name of principalLists) workspace.append(LOGS_BY_PRINCIPAL, name, place);
        if (topic === null || topicList === null) continue;
        if (workspace.append(LOGS_BY_TOPIC, topicList, place) === 0)
          workspace.append(TOPICS_OF_CONTRACT, log.contractId, { tx, topic });
      }
    };
  },
};

/** A print, and the names of the lists that it is in. */
function listed(txId: string, at: number, log: Log) {
  const { topic, principals } = logFieldsOf(log.value);
  return {
    txId,
    at,
    log,
    topic,
    topicList: topic === null ? null : topicListName(log.contractId, topic),
    principalLists: principals.map(principal => principalListName(log.contractId, principal)),
  };
}
