import { OPTIONS, type OptionName } from './options.ts';

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
      'host',
      'port',
      'event-host',
      'event-port',
      'max-event-bytes',
      'max-event-nesting',
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
  export: {
    usage: 'export FILE',
    doc: 'Writes the journal as an archive (.tsv, .gz or .zst by its name) that another index can replay.',
    options: ['data', 'database', 'log-level'],
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
