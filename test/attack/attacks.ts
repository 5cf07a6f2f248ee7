import type { Finding, Size } from './finding.ts';
import { mixedDoors } from './mixed-doors.ts';
import { staleResponses } from './on-caches.ts';
import { damagedPages, readOnlyDisk } from './on-damage.ts';
import { hostileDatabases } from './on-databases.ts';
import { falseBlocks, falseBurnBlocks, orphans, silentStrangers } from './on-events.ts';
import { formulas, markup } from './on-explorer.ts';
import { longFork } from './on-forks.ts';
import { manyEvents, repeatedTransactions } from './on-large-blocks.ts';
import { costlyImages, dataUris, hostileServers, switchedProtocols, unreadImages } from './on-metadata.ts';
import { databaseRestarts, fullDisk } from './on-outages.ts';
import { halfBodies, rewrittenRequests, spelledAccounts, unfinishedBodies, unreadResponses } from './on-proxy.ts';
import { changingNames, slowReceivers, unknownPlaces } from './on-receivers.ts';
import {
  abortedDownloads,
  mixedRequests,
  pipelining,
  slowReaders,
  slowUrls,
  twoHosts,
  wholeLists,
} from './on-requests.ts';
import { endWhileDatabaseIsAway } from './on-shutdown.ts';
import { hostileSnapshots } from './on-snapshots.ts';
import { connectPackets, deafSockets } from './on-sockets.ts';
import { slowStatement } from './on-statements.ts';
import { resumingStreams } from './on-streams.ts';
import type { Target } from './target.ts';

/** An attack on a running server. */
export interface ServerAttack {
  readonly name: string;
  readonly on: (target: Target, size: Size, seed: number) => Promise<Finding[]>;
  /** The attack restarts the server, so the delays of other clients are not judged. */
  readonly restarts?: true;
  /** The attack sends very many requests: memory must not grow with their number. */
  readonly isLong?: true;
  /** Megabytes by which memory may grow during the attack, if more than usual. */
  readonly growth?: number;
}

/** The most megabytes for data that several clients hold at once. */
const HELD = 500;

/** An attack on a part of the program. */
interface PartAttack {
  readonly name: string;
  readonly alone: (size: Size, seed: number) => Promise<Finding[]>;
}

/** The attacks that once succeeded, and similar ones. */
export const ATTACKS: readonly (ServerAttack | PartAttack)[] = [
  { name: 'false blocks', on: falseBlocks, restarts: true },
  { name: 'burn blocks of height 0 and others that cannot be', on: falseBurnBlocks, restarts: true },
  { name: 'thousands of pipelined requests, then a hang-up', on: pipelining },
  { name: 'slow URLs', on: slowUrls },
  { name: 'slow readers', on: slowReaders },
  { name: 'lists to take home, all at once', on: wholeLists, growth: HELD },
  { name: 'aborted downloads', on: abortedDownloads, isLong: true },
  { name: 'mixed requests', on: mixedRequests, isLong: true },
  { name: 'two Host headers', on: twoHosts },
  { name: 'silent strangers on the event port', on: silentStrangers },
  { name: 'blocks whose parents nobody knows', on: orphans },
  { name: 'streams that resume from the beginning', on: resumingStreams, growth: HELD },
  { name: 'packets that connect', on: connectPackets, growth: HELD },
  { name: 'sockets that read nothing', on: deafSockets, growth: HELD },
  { name: 'half-sent bodies for the node', on: halfBodies, growth: HELD },
  { name: 'unread responses of the node', on: unreadResponses, growth: HELD },
  { name: 'unfinished bodies for the node', on: unfinishedBodies, growth: HELD },
  { name: 'requests that mean another one to the node', on: rewrittenRequests },
  { name: 'one account of the faucet in many spellings', on: spelledAccounts },
  { name: 'all doors at once', on: mixedDoors, growth: HELD },
  { name: 'transactions that come twice', on: repeatedTransactions, growth: HELD },
  { name: 'a transaction with 300,000 events', on: manyEvents, growth: HELD },
  { name: 'servers that are no PostgreSQL', alone: hostileDatabases },
  { name: 'snapshots that are none, and that unpack to very much', alone: hostileSnapshots },
  { name: 'a long fork while streams are open', alone: longFork },
  { name: 'a disk that is full under load', alone: fullDisk },
  { name: 'a disk that becomes read-only under load', alone: readOnlyDisk },
  { name: 'damaged pages under load', alone: damagedPages },
  { name: 'PostgreSQL restarts under load', alone: databaseRestarts },
  { name: 'one slow statement of PostgreSQL', alone: slowStatement },
  { name: 'responses that are no longer true', alone: staleResponses },
  { name: 'names that change their addresses', alone: changingNames },
  { name: 'receivers of webhooks that are slow', alone: slowReceivers },
  { name: 'webhooks that begin at an unknown event', alone: unknownPlaces },
  { name: 'markup that the explorer shows', alone: markup },
  { name: 'formulas in files for spreadsheets', alone: formulas },
  { name: 'SIGTERM while the database is away', alone: endWhileDatabaseIsAway },
  { name: 'servers that switch protocols', alone: switchedProtocols },
  { name: 'servers that do anything', alone: hostileServers },
  { name: 'images that are costly to draw', alone: costlyImages },
  { name: 'images within documents', alone: dataUris },
  { name: 'unread images', alone: unreadImages },
];
