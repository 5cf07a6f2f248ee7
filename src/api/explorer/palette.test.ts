import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const CSS = readFileSync(join(import.meta.dirname, '../../../assets/explorer/explorer.css'), 'utf8');

/** The two palettes: each token with its light and its dark colour. */
const TOKENS = new Map(
  [...CSS.matchAll(/--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)/g)].map(
    ([, name = '', light = '', dark = '']) => [name, [light, dark] as const] as const,
  ),
);

/** As WCAG 2 defines it. */
function luminance(colour: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map(at => {
    const share = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(one: string, other: string): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

test('each text has a contrast of 4.5 on each ground that it is on, edges of controls 3, in both palettes', () => {
  const texts = ['ink', 'dim', 'link', 'ok', 'bad', 'wait', 'gone', 'transfer', 'call', 'deploy', 'miner'];
  const onGrounds = ['ok', 'bad', 'wait', 'gone'].flatMap(kind =>
    [kind, 'ink', 'link', 'dim'].map(text => [text, `${kind}-ground`, 4.5] as const),
  );
  const pairs = [
    ...texts.flatMap(text => ['page', 'panel'].map(ground => [text, ground, 4.5] as const)),
    ...onGrounds,
    ...['edge', 'focus'].flatMap(line => ['page', 'panel'].map(ground => [line, ground, 3] as const)),
  ];
  for (const [text, ground, least] of pairs)
    for (const theme of [0, 1] as const) {
      const [front, back] = [TOKENS.get(text)?.[theme], TOKENS.get(ground)?.[theme]];
      assert.ok(front && back, `${text} on ${ground}`);
      assert.ok(contrast(front, back) >= least, `${text} on ${ground}: ${contrast(front, back).toFixed(2)}`);
    }
});
