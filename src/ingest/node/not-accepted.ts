/** Thrown by `accept` of the event server, which responds with the reason; the node sends the event again. */
export class NotAccepted extends Error {
  override readonly name = 'NotAccepted';
  /** What an operator can do about it. */
  readonly hint: string;

  constructor(message: string, hint: string) {
    super(message);
    this.hint = hint;
  }
}
