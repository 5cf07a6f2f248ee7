import { openHostileChain, PAYLOAD_GROUPS } from '../explorer/hostile-chain.ts';
import type { Finding, Size } from './finding.ts';

/** Elements, attributes and addresses that no page of the explorer has unless a text became HTML. */
const ELEMENT = /<script>|<img src=x|<svg onload|<iframe|<taken|<b onclick|<object|<math|<video|<form action="\/\/x/;
const ATTRIBUTE = /\s(on\w+|style|formaction)\s*=|'/;
const ADDRESS = /(?:href|src|action)="\s*(?:javascript|data|vbscript|\/\/)/;

/** Markup in names, descriptions, images and attributes of tokens, and wherever else a stranger writes. */
export async function markup({ name }: Size): Promise<Finding[]> {
  const groups = name === 'full' ? PAYLOAD_GROUPS : PAYLOAD_GROUPS.slice(2, 3);
  const broken = new Set<string>();
  let pages = 0;
  for (const payloads of groups) {
    const chain = await openHostileChain(payloads);
    try {
      for (const [place, path] of chain.pages) {
        const { body, status } = await chain.index.page(path);
        pages++;
        const tags = [...body.matchAll(/<[a-z][^>]*>/g)].map(([tag]) => tag);
        const isBroken = tags.some(tag => ATTRIBUTE.test(tag.replaceAll(/"[^"]*"/g, '""')) || ADDRESS.test(tag));
        if (status >= 500 || ELEMENT.test(body) || isBroken) broken.add(place);
      }
    } finally {
      await chain.close();
    }
  }
  return [
    { what: `places where a text is HTML (${[...broken].join(', ')})`, worst: broken.size, bound: 0, unit: '' },
    { what: 'whether no page was looked at', worst: pages > 0 ? 0 : 1, bound: 0, unit: '' },
  ];
}
