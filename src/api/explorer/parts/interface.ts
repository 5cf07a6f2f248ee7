import { type AbiType, abiTypeText } from '../../../base/codec/index.ts';
import { shortened } from '../format/links.ts';

/** A function as the interface of its contract names it; types as Clarity writes them. */
export interface ContractFunction {
  readonly name: string;
  readonly access: 'public' | 'read_only';
  readonly args: readonly FunctionArgument[];
  readonly returns: string;
}

interface FunctionArgument {
  readonly name: string;
  readonly type: string;
  /** Undefined if the type in the interface is not a type of Clarity. */
  readonly abi: AbiType | undefined;
}

const LONGEST_TYPE = 200;

/**
 * The functions that others can call, public ones first; empty for an unknown interface. @param abi JSON text of a node
 */
export function functionsOf(abi: string | null | undefined): readonly ContractFunction[] {
  const functions = listNamed(parsed(abi), 'functions').flatMap(functionOf);
  return functions.sort((a, b) => Number(a.access === 'read_only') - Number(b.access === 'read_only'));
}

function parsed(abi: string | null | undefined): unknown {
  if (!abi) return undefined;
  try {
    return JSON.parse(abi);
  } catch {
    return undefined;
  }
}

function functionOf(one: unknown): ContractFunction[] {
  const { name, access, outputs } = recordOf(one);
  if (typeof name !== 'string' || (access !== 'public' && access !== 'read_only')) return [];
  const args = listNamed(one, 'args').map(arg => {
    const { name: argName, type } = recordOf(arg);
    return { name: String(argName), type: typeText(type), abi: isType(type) ? type : undefined };
  });
  return [{ name, access, args, returns: typeText(recordOf(outputs).type) }];
}

const recordOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};

const listNamed = (value: unknown, name: string): readonly unknown[] => {
  const members = recordOf(value)[name];
  return Array.isArray(members) ? members : [];
};

const isType = (type: unknown): type is AbiType => abiTypeText(type) !== undefined;

const typeText = (type: unknown): string => shortened(abiTypeText(type) ?? 'unknown', LONGEST_TYPE);
