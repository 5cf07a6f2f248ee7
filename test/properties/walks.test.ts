import { testProperty } from '../chains/property.ts';
import { walks } from './walks.ts';

testProperty(walks);
