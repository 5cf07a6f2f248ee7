import { testProperty } from '../chains/property.ts';
import { live } from './live.ts';

testProperty(live);
