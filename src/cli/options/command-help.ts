import type { CommandName } from './option-spec.ts';

/** The help of a command besides its options. */
export interface CommandSpec {
  /** Operands, as the usage line shows them. */
  readonly operands?:
    | '[FILE]'
    | '[repair] [ARCHIVE...]'
    | '[ARCHIVE...]'
    | '<create|restore|publish> <FILE|URL> [TARGET]'
    | '[drop]'
    | '<ARCHIVE>'
    | '[add|remove|resume] [URL|ID]';
  /** One line for the list of commands. */
  readonly summary: string;
  readonly description: string;
  readonly examples: readonly string[];
  readonly exitStatus: string;
}

export const COMMANDS: Readonly<Record<CommandName, CommandSpec>> = {
  serve: {
    summary: 'Take events from a Stacks node and serve the API',
    description: `Takes events from a Stacks node and serves the API. To connect a node, add this to its configuration and start it:

  [[events_observer]]
  endpoint = "127.0.0.1:3700"
  events_keys = ["*"]
  timeout_ms = 60000

With --replay it loads event archives (files or URLs) while it serves. Events of the node are stored at once, and join the journal after the last row of the
archives. After a restart with the same option the load goes on; when it is complete, the option does nothing. docs/mainnet.md has the details.

With --repair-gaps and --node it rebuilds missing blocks of epoch 3 and later from the RPC of a node, once they have been missing for --repair-delay.

With --follow it also reads new events from the PostgreSQL database of the hosted API's software or of the event publisher, once a second. Then no node
needs to post events.`,
    examples: [
      'stacks-index serve --data ./mainnet',
      'stacks-index serve --data ./mainnet --replay https://archive.example/mainnet-latest.zst',
      'stacks-index serve --data ./mainnet --workers 4 --metrics-port 9153',
      'stacks-index serve --follow postgres://user:password@host:5432/name --event-port 0 --data ./mainnet',
      'stacks-index serve --mode readonly --database postgres://user:password@host/stacks --event-port 0',
    ],
    exitStatus: '0 after SIGINT or SIGTERM, 1 on failure, 2 on wrong usage.',
  },
  replay: {
    operands: '[ARCHIVE...]',
    summary:
      'Load event archives (.tsv, .gz, .zst; files, URLs or - for standard input) into the journal and the index',
    description: `Loads event archives (.tsv, .gz, .zst) into the journal and the index, and names each line that it cannot read. An archive is a
file, an http:// or https:// URL, or - for standard input. A file without an event is refused, and so is one of another network than the index or
--chain-id. Without the option an empty index takes the network of the first block. You can stop it and run it again: it continues where it stopped.

An archive at a URL is read as a stream and never stored on the disk. When the connection breaks, replay requests the rest. After a restart it reads the
archive from its start, also a newer one, and skips what is stored; a .zst file of several frames from a frame on, if it is the same file. If the publisher has a checksum beside the archive (the same URL and .sha256), replay compares
it at the end. After a wrong checksum or a damaged archive replay marks the index; serve and verify report the mark until a whole read is right.

Standard input may also be a dump of PostgreSQL as text, which pg_restore makes of a published dump.

With --from instead of archives it reads the events that the hosted API's software or the event publisher keeps in its PostgreSQL database (the table
event_observer_requests or messages). It only reads there, so the other software can keep running.`,
    examples: [
      'stacks-index replay mainnet-events.tsv.gz --data ./mainnet',
      'stacks-index replay https://archive.example/mainnet-latest.zst --data ./mainnet',
      'stacks-index replay testnet.tsv.zst --data ./testnet --chain-id 0x80000000 --strict',
      'pg_restore --data-only --table=event_observer_requests --file=- DUMP | stacks-index replay - --data ./mainnet',
      'stacks-index replay --from postgres://user:password@host:5432/stacks_blockchain_api --data ./mainnet',
    ],
    exitStatus: '0 on success, 3 if lines were skipped because they could not be read, 1 on failure, 2 on wrong usage.',
  },
  verify: {
    summary: 'Check a whole index against its journal; change nothing',
    description: `Checks a whole index against its journal and itself. Reports errors and how to repair them. Changes nothing.

It can run while the index is served, and checks the state at its start. It reads everything, which takes long on a large chain.
On SQLite, the WAL of the index grows meanwhile if events arrive.`,
    examples: ['stacks-index verify --data ./mainnet'],
    exitStatus: '0 if the index is sound, 1 if it is damaged or the check failed, 2 on wrong usage.',
  },
  reindex: {
    summary: 'Rebuild the index from the journal, then replace the old index',
    description: `Builds a new index from the journal beside the current one, then replaces that: for a new version that needs it, or
after damage. You can stop it and run it again: it continues where it stopped.

Servers of this version keep running and move to the new index by themselves. Those of a release with another schema version go on with their own index, which
stays until drop-old. It needs disk space for a second index. With --chain-id it builds the index of that chain: the way out for
an index of the wrong network.

A journal without some payloads (journal drop) needs --archive: an archive of the same chain, which any tool may have written. Meanwhile the payloads take
space once more. If the archive lacks some, reindex prints their positions, and the index in use stays; run it again with another archive.`,
    examples: [
      'stacks-index reindex --data ./mainnet',
      'stacks-index reindex --data ./devnet --chain-id 0x80000000',
      'stacks-index reindex --data ./mainnet --archive https://archive.example/mainnet-latest.zst',
    ],
    exitStatus: '0 on success or when stopped, 1 on failure, 2 on wrong usage.',
  },
  'drop-old': {
    summary: 'Remove the indexes of other releases, which an upgrade leaves for the way back',
    description: `After an upgrade to a release with another schema version the index of the release before stays, so that this release can be started again. drop-old removes
it, and prints each file or schema with the bytes that it frees. Afterwards a release before would build its index anew. The journal, token metadata, webhooks and the
index of this release stay.

It can run while this release serves. It refuses while a process uses an index of another release, and before this release has an index.`,
    examples: ['stacks-index drop-old --data ./mainnet'],
    exitStatus: '0 on success, 1 on failure, 2 on wrong usage.',
  },
  'set-aside': {
    summary: 'List the events that the index left out, or apply them again',
    description: `Lists the events that the index left out because it could not apply them: position in the journal, time, path and reason,
separated by tabs. Everything else is indexed, except the blocks on top of a block that is left out.

With --retry it applies them again, as if they had arrived now. Use it after an update of this program that fixes the cause.
Stop the server first. A reindex applies them too, while the server runs.`,
    examples: ['stacks-index set-aside --data ./mainnet', 'stacks-index set-aside --data ./mainnet --retry'],
    exitStatus:
      '0 if the list was shown, or --retry applied everything; 1 if something is still set aside, or on failure; 2 on wrong usage.',
  },
  gaps: {
    operands: '[repair] [ARCHIVE...]',
    summary: 'List the blocks that were never delivered though others build on them, or take them from an archive',
    description: `Lists every block that was never delivered though others build on it: height, index block hash, how many blocks and
transactions wait for it and since when, separated by tabs.

With repair it searches archives for these blocks, all in one pass: files, http:// or https:// URLs, - for standard input, or postgres:// URLs of the
hosted API's software. It stores only what is missing, with the burn blocks, microblocks and attachments of these heights, and applies it.
A server that runs meanwhile does the storing and applying.

With repair and --node it rebuilds blocks of epoch 3 and later from the RPC of a node, and prints for each one its height, index block hash and class
(A, B, or C for one that stays missing), and for C the reason. With --rebuilt it lists the rebuilt blocks: height, index block hash, class and
fields that are not known.`,
    examples: [
      'stacks-index gaps --data ./mainnet',
      'stacks-index gaps repair other-archive.tsv.zst --data ./mainnet',
      'STACKS_INDEX_NODE_TOKEN=... stacks-index gaps repair --node http://127.0.0.1:20443 --data ./mainnet',
      'stacks-index gaps repair postgres://user:password@host:5432/stacks_blockchain_api --data ./mainnet',
    ],
    exitStatus: '0 if no block is missing, 1 if one is still missing, or on failure; 2 on wrong usage.',
  },
  export: {
    operands: '[FILE]',
    summary:
      'Write the journal to an archive (.tsv, .gz, .zst) that replay can load, or lists of the chain to Parquet, NDJSON or CSV',
    description: `Writes the journal to an archive that replay can load. With .gz or .zst at the end of
its name it is compressed.

With --list, writes lists of the chain as of a block to the directory --to, for DuckDB, Spark, Trino or a spreadsheet: each list in files of 100,000
transactions, with a manifest that has the block, the columns, and the SHA-256 of each file. Run again, it adds what the chain has got since; after a fork it
writes those files again that the fork changed. Balances are one file, which each run replaces. You can stop it and run it again: finished files stay. It
only reads, and the index may be served meanwhile. docs/past.md has the columns.`,
    examples: [
      'stacks-index export backup.tsv.zst --data ./mainnet',
      'stacks-index export --list transactions,events --to ./lists --data ./mainnet',
      'stacks-index export --list balances --format csv --at time:1767225600 --to ./year-end --data ./mainnet',
    ],
    exitStatus: '0 on success, 1 on failure or when stopped, 2 on wrong usage.',
  },
  copy: {
    summary: 'Copy everything between a directory (SQLite) and PostgreSQL, either way',
    description: `Copies journal, index and token metadata between a directory (SQLite) and PostgreSQL, either way, then compares both sides.
It only reads the source. First stop the server that takes events: what arrives after the start is not copied. You can
stop the copy and run it again: it continues where it stopped, and no other command opens the target until it is done.`,
    examples: ['stacks-index copy --from ./mainnet --to postgres://user:password@host:5432/stacks'],
    exitStatus: '0 if everything is copied and equal on both sides, table by table; 1 if not; 2 on wrong usage.',
  },
  snapshot: {
    operands: '<create|restore|publish> <FILE|URL> [TARGET]',
    summary: 'Write everything to one file while it is served, load such a file, or publish it',
    description: `Writes journal, index and token metadata (without images) to one compressed file with checksums, or loads such a file into an empty
directory or database. It prints the chain, the tip and the version of the file.

create only reads, and can run while the index is served and events arrive; from SQLite, the files *.sqlite-wal grow meanwhile. It
replaces an existing file once the new one is complete. restore checks the whole file first. You can stop it and run it again: it continues where it
stopped, and no other command opens the target until everything is loaded and compared. A file can be restored only by a version with the same
schema version as the one that made it.

restore also takes an http:// or https:// URL. It shows what the snapshot is, fetches it into a file beside --data, compares each part with its checksum as it
arrives, and removes the file at the end; run again after a stop, it requests only what is missing. It takes only what --snapshot-key has signed, or anything with
--insecure. Of a URL that ends in /latest.json it takes the snapshot that this file names, unless it is older than one that was there before.

publish checks a snapshot and copies it, and the signature beside it (FILE.minisig), to TARGET, a directory or s3://BUCKET/PREFIX; then it replaces latest.json there. It refuses
a snapshot that is older than the published one. The keys of a bucket come from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.`,
    examples: [
      'stacks-index snapshot create mainnet.snapshot --data ./mainnet',
      'stacks-index snapshot restore mainnet.snapshot --data ./other',
      'stacks-index snapshot publish mainnet.snapshot /srv/snapshots',
      'stacks-index snapshot publish mainnet.snapshot s3://bucket/mainnet/ --s3-region eu-central-1',
      'stacks-index snapshot restore https://example.com/mainnet/latest.json --data ./other --snapshot-key RWSXPhkUh8ERPPL7/GUcVIwbvj7svsMxO6CJf7MsMqWdeqSss8L5fvJz',
      'stacks-index snapshot restore mainnet.snapshot --database postgres://user:password@host/stacks',
    ],
    exitStatus: '0 on success, 1 on failure or when stopped, 2 on wrong usage.',
  },
  hooks: {
    operands: '[add|remove|resume] [URL|ID]',
    summary: 'List webhooks; add, remove or resume one',
    description: `Without an action, lists the webhooks: id, state, URL, topics, the event up to which all was confirmed, failures and the
last reason, separated by tabs. A running server applies every change within a second.

  add URL      adds a webhook for --topics; prints its id and the secret of its signatures, which is not shown again
  remove ID    removes a webhook
  resume ID    continues a parked webhook where it stopped

docs/live.md describes the bodies and how a receiver checks them.`,
    examples: [
      'stacks-index hooks --data ./mainnet',
      'stacks-index hooks add https://example.com/hook --topics block --data ./mainnet',
      'stacks-index hooks remove 0123456789abcdef --data ./mainnet',
    ],
    exitStatus: '0 on success, 1 on failure, 2 on wrong usage.',
  },
  journal: {
    operands: '[drop]',
    summary: 'Show how much of the journal there is, or drop payloads of early blocks to free their space',
    description: `Without an action, prints how many entries the journal has, how many of them have lost their payload, and the position from
which on all have theirs.

drop --below HEIGHT drops the payloads of events that arrived before the block of that height, except those that the index may read again: of the newest blocks
within --burn-fork-depth, of events that are set aside, of blocks that wait for a parent, and of block 0. Rows, digests and times stay. A reindex then needs
an archive (reindex --archive), and export is refused. Space goes back to the system in steps. Stop the server first; you can stop the drop and run it again.`,
    examples: ['stacks-index journal --data ./mainnet', 'stacks-index journal drop --below 1000000 --data ./mainnet'],
    exitStatus: '0 on success or when stopped, 1 on failure, 2 on wrong usage.',
  },
  compare: {
    summary: 'Send the same requests to this index and another server, and show what differs',
    description: `Sends the same requests to this index and another server of the same chain, and shows by route what differs. The requests are
about blocks, transactions, addresses and so on from the responses of both, at heights all over the chain that both have. The last line states what
to do next.

What differs between any two servers (pending transactions, times of receipt) is not compared. Where the other server runs the
software of the hosted API, what docs/compatibility.md lists is tolerated, and counted. While the tips differ, only responses about
settled blocks count. It only reads the index, which may be served meanwhile.

When the other server limits requests, compare waits as long as that server demands (Retry-After). --rate sends fewer requests a second. With --state
the same command continues a comparison that was stopped or killed, or that a server ended.`,
    examples: [
      'stacks-index compare --with https://api.hiro.so --data ./mainnet --samples 5 --rate 1 --state compare.state',
      'stacks-index compare --with http://127.0.0.1:3999 --data ./mainnet --routes getBlockV2,/extended/v2/addresses',
    ],
    exitStatus: '0 if nothing differs, 1 if something does, on failure or when stopped, 2 on wrong usage.',
  },
  estimate: {
    operands: '<ARCHIVE>',
    summary: 'Predict what loading an archive takes: disk space, and CPU time of this machine',
    description: `Predicts how many bytes journal and index of an archive (a file, or an http:// or https:// URL) will have, and how many CPU seconds replay
needs for it on this machine, each with a range. It reads samples, loads them into an index below the system's directory for temporary files, measures that,
and scales by bytes. Afterwards it removes that index. Other work of the machine at the same time makes the CPU time less certain.

Samples come from places all over the archive: of a text, from anywhere; of .gz and .zst, from the beginnings of members and frames, which parallel
compressors write. Where an archive has one member or frame, or a server sends only whole files, all samples come from the start, and the report names that: it
then is about an archive that goes on as it begins.`,
    examples: [
      'stacks-index estimate mainnet-events.tsv.zst',
      'stacks-index estimate https://archive.example/mainnet-latest.zst --json',
      'TMPDIR=/mnt/disk stacks-index estimate mainnet-events.tsv --places 64',
    ],
    exitStatus: '0 on success, 1 on failure or when stopped, 2 on wrong usage.',
  },
};
