import { testProperty } from '../chains/property.ts';
import { downloads } from './downloads.ts';

testProperty(downloads);
