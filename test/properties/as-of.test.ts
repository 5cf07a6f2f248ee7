import { testProperty } from '../chains/property.ts';
import { pastBlocks } from './as-of.ts';

testProperty(pastBlocks);
