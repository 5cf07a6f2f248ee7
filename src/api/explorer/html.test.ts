import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc, { anyText } from '../../../test/support/fast-check.ts';
import { html, slot } from './html.ts';

test('a value is text, whatever it contains', () => {
  const payload = `<script>alert(1)</script>"' onload='x' \``;
  assert.equal(
    html`<p title="${payload}">${payload}</p>`
      .toString()
      .match(/[<>"'`]/g)
      ?.join(''),
    '<"">' + '<>',
    'only the marks of the template are left',
  );
});

test('no text breaks out of where it stands', () => {
  fc.assert(
    fc.property(anyText(), text => {
      const made = html`<a href="${text}">${text}</a>`.toString();
      const [, inTag = '', between = ''] = made.match(/^<a href="([^"<>]*)">([^<>"'`]*)<\/a>$/) ?? [];
      assert.ok(made.endsWith(`${between}</a>`) && inTag === between);
      assert.ok(made.isWellFormed());
    }),
    { numRuns: 50 },
  );
});

test('what turns or hides text is shown as its code; emoji stay', () => {
  assert.equal(html`${'a\u202eb\u200bc\u0000'}`.toString(), 'a‹U+202E›b‹U+200B›c‹U+0000›');
  assert.equal(html`${'line\n\ttab ☀️'}`.toString(), 'line\n\ttab ☀️');
});

test('lists are joined, templates stay as they are, and nothing comes of what is not there', () => {
  assert.equal(html`${[1, html`<b>${'<'}</b>`, null, undefined, false, 2n]}`.toString(), '1<b>&lt;</b>2');
});

test('slots are filled once the page is known; text cannot make one', () => {
  const page = html`<p>${slot('name', 'SP1')} ${'<!--name SP2-->'} ${slot('name', 'SP1')}</p>`;
  assert.deepEqual(page.slots('name'), ['SP1']);
  const filled = page.filled('name', key => html`<b>${key}</b>`).toString();
  assert.equal(filled, '<p><b>SP1</b> &lt;!--name SP2--&gt; <b>SP1</b></p>');
  assert.equal(page.filled('name', () => undefined).slots('name').length, 0);
});
