import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openFreshOf } from '../../../test/support/engines.ts';
import { deliverTo, openPlace } from '../../../test/support/places.ts';
import { readOptions } from '../options/options.ts';
import { hooks } from './hooks.ts';

test('a wrong call of hooks says what is wrong, and changes nothing', async t => {
  const place = await openPlace(openFreshOf.sqlite, t);
  await deliverTo(place, []);
  const call = async (...args: string[]) => {
    let printed = '';
    await hooks(readOptions(['hooks', ...args, ...place.args], {}), text => {
      printed += text;
    });
    return printed;
  };
  for (const [message, ...args] of [
    [/hooks add needs a URL/, 'add'],
    [/too many arguments for 'hooks'/, 'remove', 'a', 'b'],
    [/hooks needs one of add, remove, resume, not "frobnicate"/, 'frobnicate', 'x'],
    [/--topics and --after are for hooks add/, '--topics', 'block'],
    [/there is no webhook "nothing"/, 'remove', 'nothing'],
    [/there is no webhook "nothing"/, 'resume', 'nothing'],
    [/127.0.0.1 is not a public address/, 'add', 'http://127.0.0.1/'],
    [/"foo"/, 'add', 'http://example.com/', '--topics', 'block,foo'],
  ] as const)
    await assert.rejects(call(...args), message);
  assert.equal(await call(), '');
});

test('hooks makes no directory where there is none', async t => {
  const place = await openPlace(openFreshOf.sqlite, t);
  const options = readOptions(['hooks', '--data', `${place.data}/missing`], {});
  await assert.rejects(
    hooks(options, () => undefined),
    { name: 'NothingStored' },
  );
});
