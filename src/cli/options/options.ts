import type { FaucetSettings } from '../../api/faucet/settings.ts';
import type { NodeProxySettings } from '../../api/node-proxy/settings.ts';
import type { MetadataOptions } from '../../metadata/settings.ts';
import { type CommandLine, parseCommandLine } from './command-line.ts';
import { faucetOptions } from './faucet-options.ts';
import { metadataOptions } from './metadata-options.ts';
import { nodeProxyOptions } from './node-options.ts';
import { type CommandName, type Environment, UsageError, type ValueSpec } from './option-spec.ts';
import { ALL_OPTIONS, type OptionValues } from './option-table.ts';
import { replicasOf } from './serving-options.ts';

export { UsageError } from './option-spec.ts';

/** The options and operands of a command; plain data. */
export interface Options extends OptionValues {
  readonly command: CommandName;
  /** Arguments after the command that are no options, such as files. */
  readonly operands: readonly string[];
  /** Empty: the API reads the database that is written. */
  readonly readDatabases: readonly string[];
  readonly queryTimeoutMs: number;
  readonly metadata: MetadataOptions;
  /** Undefined: requests for a node are refused. */
  readonly nodeProxySettings: NodeProxySettings | undefined;
  /** Undefined without faucets. */
  readonly faucet: FaucetSettings | undefined;
}

/**
 * Reads a command line that names a command; other options come from the environment, then from the defaults.
 * @throws UsageError
 */
export function readOptions(args: readonly string[], env: Environment): Options {
  const line = parseCommandLine(args);
  if (line.kind !== 'command') throw new UsageError('no command is given');
  return optionsOf(line, env);
}

/** @throws UsageError */
export function optionsOf({ command, operands, given }: CommandLine, env: Environment): Options {
  const all = Object.fromEntries(
    ALL_OPTIONS.map(([flag, spec]) => [
      camelCase(flag),
      spec.value === undefined ? given.has(flag) : read(flag, spec, { command, given }, env),
    ]),
  ) as unknown as OptionValues; // by the table, flag by flag
  // A directory on the command line wins over a database in the environment.
  const database = given.has('data') ? undefined : all.database;
  const values = { ...all, database };
  if (command === 'serve' && values.replay && values.mode === 'readonly')
    throw new UsageError('--replay needs a process that takes events: --mode default or writeonly', 'serve');
  if (command === 'serve' && values.repairGaps) requireRepair(values);
  return {
    ...values,
    command,
    operands,
    readDatabases: replicasOf(values.readDatabase ?? [], database),
    queryTimeoutMs: values.queryTimeout,
    metadata: metadataOptions(values),
    nodeProxySettings: nodeProxyOptions(values),
    faucet: faucetOptions(values),
  };
}

/** @throws UsageError if --repair-gaps lacks options that it needs */
function requireRepair({ node, mode }: Pick<OptionValues, 'node' | 'mode'>): void {
  if (node === undefined) throw new UsageError('--repair-gaps needs --node URL', 'serve');
  if (mode === 'readonly')
    throw new UsageError('--repair-gaps needs a process that takes events: --mode default or writeonly', 'serve');
}

function read(
  flag: string,
  spec: ValueSpec<unknown>,
  { command, given }: Pick<CommandLine, 'command' | 'given'>,
  env: Environment,
): unknown {
  const source = sourceOf(flag, spec, given, env);
  if (source === undefined) return undefined;
  const parsed = spec.parse(source.text);
  if (parsed.ok) return parsed.value;
  const got = spec.secret ? '' : `; it is ${JSON.stringify(source.text)}`;
  throw new UsageError(`${source.name} must be ${parsed.error}${got}`, command);
}

/** Finds where the value of an option is set: on the command line, else in the environment, else by default. */
function sourceOf(
  flag: string,
  { env: variable, formerly, otherEnv, ...spec }: ValueSpec<unknown>,
  given: CommandLine['given'],
  env: Environment,
): { readonly name: string; readonly text: string } | undefined {
  for (const each of [flag, formerly?.flag]) {
    const text = each && given.get(each);
    if (typeof text === 'string') return { name: `--${each}`, text };
  }
  for (const name of [variable, formerly?.env]) {
    // An empty variable counts as unset: Compose and Kubernetes pass empty ones for missing values.
    const text = name && env[name];
    if (name && text) return { name, text };
  }
  const other = otherEnv?.read(env);
  if (other !== undefined) return { name: otherEnv?.names[0] ?? '', text: other };
  return spec.default === undefined ? undefined : { name: `--${flag}`, text: spec.default };
}

const camelCase = (flag: string): string => flag.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
