/** The last second that has four digits of a year. */
export const LAST_TIME = 253402300799;

const DAY = 86_400;
const TWO_DIGITS: readonly string[] = Array.from({ length: 100 }, (_, number) => String(number).padStart(2, '0'));
const two = (number: number): string => TWO_DIGITS[number] ?? '';

/**
 * Unix seconds as the API prints them: `2023-11-14T22:33:34.000Z`; empty below 0 and beyond the year 9999. Each record of a block has
 * two such texts, and a Date takes three times as long. Parts of a second are kept to the millisecond.
 */
export function isoTime(seconds: number): string {
  if (!(seconds >= 0 && seconds <= LAST_TIME)) return '';
  if (!Number.isInteger(seconds)) return new Date(seconds * 1000).toISOString();
  const time = seconds % DAY;
  const clock = `${two(Math.trunc(time / 3600))}:${two(Math.trunc(time / 60) % 60)}:${two(time % 60)}`;
  return `${dateOf((seconds - time) / DAY)}T${clock}.000Z`;
}

/** `2023-11-14`. Years are counted from March, so that the day of a leap year is their last one. @param day since 1970 */
function dateOf(day: number): string {
  const days = day + 719_468; // since 1 March of the year 0
  const era = Math.trunc(days / 146_097); // of 400 years
  const ofEra = days - era * 146_097;
  const year = Math.trunc(
    (ofEra - Math.trunc(ofEra / 1460) + Math.trunc(ofEra / 36_524) - Math.trunc(ofEra / 146_096)) / 365,
  );
  const ofYear = ofEra - (365 * year + Math.trunc(year / 4) - Math.trunc(year / 100));
  const month = Math.trunc((5 * ofYear + 2) / 153); // 0 is March
  const shown = era * 400 + year + (month < 10 ? 0 : 1);
  const ofMonth = ofYear - Math.trunc((153 * month + 2) / 5) + 1;
  return `${two(Math.trunc(shown / 100))}${two(shown % 100)}-${two(month < 10 ? month + 3 : month - 9)}-${two(ofMonth)}`;
}
