import { testProperty } from '../chains/property.ts';
import { repeats } from './repeats.ts';

testProperty(repeats);
