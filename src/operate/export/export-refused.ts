import { AppError } from '../../base/lib/app-error.ts';

/** A list cannot be exported with the given options. */
export class ExportRefused extends AppError {
  override readonly name = 'ExportRefused';
  override readonly kind = 'operator';

  constructor(message: string, hint: string, details: { readonly cause?: unknown } = {}) {
    super(message, { hint, ...details });
  }
}
