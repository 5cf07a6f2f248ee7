/** Parts of a contract's pages: heading, tabs, functions, and the times of its calls. */
import { type AbiType, abiTypeText } from '../../../base/codec/index.ts';
import type * as Api from '../../routes/records.ts';
import type { ApiClient } from '../client.ts';
import { counted, grouped } from '../format/amounts.ts';
import { fullId, pathTo, query, shortened, shortPrincipal } from '../format/links.ts';
import { time } from '../format/times.ts';
import { type Html, html } from '../html.ts';
import { type Column, dataTable, heading, tabs } from './lists.ts';

/** The heading of every page about a contract. */
export const contractHead = (id: string): Html =>
  heading('Contract', html`<bdi>${shortPrincipal(id)}</bdi>`, fullId(id));

const TABS = [
  ['overview', 'Overview'],
  ['source', 'Source'],
  ['calls', 'Calls'],
  ['events', 'Events'],
  ['account', 'Account'],
] as const;

/** Its parts, one of them open. */
export const contractTabs = (id: string, current: (typeof TABS)[number][0]): Html =>
  tabs(
    'Parts of the contract',
    TABS.map(([part, text]) => ({
      text,
      path: pathTo('contract', id, ...(part === 'overview' ? [] : [part])),
      isCurrent: part === current,
    })),
  );

/** Functions that a standard of tokens requires. */
const STANDARDS: readonly (readonly [standard: string, functions: readonly string[]])[] = [
  [
    'SIP-010 (fungible token)',
    ['transfer', 'get-name', 'get-symbol', 'get-decimals', 'get-balance', 'get-total-supply', 'get-token-uri'],
  ],
  ['SIP-009 (NFT)', ['transfer', 'get-last-token-id', 'get-token-uri', 'get-owner']],
  ['SIP-013 (semi-fungible token)', ['transfer', 'get-overall-balance', 'get-overall-supply', 'get-token-uri']],
];

/** The standards of which a contract has all functions; their types are not compared. */
export function standardsOf(functions: readonly ContractFunction[]): readonly string[] {
  const names = new Set(functions.map(({ name }) => name));
  return STANDARDS.filter(([, required]) => required.every(name => names.has(name))).map(([standard]) => standard);
}

/** A function from the interface of its contract, with types in Clarity's notation. */
export interface ContractFunction {
  readonly name: string;
  readonly access: 'public' | 'read_only';
  readonly args: readonly FunctionArgument[];
  readonly returns: string;
}

interface FunctionArgument {
  readonly name: string;
  readonly type: string;
  /** Undefined if the type in the interface is not a type of Clarity. */
  readonly abi: AbiType | undefined;
}

/** The columns for the parameters and results of functions. */
export const SIGNATURE_COLUMNS = [
  {
    head: 'Arguments',
    cell: ({ args }) => args.map(arg => html`<div><bdi>${arg.name}</bdi> <small>${arg.type}</small></div>`),
  },
  { head: 'Returns', cell: ({ returns }) => html`<small>${returns}</small>` },
] as const satisfies readonly Column<ContractFunction>[];

const LONGEST_TYPE = 200;

/**
 * The functions that others can call, public ones first; empty for an unknown interface. @param abi JSON text of a node
 */
export function functionsOf(abi: string | null | undefined): readonly ContractFunction[] {
  const functions = listNamed(parsed(abi), 'functions').flatMap(functionOf);
  return functions.sort((a, b) => Number(a.access === 'read_only') - Number(b.access === 'read_only'));
}

/** A function with the contract that declares it. */
export interface DeclaredFunction extends ContractFunction {
  readonly contract: string;
}

/** The functions of a contract; empty without the contract. */
export async function fetchFunctions(api: ApiClient, contract: string): Promise<readonly DeclaredFunction[]> {
  const found = await api.find<Api.SmartContract>(`/extended/v3/smart-contracts/${pathTo(contract)}?include=abi`);
  return functionsOf(found?.abi).map(one => ({ ...one, contract }));
}

function parsed(abi: string | null | undefined): unknown {
  if (!abi) return undefined;
  try {
    return JSON.parse(abi);
  } catch {
    return undefined;
  }
}

