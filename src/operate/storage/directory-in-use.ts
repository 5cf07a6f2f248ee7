import { AppError } from '../../base/lib/app-error.ts';

/** Another process uses the directory. The command line has advice for each command (cli/advice.ts), and loads this file at every start: keep it small. */
export class DirectoryInUse extends AppError {
  override readonly name = 'DirectoryInUse';
  override readonly kind = 'operator';

  constructor(data: string) {
    super(`${data} is in use by another process`, { hint: 'Stop the other process, or choose another directory.' });
  }
}
