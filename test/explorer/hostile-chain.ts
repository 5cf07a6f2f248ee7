/** A chain whose every free text tries to leave its place: for each payload a place where the explorer shows it. */
import {
  encodeClarityAscii,
  encodeClarityBuffer,
  encodeClarityList,
  encodeClarityTuple,
} from '../../src/base/codec/index.ts';
import { toHex } from '../../src/base/lib/hex.ts';
import { ChainBuilder } from '../support/chain-builder.ts';
import { openFreshOf } from '../support/engines.ts';
import { announced, transferOf } from '../support/pending-transactions.ts';
import { sampleDeploy, sampleFunction, sampleInterface, sampleMove, samplePrint } from '../support/sample-contracts.ts';
import { SampleMetadata } from '../support/sample-metadata.ts';
import { Names, namespaceReady, zoneFile } from '../support/sample-names.ts';
import { tokenContractInterface, uintHex } from '../support/sample-tokens.ts';
import { openTestIndex, type TestIndex } from '../support/test-index.ts';
import { accountAddress, type BuiltTx } from '../support/transaction-builder.ts';
import {
  bytes,
  filled,
  longText,
  name as shortText,
  standardPrincipal,
  u32,
  u64,
} from '../support/wire-transaction.ts';

type Payloads = readonly [string, string, string, string, string, string, string, string];

/**
 * Runs, or leaves an element, wherever it is taken for HTML, an attribute, an address, a script, a style, a comment or JSON. Each group is one chain: some
 * places show only the beginning of a text, and a memo, where the first payload is, holds 34 bytes.
 */
export const PAYLOAD_GROUPS: readonly [Payloads, ...Payloads[]] = [
  [
    '<script>globalThis.taken=1</script>',
    '"><img src=x onerror="globalThis.taken=1">',
    "'><svg onload='globalThis.taken=1'>",
    '` onmouseover=globalThis.taken=1 x=`',
    '</title></pre></code><iframe srcdoc="<script>parent.taken=1</script>">',
    'javascript:globalThis.taken=1',
    '&lt;b onclick=globalThis.taken=1&gt;',
    '\u202e</td><taken>\u200b',
  ],
  [
    '--><script>globalThis.taken=1</script><!--',
    '<!--name SP000000000000000000002Q6VF78--><taken x="taken=1">',
    ']]><script>globalThis.taken=1</script>',
    '</textarea></select></noscript><taken a="taken=1">',
    '<a href="javascript:globalThis.taken=1">x</a>',
    '<base href="//taken=1.example/">',
    '<meta http-equiv="refresh" content="0;url=data:taken=1">',
    '<form action="//x"><button autofocus onfocus=globalThis.taken=1>',
  ],
  [
    '"autofocus onfocus="globalThis.taken=1" x="',
    "' style='background:url(//x/?taken=1)' x='",
    '" formaction="javascript:globalThis.taken=1',
    '</style><script>globalThis.taken=1</script>',
    '<object data="data:text/html,<script>parent.taken=1</script>">',
    '<math><mtext><taken><style><img src=x onerror=globalThis.taken=1>',
    '<svg><use href="data:image/svg+xml,#taken=1"></svg>',
    'data:text/html,<script>globalThis.taken=1</script>',
  ],
  [
    '$' + '{globalThis.taken=1}',
    '{{constructor.constructor("globalThis.taken=1")()}}',
    '<%= globalThis.taken=1 %>',
    '\\u003cscript\\u003eglobalThis.taken=1',
    '%3Cscript%3EglobalThis.taken=1%3C/script%3E',
    '&#60;script&#62;globalThis.taken=1',
    '<ScRiPt/x>globalThis.taken=1</sCrIpT >',
    '<img/src=x/onerror=globalThis.taken=1//',
  ],
  [
    '=HYPERLINK("//x?taken=1")',
    '../../../taken=1/%2e%2e/',
    '//taken=1.example/x',
    'vbscript:taken=1',
    '?q=<taken>&taken=1#"><script>',
    '<details open ontoggle=globalThis.taken=1>',
    '<video><source onerror="globalThis.taken=1">',
    '\u2066<taken>\u2069 taken=1 \u00ad\ufeff',
  ],
];

