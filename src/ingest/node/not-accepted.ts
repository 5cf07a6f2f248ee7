/** Thrown by `accept` of the event server: the node is told why, and sends the event again. */
export class NotAccepted extends Error {
  override readonly name = 'NotAccepted';
  /** What an operator can do about it. */
  readonly hint: string;

  constructor(message: string, hint: string) {
    super(message);
    this.hint = hint;
  }
}
