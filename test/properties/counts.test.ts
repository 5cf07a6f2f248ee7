import { testProperty } from '../chains/property.ts';
import { counts } from './counts.ts';

testProperty(counts);
