/** A way to break the program. */
export interface Mutation {
  /** What the broken program does. */
  readonly name: string;
  readonly edits: readonly Edit[];
  /** Test files that must fail then, at least one of them. */
  readonly tests: readonly string[];
  /** What is broken shows on PostgreSQL only. */
  readonly postgres?: true;
}

export interface Edit {
  /** The declaration that is broken: a function, a constant or `Class.member`, the only one of this name in `src`. */
  readonly symbol: string;
  /** Text that it holds once; how it is laid out does not matter. */
  readonly find: string;
  readonly replace: string;
}

const property = (name: string): string => `test/properties/${name}.test.ts`;

export const MUTATIONS: readonly Mutation[] = [
  {
    name: 'undo leaves one entry too many in each list',
    edits: [
      {
        symbol: 'Workspace.#cutList',
        find: 'const length = record.previous ? rowFrom(LISTS, record.previous).length : 0;',
        replace: 'const length = (record.previous ? rowFrom(LISTS, record.previous).length : 0) + 1;',
      },
    ],
    tests: [property('undo'), property('counts')],
  },
  {
    name: 'undo cuts one entry too many from each list',
    edits: [
      {
        symbol: 'Workspace.#cutList',
        find: 'const length = record.previous ? rowFrom(LISTS, record.previous).length : 0;',
        replace: 'const length = record.previous ? Math.max(0, rowFrom(LISTS, record.previous).length - 1) : 0;',
      },
    ],
    tests: [property('undo'), property('counts')],
  },
  {
    name: 'undo skips a list',
    edits: [
      {
        symbol: 'Workspace.restore',
        find: 'if (table === LISTS) for (const record of touched) await this.#cutList(record);',
        replace: 'if (table === LISTS) for (const record of touched.slice(1)) await this.#cutList(record);',
      },
    ],
    tests: [property('undo'), property('counts')],
  },
  {
    name: 'undo does not restore a row of a state table',
    edits: [
      {
        symbol: 'Workspace.restore',
        find: 'for (const { key, previous } of touched)',
        replace: 'for (const { key, previous } of touched.slice(table === LISTS || table === LIST_COUNTERS ? 0 : 1))',
      },
    ],
    tests: [property('undo'), property('conservation')],
  },
  {
    name: 'of equally high blocks the last seen wins',
    edits: [
      {
        symbol: 'outranks',
        find: 'a.arrival < b.arrival',
        replace: 'a.arrival > b.arrival',
      },
      {
        symbol: 'SqlBlockGraph.connectedFromTheTop',
        find: 'ORDER BY height DESC, arrival ASC',
        replace: 'ORDER BY height DESC, arrival DESC',
      },
    ],
    tests: [property('delivery-order'), 'src/ingest/indexer/forks.test.ts'],
  },
  {
    name: 'of equally high blocks of known burn views the first seen wins',
    edits: [
      {
        symbol: 'replaces',
        find: 'return block.burnBlockHeight > tip.burnBlockHeight;',
        replace: 'return false;',
      },
    ],
    tests: ['src/ingest/indexer/burn-views.test.ts'],
  },
  {
    name: 'height decides before the burn chain',
    edits: [
      {
        symbol: 'chooseTip',
        find: 'if (await chainIsViable(graph, branch, candidate, rejected)) return candidate;',
        replace: 'return candidate;',
      },
    ],
    tests: [property('delivery-order')],
  },
  {
    name: 'a block of a burn block that lost extends the tip',
    edits: [
      {
        symbol: 'extensionBy',
        find: 'if (!(await SqlBurnBranch.canonical({ blocks, tips, burnBlocks }, 0).includes(burnBlockHash))) return undefined;',
        replace: '',
      },
    ],
    tests: [property('delivery-order'), 'src/ingest/indexer/burn-forks.test.ts'],
  },
  {
    name: 'a fork of Bitcoin does not move the Stacks chain',
    edits: [
      {
        symbol: 'acceptBurnBlock',
        find: 'if (changed.length > 1 || waiting.length > 0) await burnChainMoved(session, lowest, waiting);',
        replace: '',
      },
    ],
    tests: [property('delivery-order')],
  },
  {
    name: 'microblocks are not taken back before the next block',
    edits: [
      {
        symbol: 'moveTip',
        find: 'await undoMicroblocks(session, 0);',
        replace: '',
      },
    ],
    tests: [property('conservation'), property('counts')],
  },
  {
    name: 'a block is applied although its parent is missing',
    edits: [
      {
        symbol: 'SqlBlockGraph.add',
        find: '!needsParent(block.height) || parent?.connected === 1;',
        replace: 'true;',
      },
    ],
    tests: [property('delivery-order')],
  },
  {
    name: 'what waited for a block that waited itself is not connected',
    edits: [
      {
        symbol: 'SqlBlockGraph.#connectFrom',
        find: 'connected.push(toKnownBlock({ ...row, burn_view: burnView }));',
        replace: '',
      },
    ],
    tests: ['src/ingest/indexer/shuffled-blocks.test.ts', property('delivery-order')],
  },
  {
    name: 'an event is acknowledged before it is stored',
    edits: [
      {
        symbol: 'startLocked',
        find: 'await oneByOne(write);',
        replace: 'setTimeout(() => void oneByOne(write).catch(() => {}), 30);',
      },
    ],
    tests: ['test/crash/kills.test.ts'],
  },
  {
    name: 'the journal is not synced before an event is acknowledged',
    edits: [{ symbol: 'journalLocation', find: "durability: 'full',", replace: "durability: 'normal'," }],
    tests: ['test/crash/power-loss/power-loss.test.ts'],
  },
  {
    name: 'the journal position is written in a transaction of its own',
    edits: [
      {
        symbol: 'Indexer.#inTransaction',
        find: 'await writeState(tx, session.state); return session.state; });',
        replace:
          '        return session.state;\n      }).then(async state => {\n        await this.#db.write(tx => writeState(tx, state));\n        return state;\n      });',
      },
    ],
    tests: ['src/ingest/indexer/atomicity.test.ts'],
  },
  {
    name: 'transactions of blocks taken back do not wait again',
    edits: [
      {
        symbol: 'mempoolProjection',
        find: 'unitUndone: undone => returnTransactions(transaction, changes, undone),',
        replace: '',
      },
    ],
    tests: ['src/index/mempool/follow-chain.test.ts'],
  },
  {
    name: 'a block that comes twice is applied twice',
    edits: [
      {
        symbol: 'SqlBlockGraph.add',
        find: "if (known && isSamePlace(known, block)) return { kind: 'known' };",
        replace: '',
      },
    ],
    tests: [property('repeats')],
  },
  {
    name: 'the counter of a signer that a stacker leaves is not decremented',
    edits: [
      {
        symbol: 'addChoices',
        find: 'if (before) addToCount(before, -1, workspace);\n    addToCount(choice, 1, workspace);',
        replace: 'addToCount(choice, 1, workspace);',
      },
    ],
    tests: ['src/index/pox/signers.test.ts', property('counts')],
  },
  {
    name: 'burn blocks that lose keep their reward slots',
    edits: [
      {
        symbol: 'undo',
        find: 'await session.workspace.restore(top.records);',
        replace: '',
      },
    ],
    tests: [property('undo'), property('delivery-order')],
  },
  {
    name: 'the sender pays the fee that a sponsor has paid',
    edits: [
      {
        symbol: 'membersOf',
        find: 'member((transaction.sponsor ?? transaction.origin).address)',
        replace: 'member(transaction.origin.address)',
      },
    ],
    tests: [property('conservation')],
  },
  {
    name: 'an indexer remembers rows that another one has changed since',
    edits: [
      {
        symbol: 'Indexer.#inTransaction',
        find: 'if (locked.position !== this.#left) workspace.forget();',
        replace: '',
      },
    ],
    tests: ['src/operate/storage/two-indexers.test.ts'],
  },
  {
    name: 'writers number their journal entries at the same time',
    edits: [
      {
        symbol: 'Journal.#store',
        find: 'waitForOthers(tx, this.#db.engine),',
        replace: 'undefined,',
      },
    ],
    tests: ['src/ingest/journal/journal.test.ts'],
    postgres: true,
  },
  {
    name: 'a replica is read that is behind what was shown',
    edits: [
      {
        symbol: 'IndexView.#readable',
        find: 'const fit = this.#members.filter(({ sight }) => sight && sight.position >= position);',
        replace: 'const fit = this.#members.filter(({ sight }) => sight && sight.position >= 0 * position);',
      },
      {
        symbol: 'IndexView.#readIndex',
        find: "if (position < before) throw new RetryableDatabaseError('CONFLICT', 'the database is behind the state that it showed before');",
        replace: '',
      },
    ],
    tests: ['src/operate/serving/index-view.test.ts'],
  },
  {
    name: 'two writers are active at once',
    edits: [
      {
        symbol: 'electLeader',
        find: 'if (!held) return; try { await leadWhileHeld(held);',
        replace: 'try {\n      await leadWhileHeld(held ?? { lost: new Promise(() => {}), release: async () => {} });',
      },
    ],
    tests: ['src/operate/serving/election.test.ts'],
    postgres: true,
  },
  {
    name: 'a block is written as it was prepared, though rows have left the memory since',
    edits: [
      {
        symbol: 'Preparation.writesOf',
        find: 'ahead?.generation === this.#workspace.generation',
        replace: 'ahead !== undefined',
      },
    ],
    tests: ['src/ingest/indexer/preparation.test.ts'],
  },
  {
    name: 'bytes of a transaction that lost its block are forgotten with it',
    edits: [
      {
        symbol: 'keepTransactionsOffChain',
        find: 'bytes.keep(undone);',
        replace: '',
      },
    ],
    tests: ['src/index/transactions/raw.test.ts'],
  },
  {
    name: 'blocks with an earlier time than one before them are overlooked in a time range',
    edits: [
      {
        symbol: 'spansBefore',
        find: 'return joined([{ from: 0, to: first.first_tx }, ...above]);',
        replace: 'return joined([{ from: 0, to: first.first_tx }]);',
      },
    ],
    tests: ['src/api/records/transactions/list/search.test.ts'],
  },
  {
    name: 'an ETag does not change when the burn chain alone grows',
    edits: [
      {
        symbol: 'versionNow',
        find: "const { burnTip = 'none', attachments = 0 } = current;",
        replace: "const { attachments = 0 } = current; const burnTip = 'none';",
      },
    ],
    tests: ['src/api/http/caching.test.ts'],
  },
  {
    name: 'an ETag does not change when an attachment comes',
    edits: [
      {
        symbol: 'versionNow',
        find: "const { burnTip = 'none', attachments = 0 } = current;",
        replace: "const { burnTip = 'none' } = current; const attachments = 0;",
      },
    ],
    tests: ['src/api/http/caching.test.ts'],
  },
  {
    name: 'fees that a miner got are what it got in all',
    edits: [{ symbol: 'miningV3', find: 'String(total - coinbase)', replace: 'String(total)' }],
    tests: ['test/later-releases/later-releases.test.ts'],
  },
  {
    name: 'a print is found by the last of its topics',
    edits: [{ symbol: 'logFieldsOf', find: 'found > rank || ', replace: '' }],
    tests: ['src/index/transactions/log-fields.test.ts'],
  },
  {
    name: 'what is nested in a member of a print is taken for members of its own',
    edits: [
      {
        symbol: 'passBody',
        find: 'passValue(cursor, level + 1);\n      return;\n    case Prefix.list',
        replace: 'return;\n    case Prefix.list',
      },
    ],
    tests: ['src/base/codec/clarity/members.test.ts'],
  },
  {
    name: 'the mark of a load that is not proven is never cleared',
    edits: [
      {
        symbol: 'clearUnproven',
        find: 'deleteMeta(tx, UNPROVEN_ENTRY)',
        replace: "deleteMeta(tx, 'no such entry')",
      },
    ],
    tests: ['test/replay-url.test.ts'],
  },
  {
    name: 'of a run of missing blocks each one that waits counts as a gap of its own',
    edits: [{ symbol: 'missingBlocks', find: 'rootOf.get(', replace: 'new Map<string, string>().get(' }],
    tests: ['test/gaps-repair.test.ts'],
  },
  {
    name: 'a missing block is rebuilt while events that may be this block wait in the journal',
    edits: [{ symbol: 'RepairSchedule.due', find: '&& position <= indexed', replace: '' }],
    tests: ['src/operate/gaps/node/schedule.test.ts'],
  },
  {
    name: 'a sum of what is pending keeps transactions that left',
    edits: [{ symbol: 'writeSums', find: '[before, -1n],', replace: '' }],
    tests: ['src/api/records/mempool/lists.test.ts'],
  },
];
