import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseMinisignKey, verifyMinisign } from './minisign.ts';

/* Made by minisign 0.11. */
const FILE = Buffer.from('a file to sign\n');
const KEY = 'RWSXPhkUh8ERPPL7/GUcVIwbvj7svsMxO6CJf7MsMqWdeqSss8L5fvJz';
const OTHER_KEY = 'RWR8UrbCm1hXFogBJ+W+ZdFuAUD2HSrQRKL/Pgmb0onmLVI6DY1mjVFf';
const SIGNATURE = `untrusted comment: signature from minisign secret key
RUSXPhkUh8ERPOuHjNfiUhWxnaU4Aj1ZDuHwpsC60cZVAxy/rTuUKEIujTOrbmUKeuHjQq7qHQ7sLhmRYz8WvvRP19ukJ4vfVwQ=
trusted comment: a trusted comment
WOkaJCn7nQMhVDI1xpSGCKPM+jUIdHy+ppLCtvcgFJX37SCxFINynu9tdhAueHOsAIN76qIfJKhbTOye5gXgCQ==
`;
const OF_THE_FILE_ITSELF = `untrusted comment: signature from minisign secret key
RWSXPhkUh8ERPKF3nh/Ct5/eiUBSM57BaPQHuyfuyFshZ1kdiGdiUHrTNdd2vRXbXm/+h8GHOhtKLEYEMSi5BoWSc584RVMLBAs=
trusted comment: legacy
3rlEj5CgBn/qJrj38Yq83tYcSL7FqcS+H0nO7dDd2K5ST6Pt/QHgd2+6qt5bgOLPHxD3E7n4MzezJiiAXUEVBA==
`;

const keyOf = (text: string) => parseMinisignKey(text) ?? assert.fail(text);

test('a signature of minisign is valid for its file and its key, and gives its trusted comment', () => {
  assert.deepEqual(verifyMinisign(FILE, SIGNATURE, keyOf(KEY)), { ok: true, value: 'a trusted comment' });
  assert.deepEqual(verifyMinisign(FILE, OF_THE_FILE_ITSELF, keyOf(KEY)), { ok: true, value: 'legacy' });
  assert.equal(keyOf(KEY).id, '3C11C18714193E97');
});

test('another file, key, comment or text is no valid signature, and the reason names which', () => {
  const reason = (file: Buffer, signature: string, key = KEY) => {
    const verified = verifyMinisign(file, signature, keyOf(key));
    return verified.ok ? 'valid' : verified.error;
  };
  assert.match(reason(Buffer.from('another file'), SIGNATURE), /not that of this file/);
  assert.match(reason(FILE, SIGNATURE, OTHER_KEY), /with the key 3C11C18714193E97, not with 1657589BC2B6527C/);
  assert.match(reason(FILE, SIGNATURE.replace('a trusted', 'another')), /comment/);
  assert.match(reason(FILE, SIGNATURE.replace('RUSX', 'RXSX')), /algorithm/);
  for (const text of ['', 'RUSX', SIGNATURE.replace('trusted comment: a', 'a'), SIGNATURE.replace('VwQ=', 'Vw==')])
    assert.match(reason(FILE, text), /no signature of minisign/);
});

test('a text that is no key is none', () => {
  for (const text of ['', KEY.slice(1), `${KEY}A`, KEY.replace('RW', 'RX'), 'untrusted comment: minisign public key'])
    assert.equal(parseMinisignKey(text), undefined, text);
});
