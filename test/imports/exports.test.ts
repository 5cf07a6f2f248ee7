/** What a file of src exports, another file imports: of src, of the tests, tools and benchmarks, or of what is run from outside. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { unusedExports } from './exports.ts';

const root = join(import.meta.dirname, '../..');
const files = globSync(['{src,test,tools,bench}/**/*.ts', 'tools/**/*.mjs', 'lib/*.js', 'bin/*'], { cwd: root });

const isProduct = (file: string): boolean => file.startsWith('src/') && !file.endsWith('.test.ts');

test('another file imports each export of src', () => {
  const texts = new Map(files.map(file => [file, readFileSync(join(root, file), 'utf8')]));
  assert.ok(texts.size > 1000, 'all files');
  assert.deepEqual(unusedExports(texts, isProduct), []);
});

test('an export that no file imports is found, also one that is only exported again', () => {
  const texts = new Map([
    [
      'src/a.ts',
      "export const used = 1;\nexport type Unused = string;\nexport { passed, type Lost as Found } from './b.ts';\n",
    ],
    ['src/b.ts', 'export async function passed() {}\nexport interface Lost {}\nexport class Lazy {}\nconst own = 1;\n'],
    ['src/c.ts', "export * from './d.ts';\n"],
    ['src/d.ts', 'export const whole = 1;\nexport const rest = 2;\n'],
    [
      'test/e.test.ts',
      "import {\n  passed,\n  used as it,\n} from '../src/a.ts';\nimport { whole } from '../src/c.ts';\n",
    ],
  ]);
  assert.deepEqual(unusedExports(texts, isProduct), [
    'src/a.ts: Unused',
    'src/a.ts: Found',
    'src/b.ts: Lost',
    'src/b.ts: Lazy',
    'src/d.ts: rest',
  ]);
  const importsAll = new Map([...texts, ['src/f.ts', "const { Lazy } = await import('./b.ts');\n"]]);
  assert.ok(!unusedExports(importsAll, isProduct).some(unused => unused.startsWith('src/b.ts')));
});
