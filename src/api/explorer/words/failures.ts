import type * as Api from '../../routes/records.ts';

/**
 * Causes of failures by the message of the node. Messages differ between versions of the node, so only their beginnings
 * or their marks are compared; an unknown message is shown as it is, without a guess.
 */

type Causes = readonly (readonly [message: RegExp, sentence: string])[];

/** While code runs: a call, or the code of a deployment outside its functions. */
const RUNTIME: Causes = [
  [/^ArithmeticUnderflow/, 'A subtraction went below zero; usually an amount or a balance is too small.'],
  [/^ArithmeticOverflow/, 'A result went above the maximum; usually an amount is too large.'],
  [/^DivisionByZero/, 'A division by zero; often an empty pool.'],
  [/^UnwrapFailure/, 'A value that the code requires was not there.'],
  [/^SupplyOverflow/, 'The token allows no larger supply.'],
  [/^NoSuchToken/, 'There is no such token.'],
  [/^BadBlockHeight/, 'The code read a block that does not exist.'],
  [/^Max(Stack|Context)DepthReached/, 'Calls were nested too deeply.'],
  [/^DefunctPoxContract/, 'This stacking contract has ended.'],
  [/^PoxAlreadyLocked/, 'These STX are locked already.'],
];

const CALL: Causes = [
  ...RUNTIME,
  [
    /^use of unresolved contract|^Contract '.*' does not exist/,
    'A contract that it calls did not exist at that block.',
  ],
  [/^use of unresolved function/, 'A function that it calls did not exist at that block.'],
  [/^RuntimeCheck|\btypes?\b|\btraits?\b/i, 'The arguments do not fit the function.'],
];

const DEPLOYMENT: Causes = [
  ...RUNTIME,
  [/non-ASCII/i, 'Its source has a character that is not ASCII.'],
  [/^use of unresolved contract/, 'Its source names a contract that did not exist at that block.'],
  [/^use of unresolved function/, 'Its source calls a function that it does not define.'],
  [/^use of unresolved/, 'Its source uses a name that it does not define.'],
  [/ContractAlreadyExists|already exists/, 'The address has a contract of this name already.'],
  [
    /^to match this |unclosed|unmatched|unexpected '?[)\]}]/i,
    'Its source has a parenthesis or brace without its partner.',
  ],
];

/** The cause in words; undefined for an unknown message. */
export function causeOf({ tx_type, vm_error }: Api.Transaction): string | undefined {
  if (!vm_error) return undefined;
  const isDeployment = tx_type === 'smart_contract';
  const { message, place } = isDeployment ? placed(vm_error) : { message: vm_error, place: undefined };
  const cause = (isDeployment ? DEPLOYMENT : CALL).find(([known]) => known.test(message))?.[1];
  if (place === undefined) return cause;
  return `${place}: ${cause ?? message.split('\n')[0]}`;
}

/** Messages about a source may begin with their place: `:12:3: message`. */
function placed(text: string): { readonly message: string; readonly place: string | undefined } {
  const [, line, column, message] = /^:(\d+):(\d+): (.*)$/s.exec(text) ?? [];
  return message === undefined
    ? { message: text, place: undefined }
    : { message, place: `Line ${line}, column ${column}` };
}

/** Errors of the stacking contracts, whose sources are no deployments of the chain. */
const STACKING_ERRORS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'pox-4': {
    '1': 'the account has too few STX',
    '3': 'the account stacks already',
    '9': 'the sender may not do this for the account',
    '11': 'the amount is below the minimum',
    '18': 'the amount is not allowed',
    '24': 'the Bitcoin height of the start is not in this cycle',
    '35': 'the signature of the signer does not fit',
    '36': 'the signature of the signer was used already',
  },
  'pox-5': {
    '8': 'the account has too few STX',
    '19': 'the account stakes already',
    '20': 'the number of cycles is not allowed',
    '23': 'the signer is not registered',
    '28': 'it is not allowed in the prepare phase',
    '32': 'there is no reward to claim',
    '47': 'it is not allowed in the prepare phase',
  },
};

/** The meaning of an error code of a contract that is part of the chain. @param name of the contract */
export const stackingError = (name: string, code: string): string | undefined =>
  STACKING_ERRORS[name]?.[code.replace('u', '')];
