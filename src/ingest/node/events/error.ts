/** Why a body of the node was refused. `message` names the field, `hint` advises the operator. */
export interface EventError {
  readonly code: EventErrorCode;
  readonly message: string;
  readonly hint: string;
}

type EventErrorCode =
  | 'body_empty'
  | 'body_too_large'
  | 'body_too_deep'
  | 'body_not_json'
  | 'field_invalid'
  | 'wrong_network';

const hints: Readonly<Record<EventErrorCode, string>> = {
  body_empty: 'Send the JSON body of the event.',
  body_too_large: 'Raise the body limit if the node really sends blocks of this size.',
  body_too_deep: 'No node sends bodies nested like this; check what posts to the event port.',
  body_not_json: 'The body was cut off or is not what a Stacks node sends.',
  wrong_network: 'Connect a node of the network that the index holds.',
  field_invalid: 'Check that the version of the node is supported and that nothing rewrites its bodies.',
};

/** @param hint in place of the one that all errors of this code have */
export function eventError(code: EventErrorCode, message: string, hint = hints[code]): EventError {
  return { code, message, hint };
}
