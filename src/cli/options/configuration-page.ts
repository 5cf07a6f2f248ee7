import { OPTION_GROUPS, type OptionSpec, variablesOf } from './option-spec.ts';
import { ALL_OPTIONS } from './option-table.ts';

/** The text of docs/configuration.md, made from the table of options. */
export function configurationPage(): string {
  const tables = OPTION_GROUPS.map(group => {
    const rows = ALL_OPTIONS.filter(([, spec]) => spec.group === group).map(row);
    return `## ${group}\n\n${HEAD}\n${rows.join('\n')}\n`;
  });
  return `${INTRODUCTION}\n${tables.join('\n')}\n## Earlier names\n\n${EARLIER}\n${ALL_OPTIONS.flatMap(earlierRow).join('\n')}\n`;
}

const INTRODUCTION = `<!-- Generated from src/cli/options/option-table.ts by \`npm run docs:configuration\`. -->
# Configuration

Set an option on the command line or in the environment. The command line wins over the environment, and the environment over the
default. An empty variable counts as unset. \`--data\` on the command line also wins over a database that is set in the environment.

Options follow the command: \`stacks-index serve --data ./mainnet\`. \`stacks-index COMMAND --help\` shows the options of a command. An
option that a command does not have, or a value that is out of range, ends the program with status 2 and a message that names what is
allowed.

What is posted to the event port becomes the index: keep it on loopback, or set a secret. [Operating](operations.md) explains probes,
metrics and limits, [Scaling](scaling.md) the modes and replicas.
`;

const HEAD = '| Option | Environment | Default | Commands | Description |\n|---|---|---|---|---|';

const EARLIER = 'These still work.\n\n| Earlier | Now |\n|---|---|';

function row([flag, spec]: readonly [string, OptionSpec]): string {
  const environmentOnly = spec.value !== undefined && spec.environmentOnly;
  const option = spec.value === undefined ? `\`--${flag}\`` : `\`--${flag} ${spec.value.replace('|', '\\|')}\``;
  const variables = variablesOf(spec).map(code).join(', ');
  const byDefault = spec.value === undefined || spec.default === undefined ? '' : code(spec.default);
  return `| ${environmentOnly ? '' : option} | ${variables} | ${byDefault} | ${spec.commands.join(', ')} | ${spec.help.replaceAll('|', '\\|')} |`;
}

function earlierRow([flag, spec]: readonly [string, OptionSpec]): string[] {
  if (spec.value === undefined || spec.formerly === undefined) return [];
  const { formerly, env = '' } = spec;
  return [`| \`--${formerly.flag}\`, \`${formerly.env}\` | \`--${flag}\`, \`${env}\` |`];
}

const code = (text: string): string => `\`${text}\``;
