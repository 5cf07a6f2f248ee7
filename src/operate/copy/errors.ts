import { AppError } from '../../base/lib/app-error.ts';

/** A copy that would lose or mix something; nothing was changed. */
export class CopyRefused extends AppError {
  override readonly name = 'CopyRefused';
  override readonly kind = 'operator';

  constructor(message: string, hint: string, options?: { readonly cause: unknown }) {
    super(message, { ...options, hint });
  }
}
