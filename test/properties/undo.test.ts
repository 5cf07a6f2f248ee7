import { testProperty } from '../chains/property.ts';
import { onEveryEngine } from '../support/engines.ts';
import { undo } from './undo.ts';

testProperty(undo, onEveryEngine);
