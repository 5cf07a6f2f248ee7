import assert from 'node:assert/strict';
import { test } from 'node:test';
import { csvCell, csvLine } from './csv.ts';

test('no cell is a formula to a spreadsheet, whatever it begins with, and numbers stay numbers', () => {
  assert.equal(csvCell('=HYPERLINK("x")'), `"'=HYPERLINK(""x"")"`);
  assert.equal(csvCell('-5.5'), '"-5.5"');
  for (const before of ['', '\0', ' ', '\u00a0', '\u200b', '\ufeff\u2060', '\u0001 \t', '\ud800'])
    for (const sign of ['=', '+', '-', '@', '\uff1d', '\uff0b', '\uff0d', '\uff20', '\ufe66'])
      assert.match(csvCell(`${before}${sign}1+1`), /^"'/, JSON.stringify(before + sign));
  for (const text of ['paid', ' a = b', '5 - 3', '']) assert.equal(csvCell(text), `"${text}"`);
});

test('a line ends as RFC 4180 has it', () => {
  assert.equal(csvLine(['a', 'b"c', 'd,e']), '"a","b""c","d,e"\r\n');
});
