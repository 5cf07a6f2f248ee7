import { abiTypeText } from '../../base/codec/index.ts';
import { isJsonObject, type JsonObject } from '../../base/lib/json.ts';

export const STANDARDS = ['sip-009', 'sip-010', 'sip-013'] as const;
/** The token standard that a contract follows: non-fungible, fungible or semi-fungible tokens. */
export type TokenStandard = (typeof STANDARDS)[number];

export const UPDATE_MODES = ['standard', 'frozen', 'dynamic'] as const;
/** How often metadata may change, as SIP-019 names it. */
export type UpdateMode = (typeof UPDATE_MODES)[number];

/** Facts about a token contract from its interface. */
export interface TokenInterface {
  readonly standard: TokenStandard;
  /** Name of the first asset of each kind. */
  readonly ftAsset: string | null;
  readonly nftAsset: string | null;
}

/** Argument types by function name, as `abiTypeText` writes them. */
type Required = Readonly<Record<string, readonly string[]>>;

const SIP_013: Required = {
  'get-balance': ['uint', 'principal'],
  'get-overall-balance': ['principal'],
  'get-total-supply': ['uint'],
  'get-overall-supply': [],
  'get-decimals': ['uint'],
  'get-token-uri': ['uint'],
  transfer: ['uint', 'uint', 'principal', 'principal'],
  'transfer-memo': ['uint', 'uint', 'principal', 'principal', '(buff 34)'],
};

const SIP_009: Required = {
  'get-last-token-id': [],
  'get-token-uri': ['uint'],
  'get-owner': ['uint'],
  transfer: ['uint', 'principal', 'principal'],
};

const SIP_010: Required = {
  transfer: ['uint', 'principal', 'principal', '(optional (buff 34))'],
  'get-name': [],
  'get-symbol': [],
  'get-decimals': [],
  'get-balance': ['principal'],
  'get-total-supply': [],
  'get-token-uri': [],
};

/**
 * The token standard that an interface fits: SIP-013, else SIP-009, else SIP-010; undefined when it fits
 * none. Only functions that any principal can call count, with exactly these argument types. Interfaces are JSON from outside: never throws.
 */
export function tokenInterface(contractInterface: unknown): TokenInterface | undefined {
  if (!isJsonObject(contractInterface)) return undefined;
  const functions = callableFunctions(contractInterface.functions);
  const ftAsset = firstAsset(contractInterface.fungible_tokens);
  const nftAsset = firstAsset(contractInterface.non_fungible_tokens);
  const standard = fits(functions, SIP_013)
    ? 'sip-013'
    : nftAsset !== null && fits(functions, SIP_009)
      ? 'sip-009'
      : ftAsset !== null && fits(functions, SIP_010)
        ? 'sip-010'
        : undefined;
  return standard && { standard, ftAsset, nftAsset };
}

/** Callable functions by name; names are unique in a contract. */
function callableFunctions(functions: unknown): Map<unknown, JsonObject> {
  const list = Array.isArray(functions) ? functions.filter(isJsonObject) : [];
  return new Map(list.filter(({ access }) => access === 'public' || access === 'read_only').map(fn => [fn.name, fn]));
}

function fits(functions: ReadonlyMap<unknown, JsonObject>, required: Required): boolean {
  const haveArguments = Object.entries(required).every(([name, types]) => {
    const args = argumentTypes(functions.get(name)?.args);
    return args?.length === types.length && args.every((type, i) => type === types[i]);
  });
  return haveArguments && givesText(functions.get('get-token-uri')?.outputs);
}

function argumentTypes(args: unknown): (string | undefined)[] | undefined {
  return Array.isArray(args) ? args.map(arg => (isJsonObject(arg) ? abiTypeText(arg.type) : undefined)) : undefined;
}

/**
 * Whether a function can return a token URI: a string of any kind and length, or `none` if there never is one. Response and
 * optional, which the standards require, may be missing: such contracts exist, and clients understand their strings.
 */
function givesText(outputs: unknown): boolean {
  let type = isJsonObject(outputs) ? outputs.type : undefined;
  if (isJsonObject(type) && isJsonObject(type.response)) type = type.response.ok;
  if (isJsonObject(type) && 'optional' in type) type = type.optional;
  return type === 'none' || (isJsonObject(type) && ('string-ascii' in type || 'string-utf8' in type));
}

/** The names that Clarity allows. */
const ASSET_NAME = /^[a-zA-Z][a-zA-Z0-9_!?+<>=/*-]{0,127}$/;

function firstAsset(assets: unknown): string | null {
  const [first] = Array.isArray(assets) ? assets : [];
  return isJsonObject(first) && typeof first.name === 'string' && ASSET_NAME.test(first.name) ? first.name : null;
}
