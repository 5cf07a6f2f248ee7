import { Command, CommanderError, Option } from 'commander';
import { VERSION } from '../version.ts';
import { COMMANDS, type CommandSpec } from './command-help.ts';
import { type CommandName, OPTION_GROUPS, type OptionSpec, UsageError, variablesOf } from './option-spec.ts';
import { ALL_OPTIONS } from './option-table.ts';

/** A parsed command line, without options from the environment. */
export interface CommandLine {
  readonly kind: 'command';
  readonly command: CommandName;
  readonly operands: readonly string[];
  /** The options that were given: their text, or true for a switch. By the flag as it was written, without `--`. */
  readonly given: ReadonlyMap<string, string | true>;
}

/** A text that the user requested: help or version. */
interface Printout {
  readonly kind: 'printout';
  readonly text: string;
}

/**
 * Reads a command line.
 * @param args what follows the name of the program
 * @throws UsageError for a command, option or number of operands that does not exist
 */
export function parseCommandLine(args: readonly string[]): CommandLine | Printout {
  let line: CommandLine | undefined;
  const printed: string[] = [];
  const program = createProgram({
    onCall: called => {
      line = called;
    },
    onPrint: part => printed.push(part),
  });
  try {
    program.parse(args.length === 0 ? ['--help'] : args, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode !== 0) throw usageError(error, args);
  }
  return line ?? { kind: 'printout', text: printed.join('') };
}

interface Listener {
  readonly onCall: (line: CommandLine) => void;
  readonly onPrint: (part: string) => void;
}

function createProgram({ onCall, onPrint }: Listener): Command {
  const program = new Command('stacks-index')
    .usage('COMMAND [options]')
    .description('An index of the Stacks blockchain, and its HTTP API.')
    .version(`stacks-index ${VERSION}`, '--version', 'show the version')
    .helpOption('--help', 'show this help')
    .configureHelp({ subcommandTerm: command => `${command.name()} ${operandsOf(command.name())}`.trimEnd() })
    .configureOutput({ writeOut: onPrint, writeErr: () => undefined, getOutHelpWidth: helpWidth })
    .addHelpText('after', PROGRAM_NOTES)
    .exitOverride();
  for (const [name, spec] of Object.entries(COMMANDS)) {
    const command = addCommand(program, name, spec);
    command.action(() => onCall({ kind: 'command', command: name as CommandName, ...called(command) }));
  }
  return program;
}

/** As wide as the terminal, but at least 80 columns; 130 without a terminal. */
const helpWidth = (): number => Math.max(process.stdout.columns ?? 130, 80);

const operandsOf = (name: string): string => (COMMANDS[name as CommandName]?.operands ?? '').replace(/[<>[\]]/g, '');

/** Paragraphs without the line breaks of the source, so that they wrap at the width of the terminal; indented lines stay. */
const flowing = (text: string): string => text.replaceAll(/(?<!\n)\n(?![\n ])/g, ' ');

/** The usage after the name of a command: operands, then the required options. */
function usageOf(name: string): string {
  const required = ALL_OPTIONS.flatMap(([flag, spec]) =>
    spec.value !== undefined && isAmong(spec.requiredBy, name) ? [`--${flag} ${spec.value}`] : [],
  );
  return [operandsOf(name), ...required, '[options]'].filter(part => part !== '').join(' ');
}

function addCommand(program: Command, name: string, spec: CommandSpec): Command {
  const { operands, summary, description, examples, exitStatus } = spec;
  const command = program
    .command(name)
    .summary(summary)
    .description(flowing(description))
    .usage(usageOf(name))
    .addHelpOption(new Option('--help', 'show this help').helpGroup(`${OPTION_GROUPS.at(-1)}:`))
    .addHelpText(
      'after',
      `\nExamples:\n${examples.map(line => `  ${line}`).join('\n')}\n\nExit status: ${exitStatus}\n`,
    );
  for (const operand of operands?.split(' ') ?? []) command.argument(operand);
  for (const group of OPTION_GROUPS)
    for (const [flag, spec] of ALL_OPTIONS)
      if (spec.group === group) for (const option of optionsOf(flag, spec, name)) command.addOption(option);
  return command;
}

/** An option in a command, and its earlier name if it has one. */
function optionsOf(flag: string, spec: OptionSpec, command: string): Option[] {
  const isUsed = isAmong(spec.commands, command);
  if (!isUsed && !(spec.value !== undefined && isAmong(spec.ignoredBy, command))) return [];
  const inGroup = (option: Option) => option.helpGroup(`${spec.group}:`);
  if (spec.value === undefined) return [inGroup(new Option(`--${flag}`, spec.help))];
  if (spec.environmentOnly) return [];
  const option = inGroup(new Option(`--${flag} <${spec.value}>`, `${spec.help}${notesOf(spec)}`))
    .makeOptionMandatory(isAmong(spec.requiredBy, command))
    .conflicts(flag === 'database' ? ['data'] : [])
    .hideHelp(!isUsed);
  if (spec.formerly === undefined) return [option];
  return [option, inGroup(new Option(`--${spec.formerly.flag} <${spec.value}>`)).hideHelp()];
}

const isAmong = (commands: readonly string[] = [], name: string): boolean => commands.includes(name);

function notesOf(spec: OptionSpec): string {
  if (spec.value === undefined) return '';
  const variables = variablesOf(spec);
  const notes = [
    ...(spec.default === undefined ? [] : [`default: ${spec.default}`]),
    ...(variables.length === 0 ? [] : [`env: ${variables.join(', ')}`]),
  ];
  return notes.length === 0 ? '' : ` (${notes.join('; ')})`;
}

function called(command: Command): Pick<CommandLine, 'operands' | 'given'> {
  const given = command.options.flatMap(option => {
    const value: unknown = command.getOptionValue(option.attributeName());
    return typeof value === 'string' || value === true ? [[option.name(), value] as const] : [];
  });
  return { operands: command.args, given: new Map(given) };
}

/** Converts an error of the library to one of ours; also recognises options in the wrong place. */
function usageError({ code, message }: CommanderError, [name, operand]: readonly string[]): UsageError {
  if (code === 'commander.help') return new UsageError(`unknown command '${operand}'`);
  const command = name !== undefined && Object.hasOwn(COMMANDS, name) ? name : undefined;
  const flag = /^error: unknown option '--([\w-]+)/.exec(message)?.[1];
  const [, spec] = ALL_OPTIONS.find(([each]) => each === flag) ?? [];
  const text = spec === undefined ? message.replace(/^error: /, '') : misplaced(`--${flag}`, spec, command);
  const usage = command === undefined ? '' : `\nUsage: stacks-index ${command} ${usageOf(command)}`;
  return new UsageError(`${text}${usage}`, command);
}

function misplaced(flag: string, spec: OptionSpec, command: string | undefined): string {
  if (spec.value !== undefined && spec.environmentOnly)
    return `${flag} can only be set in the environment, as ${spec.env}`;
  if (command === undefined)
    return `${flag} must follow the command, such as: stacks-index ${spec.commands[0]} ${flag}`;
  return `${command} has no option ${flag}; it is an option of ${spec.commands.join(', ')}`;
}

const PROGRAM_NOTES = `
Options follow the command. Most can also be set in the environment; the command line wins.
\`stacks-index COMMAND --help\` shows the options of a command with their defaults and variables.

Examples:
  stacks-index serve --data ./mainnet
  stacks-index replay mainnet-events.tsv.gz --data ./mainnet
  stacks-index verify --data ./mainnet

Exit status: 0 on success, 1 on failure or findings, 2 on wrong usage, 3 if replay skipped lines.
`;