/** An element that no page of the explorer has; payloads that are HTML make one of these. */
export const UNEXPECTED =
  'main :is(img:not([src$=".png"]), svg[onload], iframe, object, taken, script, style, base, meta, math, video, [style], [onerror], [onmouseover], [onclick], [onfocus], [ontoggle])';

export interface HostileChain {
  readonly index: TestIndex;
  /** Pages of the explorer, each with a place where payloads are shown. */
  readonly pages: readonly (readonly [place: string, path: string])[];
  close(): Promise<void>;
}

/** @param payloads a group of PAYLOAD_GROUPS */
export async function openHostileChain(payloads: Payloads = PAYLOAD_GROUPS[0]): Promise<HostileChain> {
  const fresh = await openFreshOf.sqlite();
  const index = await openTestIndex(fresh.database);
  const chain = new ChainBuilder('hostile');
  const owner = accountAddress(9);
  const all = payloads.join(' ');

  const memos = payloads.map(payload => transferWithMemo(chain, payload));
  const deployed = chain.tx(
    bytes(0x01, shortText('evil'), longText(`;; ${all}\n(print "${all}")\n${payloads.join('\n')}`)),
    {
      fields: { contract_interface: sampleInterface([sampleFunction(all.slice(0, 120), 'uint128')]) },
    },
  );
  const printed = encodeClarityTuple({
    text: encodeClarityAscii(all),
    bytes: encodeClarityBuffer(Buffer.from(all)),
    list: encodeClarityList(payloads.map(encodeClarityAscii)),
  });
  const called = leaving(
    chain.tx(bytes(0x02, 26, filled(20, 9), shortText('evil'), shortText('do-it'), u32(1), encodeClarityAscii(all))),
    samplePrint(`${owner}.evil`, toHex(printed)),
    samplePrint(`${owner}.evil`, toHex(encodeClarityAscii(all)), payloads[1]),
    // A node's message with other characters in such an identifier is refused.
    ...payloads.filter(isAscii).map((payload, i) => sampleMove(`${owner}.art::${payload}`, uintHex(i), null, owner)),
    ft(`${owner}.coin::${payloads[1]}`, owner),
    ft(`${owner}.coin::coin`, owner),
    sampleMove(`${owner}.art::text`, toHex(encodeClarityAscii(all)), null, owner),
  );
  const failed = chain.tx(bytes(0x02, 26, filled(20, 9), shortText('evil'), shortText('do-it'), u32(0)), {
    status: 'abort_by_response',
    fields: { raw_result: toHex(bytes(0x08, encodeClarityAscii(all))), vm_error: all },
  });
  const names = new Names(chain);
  const registered = names.register(`${payloads[0]}.evil`, 9);
  const plain = names.register('plain.evil', 9);
  const tokens = [
    sampleDeploy(chain, 'coin', { contractInterface: tokenContractInterface('sip-010') }),
    sampleDeploy(chain, 'art', { contractInterface: tokenContractInterface('sip-009') }),
  ];
  const launched = leaving(chain.coinbase(), namespaceReady('evil', 0));
  const block = chain.block({ txs: [launched, ...tokens, deployed, called, failed, registered, plain, ...memos] });
  const waiting = transferOf({ nonce: 5000 });
  await index.deliver(block.delivery, announced(waiting), zoneFile(block, plain, 'plain.evil', all));
  const metadata = new SampleMetadata(fresh.database);
  await metadata.token(`${owner}.coin`, '1', { name: all, symbol: payloads[1], decimals: 6, uri: all });
  await metadata.document(
    `${owner}.coin`,
    '1',
    { name: all, description: all, image: payloads[5] },
    { cachedImage: payloads[1], cachedThumbnail: payloads[5] },
  );
  await metadata.token(`${owner}.art`, '1', { uri: all });
  await metadata.document(`${owner}.art`, '1', {
    name: all,
    description: all,
    attributes: [{ trait_type: payloads[1], display_type: '', value: all }],
  });

  const id = (tx: BuiltTx) => encodeURIComponent(tx.txId);
  const search = (text: string) => `/explorer/search?suggest=1&q=${encodeURIComponent(text)}`;
  const asset = (name: string) => encodeURIComponent(`${owner}.art::${name}`);
  return {
    index,
    pages: [
      ['newest transactions, tokens and names', '/explorer'],
      ['memos in a block', '/explorer/block/1'],
      ['the memo of a transaction', `/explorer/tx/${id(memos[0] ?? called)}`],
      ['arguments, events and prints', `/explorer/tx/${id(called)}`],
      ['the error and the result of a failure', `/explorer/tx/${id(failed)}`],
      ['the history of an account', `/explorer/address/${owner}`],
      ['tokens of an account', `/explorer/address/${owner}?tab=tokens`],
      ['movements of an account', `/explorer/address/${owner}?tab=movements`],
      ['NFTs of an account', `/explorer/address/${owner}?tab=nfts`],
      ['an account in the past', `/explorer/address/${owner}?at=1`],
      ['a day that is none', `/explorer/address/${owner}?at=${encodeURIComponent(payloads[1])}`],
      ['a Bitcoin address that is none', `/explorer/bitcoin/${encodeURIComponent(payloads[1])}`],
      ['a function of any contract', `/explorer/function/${encodeURIComponent(payloads[1])}`],
      ['functions of a contract', `/explorer/contract/${owner}.evil`],
      ['the source', `/explorer/contract/${owner}.evil/source`],
      ['prints of a contract', `/explorer/contract/${owner}.evil/events`],
      ['a filter by function', `/explorer/contract/${owner}.evil/calls?function=${encodeURIComponent(all)}`],
      ['the list of tokens', '/explorer/tokens'],
      ['the metadata of a token', `/explorer/token/${owner}.coin::coin`],
      ['the name of an asset', `/explorer/token/${encodeURIComponent(`${owner}.coin::${payloads[1]}`)}`],
      ['the list of collections', '/explorer/nfts'],
      ['mints of a collection', `/explorer/nft/${asset(payloads[0])}?tab=mints`],
      ['a collection', `/explorer/nft/${asset(payloads[0])}`],
      ['the metadata of an item', `/explorer/nft/${asset(payloads[0])}?value=${uintHex(1)}`],
      ['the value of an item', `/explorer/nft/${asset('text')}?value=${toHex(encodeClarityAscii(all))}`],
      ['names', '/explorer/names'],
      ['a name', `/explorer/name/${encodeURIComponent(`${payloads[0]}.evil`)}`],
      ['a zone file', '/explorer/name/plain.evil'],
      ['names of a namespace', `/explorer/names?space=${encodeURIComponent(payloads[1])}`],
      ...payloads.map(payload => ['a search', search(payload)] as const),
      ['a path', `/explorer/${encodeURIComponent(payloads[1])}`],
      ['a block that is none', `/explorer/block/${encodeURIComponent(payloads[1])}`],
      ['a query', `/explorer/blocks?page=${encodeURIComponent(payloads[1])}`],
    ],
    close: () => fresh.cleanup(),
  };
}

const isAscii = (text: string): boolean => /^[\x20-\x7e]*$/.test(text);

const leaving = (tx: BuiltTx, ...events: BuiltTx['events']): BuiltTx => ({
  ...tx,
  events: events.map(event => ({ txid: tx.txId, committed: true, ...event })),
});

const ft = (asset: string, recipient: string) => ({
  type: 'ft_mint_event',
  ft_mint_event: { asset_identifier: asset, recipient, amount: '1000001' },
});

/** From account 9, with the beginning of a text as its memo. */
export function transferWithMemo(chain: ChainBuilder, text: string): BuiltTx {
  const memo = Buffer.alloc(34);
  memo.write(text);
  return chain.tx(bytes(0x00, standardPrincipal(26, 7), u64(5), memo), { from: 9 });
}
