/** A value of the JSON kinds as YAML 1.2 in block style. Keys keep their order; undefined members are left out. */
export function toYaml(value: unknown): string {
  return `${lines(value).join('\n')}\n`;
}

function lines(value: unknown): string[] {
  if (Array.isArray(value) && value.length > 0) return value.flatMap(item => listItem(lines(item)));
  const members = membersOf(value);
  return members.length > 0 ? members.flatMap(([key, item]) => member(key, item)) : [scalar(value)];
}

function member(key: string, value: unknown): string[] {
  const inner = lines(value);
  return isNested(value) ? [`${text(key)}:`, ...inner.map(line => `  ${line}`)] : [`${text(key)}: ${inner[0]}`];
}

const listItem = ([first, ...rest]: string[]): string[] => [`- ${first}`, ...rest.map(line => `  ${line}`)];

const membersOf = (value: unknown): [string, unknown][] =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.entries(value).filter(([, item]) => item !== undefined)
    : [];

const isNested = (value: unknown): boolean => (Array.isArray(value) ? value.length : membersOf(value).length) > 0;

/** JSON's own form is YAML too; only plain words go without quotes. */
const scalar = (value: unknown): string => (typeof value === 'string' ? text(value) : JSON.stringify(value));

const text = (value: string): string => (isPlain(value) ? value : JSON.stringify(value).replace(UNPRINTABLE, escaped));

/** What JSON may hold as it is and YAML may not, or takes for the end of a line. */
const UNPRINTABLE = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g;
const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Words that begin with a letter or a slash and cannot be taken for another kind of value, a comment or a key. */
const isPlain = (value: string): boolean =>
  /^[A-Za-z/](?:[\w ./(){}-]*[\w.)}/])?$/.test(value) && !/^(true|false|null|yes|no|on|off|y|n)$/i.test(value);
