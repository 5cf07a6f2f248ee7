import { testProperty } from '../chains/property.ts';
import { hostile } from './hostile-events.ts';

testProperty(hostile);
