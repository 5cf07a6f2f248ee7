/** A copy that would lose or mix something; nothing was changed. */
export class CopyRefused extends Error {
  override readonly name = 'CopyRefused';
  readonly hint: string;

  constructor(message: string, hint: string, options?: { readonly cause: unknown }) {
    super(message, options);
    this.hint = hint;
  }
}
