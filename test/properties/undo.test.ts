import { testProperty } from '../chains/property.ts';
import { undo } from './undo.ts';

testProperty(undo);
