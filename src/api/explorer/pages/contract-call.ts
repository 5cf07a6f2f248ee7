import { toHex } from '../../../base/lib/hex.ts';
import { ApiError } from '../../http/errors.ts';
import type * as Api from '../../routes/records.ts';
import type { ApiClient } from '../client.ts';
import { pathTo } from '../format/links.ts';
import { type Html, html } from '../html.ts';
import type { PageRenderer, PageRequest } from '../page.ts';
import { clarityTree } from '../parts/clarity.ts';
import { type ContractFunction, contractHead, contractTabs, functionsOf } from '../parts/contract.ts';
import { facts, section } from '../parts/lists.ts';
import { encodeArgument } from '../parts/typed-argument.ts';

/** The node's response to a read-only call. */
interface Called {
  readonly okay: boolean;
  readonly result?: string;
  readonly cause?: string;
}

/** Most arguments, and their longest text, for a call that a person types. */
const MOST_ARGUMENTS = 16;
const LONGEST_ARGUMENT = 16_384;

/**
 * A read-only function of a contract as a form: the node runs the call. Nothing is signed or sent. The form works
 * without scripts, and its fields are in the URL.
 */
export const contractCallPage: PageRenderer = async (api, request) => {
  const { id = '', function: name = '' } = request.params;
  const contract = await api.get<Api.SmartContract>(`/extended/v3/smart-contracts/${pathTo(id)}?include=abi`);
  const called = functionsOf(contract.abi).find(each => each.name === name && each.access === 'read_only');
  if (!called) throw new ApiError(404, `${id} has no read-only function ${name}`);
  const isAsked = request.query.ask !== undefined;
  const hasNode = await isNodeThere(api);
  const result = isAsked && hasNode ? await resultOf(api, id, called, request.query) : undefined;
  const body = html`${contractHead(id)}${contractTabs(id, 'overview')}
<h2><bdi>${name}</bdi></h2>
${hasNode ? callForm(id, called, request.query) : withoutNode(called)}
${result && html`<div class="card" role="status">${result}</div>`}`;
  return { title: `${name} · ${id.split('.')[1]}`, body };
};

/** Whether this server has a node that responds, and so can run the call. */
async function isNodeThere(api: ApiClient): Promise<boolean> {
  try {
    return (await api.find('/v2/info')) !== undefined;
  } catch (error) {
    if (error instanceof ApiError) return false;
    throw error;
  }
}

const callForm = (id: string, called: ContractFunction, asked: PageRequest['query']): Html =>
  html`<p>A read-only function: the node computes its result as of now. Nothing is signed, sent or paid.</p>
<form class="call" action="${pathTo('contract', id, 'call', called.name)}">
${called.args.map((argument, i) => field(argument, i, asked))}
<p><button name="ask" value="1">Call</button> <small>returns ${called.returns}</small></p>
</form>`;

/** Without a node there is no form: shows only the parameters and the result type of the function. */
const withoutNode = ({ args, returns }: ContractFunction): Html =>
  html`<p>A read-only function. No node answers this server, so the function cannot be called from here.</p>
${facts([
  ...args.map(({ name, type }) => [`Argument ${name}`, html`<code>${type}</code>`] as const),
  ['Returns', html`<code>${returns}</code>`],
])}`;

const HINTS: readonly (readonly [begins: RegExp, hint: string])[] = [
  [/^\(optional/, 'empty for none'],
  [/^u?int/, 'digits'],
  [/^bool/, 'true or false'],
  [/^(principal|trait)/, 'an address or a contract'],
  [/^\(buff/, 'hex that begins with 0x'],
  [/^\(string/, 'a text'],
  [/^\(list/, '(list 1 2)'],
  [/^\(tuple/, '{name: value, …}'],
];

function field({ name, type }: ContractFunction['args'][number], i: number, query: PageRequest['query']): Html {
  const hint = HINTS.find(([begins]) => begins.test(type))?.[1];
  return html`<p><label for="a${i}"><bdi>${name}</bdi> <small>${type}</small></label>
<input id="a${i}" name="a${i}" value="${query[`a${i}`]}" maxlength="${LONGEST_ARGUMENT}" autocomplete="off" spellcheck="false" placeholder="${hint}"></p>`;
}

/** The result of the call from the node, or the reason why no call was made. */
async function resultOf(
  api: ApiClient,
  id: string,
  { name, args }: ContractFunction,
  query: PageRequest['query'],
): Promise<Html> {
  if (args.length > MOST_ARGUMENTS) return html`<p>It takes too many arguments for this form.</p>`;
  const encoded: string[] = [];
  for (const [i, argument] of args.entries()) {
    const typed = query[`a${i}`] ?? '';
    const value = argument.abi && typed.length <= LONGEST_ARGUMENT ? encodeArgument(typed, argument.abi) : undefined;
    if (!value) return html`<p class="out"><bdi>${argument.name}</bdi> cannot be typed here.</p>`;
    if (!value.ok) return html`<p class="out"><bdi>${argument.name}</bdi> ${value.error}.</p>`;
    encoded.push(toHex(value.value));
  }
  const [address = '', contract = ''] = id.split('.');
  const path = `/v2/contracts/call-read/${pathTo(address, contract, name)}`;
  try {
    const called = await api.post<Called>(path, { sender: address, arguments: encoded });
    if (!called) return html`<p>The node of this server does not respond now.</p>`;
    return section('Result', called.okay ? valueTree(called.result ?? '') : refusal(called.cause));
  } catch (error) {
    if (error instanceof ApiError) return html`<p>The node did not respond: ${error.message}.</p>`;
    throw error;
  }
}

/** The result as a tree; a result that is no Clarity value is shown unchanged, as a node may send anything. */
const valueTree = (result: string): Html => clarityTree({ hex: result, repr: result });

const refusal = (cause = ''): Html => html`<p>The contract returned no value:</p><pre>${cause.slice(0, 2000)}</pre>`;
