import { testProperty } from '../chains/property.ts';
import { soundness } from './soundness.ts';

testProperty(soundness);