function functionOf(one: unknown): ContractFunction[] {
  const { name, access, outputs } = recordOf(one);
  if (typeof name !== 'string' || (access !== 'public' && access !== 'read_only')) return [];
  const args = listNamed(one, 'args').map(arg => {
    const { name: argName, type } = recordOf(arg);
    return { name: String(argName), type: typeText(type), abi: isType(type) ? type : undefined };
  });
  return [{ name, access, args, returns: typeText(recordOf(outputs).type) }];
}

const recordOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};

const listNamed = (value: unknown, name: string): readonly unknown[] => {
  const members = recordOf(value)[name];
  return Array.isArray(members) ? members : [];
};

const isType = (type: unknown): type is AbiType => abiTypeText(type) !== undefined;

const typeText = (type: unknown): string => shortened(abiTypeText(type) ?? 'unknown', LONGEST_TYPE);

/**
 * When a contract was called lately, by weekday and hour, and for which functions. @param of fetched with buckets of an
 * hour
 */
export function activityChart(id: string, of: Api.ContractActivity): Html {
  const { from, to, total, functions } = of;
  if (!from || !to) return html`<p class="none">No transaction has called it.</p>`;
  const counts = functions.reduce((sum, { calls }) => sum + calls, 0);
  const which =
    counts === total ? `All ${counted(total, 'call')}` : `The newest ${grouped(counts)} of ${counted(total, 'call')}`;
  return html`<p>${which}, from ${time(from.time)} to ${time(to.time)}:</p>
${heatmap(of)}
${dataTable<Api.ContractActivity['functions'][number]>(
  'Calls by function',
  [
    {
      head: 'Function',
      cell: ({ function_name: name }) =>
        html`<a href="${pathTo('contract', id, 'calls')}${query({ function: name })}"><bdi>${shortened(name, 60)}</bdi></a>`,
    },
    { head: 'Calls', numeric: true, cell: ({ calls }) => grouped(calls) },
    {
      head: 'Failed',
      numeric: true,
      cell: ({ calls, failures }) => `${grouped(failures)} (${percent(failures, calls)})`,
    },
    { head: 'Callers', numeric: true, cell: ({ callers }) => grouped(callers) },
  ],
  functions.slice(0, MOST_FUNCTIONS),
  '',
)}${functions.length > MOST_FUNCTIONS && html`<p class="dim">And ${counted(functions.length - MOST_FUNCTIONS, 'function')} that were called less.</p>`}`;
}

const MOST_FUNCTIONS = 20;

const percent = (part: number, whole: number): string => `${Math.round((100 * part) / whole)} %`;

const DAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
const HOURS = Array.from({ length: 24 }, (_, hour) => hour);
/** One in six of these hours has a visible label; the other labels are for screen readers only. */
const NAMED = 6;
/** Shades of cells with calls. */
const SHADES = 4;

/** A table whose cells are shaded by their number. The numbers are present too, for readers who cannot see shades. */
function heatmap({ buckets }: Api.ContractActivity): Html {
  const calls = new Map<string, number>();
  for (const bucket of buckets) {
    const at = new Date(bucket.start * 1000);
    const key = `${(at.getUTCDay() + 6) % 7} ${at.getUTCHours()}`;
    calls.set(key, (calls.get(key) ?? 0) + bucket.calls);
  }
  const most = Math.max(...calls.values());
  const cell = (day: number, hour: number): Html => {
    const count = calls.get(`${day} ${hour}`) ?? 0;
    const shade = Math.ceil((SHADES * count) / most);
    return html`<td class="h${shade}" title="${DAYS[day]}, ${hour}:00 UTC: ${counted(count, 'call')}"><span class="unseen">${count}</span></td>`;
  };
  return html`<table class="heat"><caption>Calls by weekday and hour, UTC</caption>
<thead><tr><th scope="col">UTC</th>${HOURS.map(
    hour =>
      html`<th scope="col">${hour % NAMED === 0 ? html`<span class="hour">${hour}</span>` : html`<span class="unseen">${hour}</span>`}</th>`,
  )}</tr></thead>
<tbody>${DAYS.map(
    (
      name,
      day,
    ) => html`<tr><th scope="row"><abbr title="${name}">${name.slice(0, 3)}</abbr></th>${HOURS.map(hour => cell(day, hour))}</tr>
`,
  )}</tbody></table>`;
}
