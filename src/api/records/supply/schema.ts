import { count } from '../../http/schema.ts';
import { Type } from '../../http/type.ts';

const stx = (description: string) =>
  Type.String({
    pattern: '^-?[0-9]+\\.[0-9]{6}$',
    examples: ['1371506925.719000'],
    description: `${description}, in STX`,
  });
const withCommas = (description: string) =>
  Type.String({
    pattern: '^-?[0-9]{1,3}(,[0-9]{3})*\\.[0-9]{6}$',
    examples: ['1,371,506,925.719000'],
    description: `${description}, in STX with commas`,
  });
const percent = () =>
  Type.String({ enum: ['100.00', 'NaN'], description: 'All STX that exist are unlocked; `NaN` before there are any' });

/** Descriptions of the numbers. */
const TOTAL = 'What exists';
const UNLOCKED = 'The same as the total';
const YEAR_2050 = 'What is planned for the year 2050, a constant';

/** The supply of STX. */
export const StxSupplySchemaV1 = Type.Object(
  {
    unlocked_percent: percent(),
    total_stx: stx(TOTAL),
    total_stx_year_2050: stx(YEAR_2050),
    unlocked_stx: stx(UNLOCKED),
    block_height: count('The height of the supply, as requested'),
  },
  { title: 'StxSupply' },
);

/** The same in the older form. */
export const LegacyStxSupplySchemaV1 = Type.Object(
  {
    unlockedPercent: percent(),
    totalStacks: stx(TOTAL),
    totalStacksFormatted: withCommas(TOTAL),
    totalStacksYear2050: stx(YEAR_2050),
    totalStacksYear2050Formatted: withCommas(YEAR_2050),
    unlockedSupply: stx(UNLOCKED),
    unlockedSupplyFormatted: withCommas(UNLOCKED),
    blockHeight: Type.String({ pattern: '^[0-9]+$', examples: ['150000'], description: 'The height of the supply' }),
  },
  { title: 'LegacyStxSupply' },
);

/** STX alone, as text. */
export const PlainStxSchemaV1 = stx(TOTAL);
