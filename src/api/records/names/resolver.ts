import { isTtlOrClass, wordsOf } from '../../../index/names/zone-file.ts';

/**
 * The resolver for subdomains that a zone file does not list: the target of its last URI record whose name has
 * `resolver` in it; '' without one.
 */
export function resolverOf(text: string): string {
  let resolver = '';
  for (const line of text.split(/[\r\n]/)) {
    if (!line.includes('resolver')) continue;
    const [name = '', ...rest] = wordsOf(line);
    const type = rest.findIndex(word => !isTtlOrClass(word));
    // After the type: priority, weight, target.
    if (name.includes('resolver') && rest[type]?.toUpperCase() === 'URI') resolver = rest[type + 3] ?? '';
  }
  return resolver;
}
