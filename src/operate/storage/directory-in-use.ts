import { AppError } from '../../base/lib/app-error.ts';

/** The command line has better advice for each command (cli/advice.ts). It loads this file at every start, so the file has nothing else. */
export class DirectoryInUse extends AppError {
  override readonly name = 'DirectoryInUse';
  override readonly kind = 'operator';

  constructor(data: string) {
    super(`${data} is in use by another process`, { hint: 'Stop the other process, or choose another directory.' });
  }
}
