import type { Finding, Size } from './finding.ts';
import { falseBlocks, falseBurnBlocks, orphans, silentStrangers } from './on-events.ts';
import { costlyImages, dataUris, hostileServers, switchedProtocols, unreadImages } from './on-metadata.ts';
import { abortedDownloads, mixedRequests, pipelining, slowReaders, slowUrls, twoHosts } from './on-requests.ts';
import { endWhileDatabaseIsAway } from './on-shutdown.ts';
import type { Target } from './target.ts';

/** An attack on a running server. */
export interface ServerAttack {
  readonly name: string;
  readonly on: (target: Target, size: Size, seed: number) => Promise<Finding[]>;
  /** The server starts anew in it: who uses it meanwhile is not looked at. */
  readonly restarts?: true;
  /** Very many requests: memory must not grow with their number. */
  readonly isLong?: true;
}

/** An attack on a part of the program. */
interface PartAttack {
  readonly name: string;
  readonly alone: (size: Size, seed: number) => Promise<Finding[]>;
}

/** The attacks that got through once, and their relatives. */
export const ATTACKS: readonly (ServerAttack | PartAttack)[] = [
  { name: 'false blocks', on: falseBlocks, restarts: true },
  { name: 'burn blocks of height 0 and others that cannot be', on: falseBurnBlocks, restarts: true },
  { name: 'thousands of pipelined requests, then a hang-up', on: pipelining },
  { name: 'slow URLs', on: slowUrls },
  { name: 'slow readers', on: slowReaders },
  { name: 'aborted downloads', on: abortedDownloads, isLong: true },
  { name: 'mixed requests', on: mixedRequests, isLong: true },
  { name: 'two Host headers', on: twoHosts },
  { name: 'silent strangers on the event port', on: silentStrangers },
  { name: 'blocks whose parents nobody knows', on: orphans },
  { name: 'SIGTERM while the database is away', alone: endWhileDatabaseIsAway },
  { name: 'servers that switch protocols', alone: switchedProtocols },
  { name: 'servers that do anything', alone: hostileServers },
  { name: 'images that are costly to draw', alone: costlyImages },
  { name: 'images within documents', alone: dataUris },
  { name: 'unread images', alone: unreadImages },
];
