import assert from 'node:assert/strict';
import { test } from 'node:test';
import { acceptedForm } from './file-forms.ts';

test('an Accept header gets the file that it prefers to JSON, and JSON where it names both alike', () => {
  const cases: readonly (readonly [accept: string | undefined, form: string | undefined])[] = [
    [undefined, undefined],
    ['*/*', undefined],
    ['application/json', undefined],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', undefined],
    ['text/csv', 'csv'],
    ['Text/CSV; charset=utf-8', 'csv'],
    ['application/x-ndjson', 'ndjson'],
    ['text/csv, */*', 'csv'],
    ['application/json, text/csv', undefined],
    ['application/json;q=0.5, text/csv', 'csv'],
    ['application/json, text/csv;q=0.9', undefined],
    ['text/csv;q=0', undefined],
    ['text/csv;q=0.3, application/x-ndjson;q=0.4', 'ndjson'],
    ['text/csv;q=0.3, */*;q=0.4', undefined],
  ];
  for (const [accept, form] of cases) assert.equal(acceptedForm(accept), form, accept);
});
