import type { CommandName } from './option-spec.ts';

/** What the help of a command says besides its options. */
export interface CommandSpec {
  /** Operands, as the usage line shows them. */
  readonly operands?: '<FILE>' | '[FILE...]' | '<create|restore> <FILE>' | '[add|remove|resume] [URL|ID]';
  /** One line for the list of commands. */
  readonly summary: string;
  readonly description: string;
  readonly examples: readonly string[];
  readonly exitStatus: string;
}

export const COMMANDS: Readonly<Record<CommandName, CommandSpec>> = {
  serve: {
    summary: 'Take events from a Stacks node and serve the API',
    description: `Takes events from a Stacks node and serves the API. To connect a node, add this to its configuration and restart it:

  [[events_observer]]
  endpoint = "127.0.0.1:3700"
  events_keys = ["*"]
  timeout_ms = 60000`,
    examples: [
      'stacks-index serve --data ./mainnet',
      'stacks-index serve --data ./mainnet --workers 4 --metrics-port 9153',
      'stacks-index serve --mode readonly --database postgres://user:password@host/stacks --event-port 0',
    ],
    exitStatus: '0 after SIGINT or SIGTERM, 1 on failure, 2 on wrong usage.',
  },
  replay: {
    operands: '[FILE...]',
    summary: 'Load event archives (.tsv, .gz, .zst) into the journal and the index',
    description: `Loads event archives (.tsv, .gz, .zst) into the journal and the index, and names each line that it cannot read. You can stop
it and run it again: it continues where it stopped.

With --from in place of files it reads the events that the hosted API's software keeps in its PostgreSQL database (the table
event_observer_requests). It only reads there, and the other software can go on running.`,
    examples: [
      'stacks-index replay mainnet-events.tsv.gz --data ./mainnet',
      'stacks-index replay testnet.tsv.zst --data ./testnet --chain-id 0x80000000 --strict',
      'stacks-index replay --from postgres://user:password@host:5432/stacks_blockchain_api --data ./mainnet',
    ],
    exitStatus: '0 on success, 3 if lines were skipped because they could not be read, 1 on failure, 2 on wrong usage.',
  },
  verify: {
    summary: 'Check a whole index against its journal; change nothing',
    description: `Checks a whole index against its journal and itself, and says what is wrong and how to repair it. Changes nothing.

It can run while the index is served, and checks the state at its start. It reads everything, which takes long on a large chain.
On SQLite, the file index.sqlite-wal grows meanwhile if events arrive.`,
    examples: ['stacks-index verify --data ./mainnet'],
    exitStatus: '0 if the index is sound, 1 if something was found or the check failed, 2 on wrong usage.',
  },
  reindex: {
    summary: 'Rebuild the index from the journal, then replace the old index',
    description: `Builds a new index from the journal beside the current one, then replaces it: for a new version that needs it, or after
damage. You can stop it and run it again: it continues where it stopped.

Servers of this version and of the one before keep running and move to the new index by themselves; servers of older versions do
when you restart them. It needs disk space for a second index. --chain-id is only needed if there is no index yet.`,
    examples: ['stacks-index reindex --data ./mainnet'],
    exitStatus: '0 on success or when stopped, 1 on failure, 2 on wrong usage.',
  },
  'set-aside': {
    summary: 'List the events that the index does without, or try them again',
    description: `Lists the events that the index does without because they cannot be applied: position in the journal, time, path and reason,
separated by tabs. Everything else is indexed; a block that is missing holds back the blocks on top of it.

With --retry it applies them again, as if they came now: after an update of this program that fixes the reason. Stop the server first.
A reindex tries them again too, while the server runs.`,
    examples: ['stacks-index set-aside --data ./mainnet', 'stacks-index set-aside --data ./mainnet --retry'],
    exitStatus:
      '0 if the list was shown, or nothing is set aside after --retry; 1 if something still is, or on failure; 2 on wrong usage.',
  },
  export: {
    operands: '<FILE>',
    summary: 'Write the journal to an archive (.tsv, .gz, .zst) that replay can load',
    description:
      'Writes the journal to an archive that replay can load. With .gz or .zst at the end of\nits name it is compressed.',
    examples: ['stacks-index export backup.tsv.zst --data ./mainnet'],
    exitStatus: '0 on success, 1 on failure, 2 on wrong usage.',
  },
  copy: {
    summary: 'Copy everything between a directory (SQLite) and PostgreSQL, either way',
    description: `Copies journal, index and token metadata between a directory (SQLite) and PostgreSQL, either way, then compares both sides.
It only reads the source. Stop the server that takes events first: what arrives after the start is not copied. You can stop it and
run it again: it continues where it stopped, and no other command opens the target until it is done.`,
    examples: ['stacks-index copy --from ./mainnet --to postgres://user:password@host:5432/stacks'],
    exitStatus: '0 if everything is copied and equal on both sides, table by table; 1 if not; 2 on wrong usage.',
  },
  snapshot: {
    operands: '<create|restore> <FILE>',
    summary: 'Write everything to one file while it is served, or load such a file',
    description: `Writes journal, index and token metadata (without images) to one compressed file with checksums, or loads such a file into an empty
directory or database. It says the chain, the tip and the version that the file has.

create only reads, and can run while the index is served and events arrive; from SQLite, the files *.sqlite-wal grow meanwhile. A file that is
there is replaced once the new one is complete. restore checks the whole file first. You can stop it and run it again: it continues where it
stopped, and no other command opens the target until all is there and compared. The version of the program must need the same index as the
version that made the file.`,
    examples: [
      'stacks-index snapshot create mainnet.snapshot --data ./mainnet',
      'stacks-index snapshot restore mainnet.snapshot --data ./other',
      'stacks-index snapshot restore mainnet.snapshot --database postgres://user:password@host/stacks',
    ],
    exitStatus: '0 on success, 1 on failure or when stopped, 2 on wrong usage.',
  },
  hooks: {
    operands: '[add|remove|resume] [URL|ID]',
    summary: 'List the webhooks, add, remove or resume one',
    description: `Without an action, lists the webhooks: id, state, URL, topics, the event up to which all was confirmed, failures and the
last reason, separated by tabs. A running server takes up every change within a second.

  add URL      makes one for --topics; prints its id and the secret of its signatures, which is not shown again
  remove ID    forgets it
  resume ID    delivers to a parked one again, from where it was

How bodies look, and how a receiver checks them, is in docs/live.md.`,
    examples: [
      'stacks-index hooks --data ./mainnet',
      'stacks-index hooks add https://example.com/hook --topics block --data ./mainnet',
      'stacks-index hooks remove 0123456789abcdef --data ./mainnet',
    ],
    exitStatus: '0 on success, 1 on failure, 2 on wrong usage.',
  },
  compare: {
    summary: 'Ask this index and another server the same questions, and show what differs',
    description: `Asks this index and another server of the same chain the same questions, and shows by route what differs. The questions are
about blocks, transactions, addresses and so on that the responses of both name, at heights that both have.

What differs between any two servers (pending transactions, times of receipt) is not compared. Where the other server runs the
software of the hosted API, what docs/compatibility.md lists is tolerated, and counted. While the tips differ, only responses about the
settled past count. The index is only read: it may be served meanwhile. If the other server limits requests, use --samples 5.`,
    examples: [
      'stacks-index compare --with https://api.hiro.so --data ./mainnet --samples 5',
      'stacks-index compare --with http://127.0.0.1:3999 --data ./mainnet --routes getBlock,/extended/v2/addresses',
    ],
    exitStatus: '0 if nothing differs, 1 if something does or on failure, 2 on wrong usage.',
  },
};
