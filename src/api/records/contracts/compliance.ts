import { isJsonObject, type JsonObject } from '../../../base/lib/json.ts';

/**
 * Whether a function of a contract fulfils the signature in a trait, by the chain's rule for `impl-trait`
 * (docs/spec/contracts.md#contracts-by-trait). Parts that the trait leaves out are not compared.
 * @param step called for every compared pair of types; it may throw to end a comparison that takes too long
 */
export function implementsFunction(own: JsonObject, wanted: JsonObject, step: () => void): boolean {
  step();
  return (
    isOpenOr(wanted.name, name => name === own.name) &&
    isOpenOr(wanted.access, access => kindOf(access) === kindOf(own.access)) &&
    takes(own.args, wanted.args, step) &&
    isOpenOr(wanted.outputs, outputs => isJsonObject(outputs) && admits(outputs.type, typeOf(own.outputs), step))
  );
}

const isOpenOr = (wanted: unknown, fits: (wanted: unknown) => boolean): boolean => wanted === undefined || fits(wanted);

/** A trait does not distinguish public and read-only functions. */
const kindOf = (access: unknown): unknown => (access === 'read_only' ? 'public' : access);

const typeOf = (holder: unknown): unknown => (isJsonObject(holder) ? holder.type : undefined);

/** Whether it has as many arguments as in the trait, and each accepts every value of the trait's argument. */
const takes = (own: unknown, wanted: unknown, step: () => void): boolean =>
  Array.isArray(own) &&
  Array.isArray(wanted) &&
  own.length === wanted.length &&
  wanted.every((argument, i) => admits(typeOf(own[i]), typeOf(argument), step));

/** Whether every value of the narrow type is one of the wide type. An undefined type is open. */
export function admits(wide: unknown, narrow: unknown, step: () => void): boolean {
  step();
  if (wide === undefined || narrow === undefined) return true;
  if (narrow === 'none' || !isJsonObject(wide) || !isJsonObject(narrow)) return narrow === 'none' || wide === narrow;
  const [kind = ''] = Object.keys(wide);
  const [a, b] = [wide[kind], narrow[kind]];
  if (!Object.hasOwn(narrow, kind)) return false;
  switch (kind) {
    case 'buffer':
    case 'string-ascii':
    case 'string-utf8':
      return isJsonObject(a) && isJsonObject(b) && isAsLong(a, b);
    case 'list':
      return isJsonObject(a) && isJsonObject(b) && (b.length === 0 || (isAsLong(a, b) && admits(a.type, b.type, step)));
    case 'optional':
      return admits(a, b, step);
    case 'response':
      return isJsonObject(a) && isJsonObject(b) && ['ok', 'error'].every(side => admits(a[side], b[side], step));
    case 'tuple':
      return isTuple(a) && isTuple(b) && areFieldsAdmitted(a, b, step);
    default:
      return false;
  }
}

const isAsLong = ({ length: wide }: JsonObject, { length: narrow }: JsonObject): boolean =>
  wide === undefined || narrow === undefined || Number(wide) >= Number(narrow);

const isTuple = (fields: unknown): fields is readonly JsonObject[] =>
  Array.isArray(fields) && fields.every(isJsonObject);

/** The same fields, in any order. */
function areFieldsAdmitted(wide: readonly JsonObject[], narrow: readonly JsonObject[], step: () => void): boolean {
  const types = new Map(narrow.map(({ name, type }) => [name, type]));
  return (
    wide.length === types.size && wide.every(({ name, type }) => types.has(name) && admits(type, types.get(name), step))
  );
}
