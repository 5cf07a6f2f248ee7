import type { Watchdog } from './test-process.ts';

/** A watchdog that fires when so many minutes pass without a call to `restart`. */
export const watchdogOf =
  (minutes: number) =>
  (fire: () => void): Watchdog => {
    const milliseconds = minutes * 60_000;
    let timer = setTimeout(fire, milliseconds);
    const stop = () => clearTimeout(timer);
    return {
      stop,
      restart() {
        stop();
        timer = setTimeout(fire, milliseconds);
      },
    };
  };
