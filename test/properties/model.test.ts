import { testProperty } from '../chains/property.ts';
import { onEveryEngine } from '../support/engines.ts';
import { model } from './model.ts';

testProperty(model, onEveryEngine);
