import { AppError } from '../../base/lib/app-error.ts';

/** Thrown by `accept` of the event server, which responds with the reason; the node sends the event again. */
export class NotAccepted extends AppError {
  override readonly name = 'NotAccepted';
  override readonly kind = 'response';

  /** @param hint for the operator, who finds it in the log of the node */
  constructor(message: string, hint: string) {
    super(message, { code: 'not_accepted', statusCode: 503, hint });
  }
}
