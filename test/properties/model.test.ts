import { testProperty } from '../chains/property.ts';
import { model } from './model.ts';

testProperty(model);
