import { METADATA_OPTIONS } from './metadata-options.ts';
import { OPTIONS, type OptionName } from './options.ts';
import { SERVING_OPTIONS } from './serving-options.ts';

const COMMANDS: Readonly<
  Record<
    string,
    { readonly usage: string; readonly doc: string; readonly options: readonly OptionName[]; readonly more?: string }
  >
> = {
  serve: {
    usage: 'serve',
    doc: 'Takes the events of a node and answers the API.',
    options: [
      'data',
      'database',
      'chain-id',
      ...(Object.keys(SERVING_OPTIONS) as OptionName[]),
      'host',
      'port',
      'event-host',
      'event-port',
      'event-secret',
      'max-event-bytes',
      'max-event-nesting',
      'metrics-host',
      'metrics-port',
      'max-connections',
      'max-unanswered',
      'max-answer-bytes',
      ...(Object.keys(METADATA_OPTIONS) as OptionName[]),
      'log-level',
    ],
    more: `Connect a node by adding to its configuration, then restarting it:

  [[events_observer]]
  endpoint = "127.0.0.1:3700"
  events_keys = ["*"]
  timeout_ms = 60000`,
  },
  replay: {
    usage: 'replay FILE...',
    doc: 'Loads event archives (.tsv, .gz, .zst) into the journal and the index. Can be stopped and run again: it goes on where it was.',
    options: ['data', 'database', 'chain-id', 'strict', 'max-event-bytes', 'max-event-nesting', 'log-level'],
    more: 'Ends with 0; with 3 when lines were left out because they could not be read (each is named).',
  },
  verify: {
    usage: 'verify',
    doc: 'Checks a whole index against its journal and itself, and says what is wrong and how to repair it. Changes nothing.',
    options: ['data', 'database'],
    more: `Can run while the index is served; it sees the state at its start. Reads everything: on a large chain that takes long, and
on SQLite the file index.sqlite-wal grows meanwhile if events arrive.

Ends with 0 when the index is sound; with 1 when something was found, or when it could not be checked.`,
  },
  reindex: {
    usage: 'reindex',
    doc: 'Builds the index anew from the journal, beside the one in use, then puts it in its place. For a new version, or after damage.',
    options: ['data', 'database', 'chain-id', 'log-level'],
    more: `A process that serves goes on meanwhile, also one of the version before, and moves to the new index by itself; one of an
older version when it is started again. Needs room for a second index. Can be stopped and run again: it goes on where it was.
--chain-id is only needed where there is no index yet.`,
  },
  export: {
    usage: 'export FILE',
    doc: 'Writes the journal as an archive (.tsv, .gz or .zst by its name) that another index can replay.',
    options: ['data', 'database', 'log-level'],
  },
  copy: {
    usage: 'copy --from PLACE --to PLACE',
    doc: 'Moves between a directory (SQLite) and PostgreSQL, either way: journal, index and token metadata. Then compares both sides.',
    options: ['from', 'to'],
    more: `The source is only read. Stop what takes events of the node meanwhile: what comes after the beginning is not copied. Can be
stopped and run again: it goes on where it was, and nothing else opens the target until it is done.

Ends with 0 when everything is copied and found equal on both sides, table by table; else with 1.`,
  },
};

/** The help of one command, or of the program. */
export function helpText(command: string | undefined): string {
  const known = command === undefined ? undefined : COMMANDS[command];
  if (!known) {
    const list = Object.values(COMMANDS).map(({ usage, doc }) => `  stacks-index ${usage.padEnd(16)} ${doc}`);
    return `An index of the Stacks blockchain and its HTTP API.\n\n${list.join('\n')}\n\nstacks-index COMMAND --help tells the options of a command.\n`;
  }
  const options = known.options.map(name => {
    const spec: { value?: string; env?: string; standard?: string; doc: string } = OPTIONS[name];
    const notes = [spec.standard && `default ${spec.standard}`, spec.env && `env ${spec.env}`]
      .filter(Boolean)
      .join('; ');
    return `  ${`--${name} ${spec.value ?? ''}`.padEnd(28)} ${spec.doc}${notes ? ` (${notes})` : ''}`;
  });
  const more = known.more ? `\n${known.more}\n` : '';
  return `stacks-index ${known.usage}\n\n${known.doc}\n\n${options.join('\n')}\n${more}`;
}

export const isCommand = (name: string): boolean => Object.hasOwn(COMMANDS, name);
