import { testProperty } from '../chains/property.ts';
import { conservation } from './conservation.ts';

testProperty(conservation);
