/** A stored record without the arguments of its call. Leaving them out is the rare case, so they are stored. */
export function withoutFunctionArgs(record: string): string {
  const tx = JSON.parse(record);
  if (tx.contract_call) delete tx.contract_call.function_args;
  return JSON.stringify(tx);
}
