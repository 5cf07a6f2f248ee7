import { AppError } from '../../base/lib/app-error.ts';
import type { Result } from '../../base/lib/result.ts';

/** The program was called in a wrong way. The message has the correction. */
export class UsageError extends AppError {
  override readonly name = 'UsageError';
  override readonly kind = 'usage';

  /** @param command the called command, if known */
  constructor(message: string, command?: string) {
    super(message, { hint: `Try: ${['stacks-index', command, '--help'].filter(Boolean).join(' ')}` });
  }
}

export type CommandName =
  | 'serve'
  | 'replay'
  | 'verify'
  | 'reindex'
  | 'drop-old'
  | 'set-aside'
  | 'gaps'
  | 'export'
  | 'copy'
  | 'snapshot'
  | 'compare'
  | 'hooks'
  | 'journal'
  | 'estimate';

/** Headings of the help and of docs/configuration.md, in this order. */
export const OPTION_GROUPS = [
  'Storage',
  'Processes',
  'API',
  'Events from the node',
  'Node RPC',
  'Logs and metrics',
  'Token metadata',
  'Webhooks',
  'Gaps',
  'Other options',
] as const;

export type Environment = Readonly<Record<string, string | undefined>>;

/** Parses the text of an option. The error names what is expected, such as `a number from 1 to 10`. */
export type Parse<T> = (text: string) => Result<T, string>;

interface Described {
  readonly group: (typeof OPTION_GROUPS)[number];
  readonly commands: readonly CommandName[];
  /** One line for the help. */
  readonly help: string;
}

/** An option without a value; false unless it is given. */
interface SwitchSpec extends Described {
  readonly value?: never;
}

export interface ValueSpec<T> extends Described {
  /** Name of the value in the help, in capitals. */
  readonly value: string;
  readonly parse: Parse<T>;
  readonly default?: string;
  /** Commands that require it. */
  readonly requiredBy?: readonly CommandName[];
  /** Commands that accept and ignore the option: scripts pass every command the same place and chain. */
  readonly ignoredBy?: readonly CommandName[];
  /** The value is not shown in error messages. */
  readonly secret?: true;
  readonly env?: string;
  /** Can only be set in the environment: other users of a machine can read command lines. */
  readonly environmentOnly?: true;
  /** Variables that operators may have set for other software, and a function that combines them. */
  readonly otherEnv?: { readonly names: readonly string[]; readonly read: (env: Environment) => string | undefined };
  /** Names from an earlier version, which keep working. */
  readonly formerly?: { readonly flag: string; readonly env: string };
}

export type OptionSpec = SwitchSpec | ValueSpec<unknown>;

/** The names of all environment variables that set an option. */
export const variablesOf = (spec: OptionSpec): readonly string[] =>
  spec.value === undefined ? [] : [...(spec.env ? [spec.env] : []), ...(spec.otherEnv?.names ?? [])];

type CamelCase<F extends string> = F extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : F;
type ValueOf<S> = S extends ValueSpec<infer T> ? (S extends { readonly default: string } ? T : T | undefined) : boolean;

/** The values of a table's options, by the flag in camel case; undefined for an option without a value and a default. */
export type ValuesOf<Table> = { readonly [F in keyof Table & string as CamelCase<F>]: ValueOf<Table[F]> };
